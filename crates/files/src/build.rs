//! Builds a [`StateGraph`] from a graph file and a registry. Reads no file, runs no node.

use std::sync::Arc;

use stategraph_core::{
    Breakpoints, CachePolicy, Draft, ErasedChoice, ErasedNode, NodePolicy, State, StateGraph,
};

use super::check::{build_draft, find_defects, item_policy, node_policy};
use super::decode::decode;
use super::diagnostic::{Diagnostic, Diagnostics};
use super::expression::EvalScope;
use super::format::{
    BreakpointNodes, CacheFile, ConditionArm, ELSE, EdgeFile, GraphFile, HandlerFile, InputSpec, NodeAction,
    NodeFile, Sources, StateFile,
};
use super::inline::{JsonState, Origin, StateSchema, ValueLimits};
use super::kind::{Kind, Target};
use super::located::Located;
use super::read::{Completeness, Inclusion, Reader};
use super::registry::Registry;
use super::source::SourceText;
use super::syntax::diagnose;
use super::tree::parse;

/// A graph file that was parsed: every part has the right form. [`build`](Self::build) checks that the parts fit
/// together and fit a registry.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub(super) source: Arc<SourceText>,
    pub(super) file: GraphFile,
    /// Tools that the file names.
    pub(super) named_tools: Vec<Located<String>>,
    pub(super) inclusions: Vec<Inclusion>,
    /// Bounds of values that the user set.
    allowed: ValueLimits,
}

/// A node, or its error handler, whose kind graph files define themselves.
#[derive(Debug, Clone)]
pub struct NodeSpec<'a> {
    /// Name of the node.
    pub name: &'a str,
    /// Work of the node, with its keys.
    pub kind: &'a Kind,
    /// Position of the node: `file:line:column`.
    pub location: String,
    /// Channels that take the result.
    pub to: Option<&'a Target>,
    /// Retry policy of each item of a `map`.
    pub item_policy: NodePolicy,
    /// Node or error handler.
    pub role: NodeRole<'a>,
}

/// The role in which a [`NodeSpec`] runs.
#[derive(Debug, Clone)]
pub enum NodeRole<'a> {
    /// The node itself.
    Node,
    /// Its error handler, which runs after the last attempt of the node failed.
    Handler {
        /// Nodes to run next; empty to follow the edges of the node.
        goto: Vec<&'a str>,
    },
}

/// A type-erased node on a [`JsonState`].
pub type InlineNode<D> = Arc<dyn ErasedNode<JsonState, D>>;

impl Definition {
    /// Parses a graph file from text or bytes; `file` is its name in messages. Fails with every defect that can be
    /// found without a registry, provided that the YAML itself parses.
    pub fn parse(content: impl AsRef<[u8]>, file: impl Into<String>) -> Result<Self, Diagnostics> {
        let source = decode(content.as_ref(), &file.into())?;
        let tree = parse(&source.text)
            .map_err(|error| Diagnostics::new(source.clone(), vec![diagnose(&source, &error)]))?;
        let mut reader = Reader::new(source.clone());
        let file = GraphFile::read(&mut reader, tree);
        let Reader { diagnostics: mut found, completeness, tools: named_tools, inclusions, .. } = reader;
        match file {
            Some(file) if found.is_empty() => {
                Ok(Self { source, file, named_tools, inclusions, allowed: ValueLimits::DEFAULT })
            }
            Some(file) => {
                found.extend(find_defects(&source, &file, &build_draft(&file, &|_| None), completeness));
                Err(Diagnostics::new(source, found))
            }
            None => Err(Diagnostics::new(source, found)),
        }
    }

    /// Sets the bounds of values; the default is [`ValueLimits::DEFAULT`]. The file can lower them.
    #[must_use]
    pub fn with_limits(mut self, allowed: ValueLimits) -> Self {
        self.allowed = allowed;
        self
    }

    /// Returns the name of the graph.
    pub fn name(&self) -> &str {
        &self.file.name.value
    }

    /// Returns the one-line description; empty if the file has none.
    pub fn about(&self) -> &str {
        self.file.about.as_ref().map_or("", |about| &about.value)
    }

    /// Returns the name of the registered state, which selects the registry to build with. It is `None` if the file
    /// declares its channels; such a graph is built with [`build_inline`](Self::build_inline).
    pub fn state_name(&self) -> Option<&str> {
        match &self.file.state {
            StateFile::Registered(name) => Some(&name.value),
            StateFile::Inline(_) => None,
        }
    }

    /// Returns the declared channels; `None` for a registered state.
    pub fn schema(&self) -> Option<&Arc<StateSchema>> {
        self.file.schema()
    }

    /// Returns the declared inputs of a run.
    pub fn inputs(&self) -> &[InputSpec] {
        self.file.inputs.as_ref().map_or(&[], |inputs| &inputs.0)
    }

    /// Returns the names of the channels that make up the result: the declared outputs, or else all channels.
    pub fn outputs(&self) -> Vec<&str> {
        match (&self.file.outputs, self.schema()) {
            (Some(outputs), _) => outputs.iter().map(|output| output.value.as_str()).collect(),
            (None, Some(schema)) => schema.names().collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Returns the model for nodes that name none.
    pub fn model(&self) -> Option<&str> {
        self.file.model.as_ref().map(|model| model.value.as_str())
    }

    /// Returns the record of this file that a thread stores: its name and the digest of its text.
    pub fn origin(&self) -> Origin {
        Origin::new(&self.source.name, &self.source.text)
    }

    /// Returns the nodes whose kinds graph files define themselves, in the order of the file.
    pub fn nodes(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        let nodes = self.file.nodes.0.iter();
        nodes.filter_map(|(name, node)| {
            let kind = node.kind.as_ref().filter(|kind| !matches!(kind, Kind::Uses(_)))?;
            let location = self.source.format_location(&name.span);
            let (to, item_policy) = (node.keys.to.as_ref(), item_policy(node));
            Some(NodeSpec { name: &name.value, kind, location, to, item_policy, role: NodeRole::Node })
        })
    }

    /// Returns the error handlers of such kinds, under the names of their nodes.
    pub fn handlers(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        self.file.nodes.0.iter().filter_map(|(name, node)| self.handler(name, node))
    }

    /// Returns the name of the file, as the caller gave it.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// Returns the graph as names, for drawing without a registry. The labels of a choice are those of its arms.
    pub fn draft(&self) -> Draft {
        build_draft(&self.file, &|_| None)
    }

    /// Checks everything that needs no registry.
    pub fn check(&self) -> Result<(), Diagnostics> {
        self.fail_if_any(find_defects(&self.source, &self.file, &self.draft(), Completeness::Complete))
    }

    /// Builds the graph on a registered state. Fails with every defect: names that are not registered, labels without
    /// an arm, and defects that the engine finds.
    pub fn build<S: State, D: Send + Sync + 'static>(
        &self,
        registry: &Registry<S, D>,
    ) -> Result<StateGraph<S, D>, Diagnostics> {
        let labels = |choice: &str| {
            let found = registry.find_choice(choice)?;
            Some(found.labels.iter().map(|label| (*label).to_owned()).collect())
        };
        let draft = build_draft(&self.file, &labels);
        let mut found = find_defects(&self.source, &self.file, &draft, Completeness::Complete);
        found.extend(self.find_unregistered(registry));
        self.fail_if_any(found)?;
        let graph = self.assemble(registry);
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// Builds the graph of a file that declares its channels. `make` builds its nodes and error handlers; `origin` is
    /// the record of the file that its threads store.
    ///
    /// # Panics
    /// If the file names a registered state; check [`state_name`](Self::state_name) first.
    pub fn build_inline<D: Send + Sync + 'static>(
        &self,
        origin: Origin,
        make: &dyn Fn(NodeSpec<'_>) -> InlineNode<D>,
    ) -> Result<StateGraph<JsonState, D>, Diagnostics> {
        self.check()?;
        let schema =
            self.schema().expect("a file without defects that names no registered state has channels");
        let prototype = JsonState::new(schema.clone()).with_origin(origin).with_limits(self.allowed);
        let Draft { name, about, nodes, .. } = self.draft();
        let graph = StateGraph::new(name).about(about).prototype(prototype);
        let mut graph = graph.breakpoints(file_breakpoints(&self.file));
        let files = self.file.nodes.0.iter();
        for ((described, (at, file)), spec) in nodes.into_iter().zip(files).zip(self.nodes()) {
            let name = spec.name;
            graph = graph.erased_node(described, node_policy(file), make(spec));
            if let Some(cache) = &file.keys.cache {
                graph = graph.cache(name, cache_policy(cache));
            }
            if let Some(handler) = self.handler(at, file) {
                graph = graph.erased_on_error(name, make(handler));
            }
        }
        let graph = self.file.edges.iter().fold(graph, |graph, edge| match edge {
            EdgeFile::Conditional { from, cases, otherwise } => {
                add_conditional_edge(graph, from, cases, otherwise)
            }
            edge => add_edge(graph, edge),
        });
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// Returns the error handler of a node, if graph files define its kind themselves.
    fn handler<'a>(&self, name: &'a Located<String>, node: &'a NodeFile) -> Option<NodeSpec<'a>> {
        let HandlerFile { action: NodeAction { kind, to, .. }, goto } = node.keys.error_handler.as_deref()?;
        let kind = kind.as_ref().filter(|kind| !matches!(kind, Kind::Uses(_)))?;
        let goto = goto.iter().map(|target| target.value.as_str()).collect();
        let location = self.source.format_location(&name.span);
        let (to, item_policy) = (to.as_ref(), NodePolicy::new());
        Some(NodeSpec {
            name: &name.value,
            kind,
            location,
            to,
            item_policy,
            role: NodeRole::Handler { goto },
        })
    }

    pub(super) fn fail_if_any(&self, found: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if found.is_empty() { Ok(()) } else { Err(Diagnostics::new(self.source.clone(), found)) }
    }

    fn assemble<S: State, D: Send + Sync + 'static>(&self, registry: &Registry<S, D>) -> StateGraph<S, D> {
        let Draft { name, about, nodes, .. } = self.draft();
        let mut graph = StateGraph::new(name).about(about).breakpoints(file_breakpoints(&self.file));
        for (mut described, (_, file)) in nodes.into_iter().zip(&self.file.nodes.0) {
            let Some(Kind::Uses(uses)) = &file.kind else { unreachable!("other kinds were refused") };
            let node = registry.find_node(uses).expect("unregistered nodes were refused");
            if described.about.is_empty() {
                described.about.clone_from(&node.about);
            }
            let name = described.name.clone();
            graph = graph.erased_node(described, node_policy(file), node.item.clone());
            if let Some(Kind::Uses(handler)) =
                file.keys.error_handler.as_ref().and_then(|it| it.action.kind.as_ref())
            {
                let handler = registry.find_node(handler).expect("unregistered nodes were refused");
                graph = graph.erased_on_error(&name, handler.item.clone());
            }
            if let Some(cache) = &file.keys.cache {
                let policy = CachePolicy::new();
                graph = graph
                    .cache(name, cache.ttl.as_ref().map_or(policy.clone(), |ttl| policy.ttl(ttl.value.0)));
            }
        }
        for edge in &self.file.edges {
            graph = match edge {
                EdgeFile::Choice { from, choose, arms, .. } => {
                    let choice =
                        registry.find_choice(&choose.value).expect("unregistered choices were refused");
                    let labels = choice.labels.iter().map(|label| (*label).to_owned()).collect();
                    let arms =
                        arms.0.iter().map(|(label, to)| (label.value.clone(), to.value.clone())).collect();
                    graph.erased_branch(&from.value, choice.choose.clone(), labels, arms)
                }
                EdgeFile::FanOut { from, each, to, empty } => {
                    let list = registry.find_list(&each.value).expect("unregistered lists were refused");
                    let empty = empty.as_ref().map(|empty| empty.value.clone());
                    list(graph, &from.value, &to.value, empty)
                }
                edge => add_edge(graph, edge),
            };
        }
        graph
    }
}

/// Returns the breakpoints of every run.
fn file_breakpoints(file: &GraphFile) -> Breakpoints {
    let mut breakpoints = Breakpoints::none();
    match &file.interrupt_before {
        Some(BreakpointNodes::All) => breakpoints = breakpoints.before_all(),
        Some(BreakpointNodes::Named(names)) => {
            breakpoints = breakpoints.before(names.iter().map(|name| &name.value));
        }
        None => {}
    }
    match &file.interrupt_after {
        Some(BreakpointNodes::All) => breakpoints.after_all(),
        Some(BreakpointNodes::Named(names)) => breakpoints.after(names.iter().map(|name| &name.value)),
        None => breakpoints,
    }
}

/// Returns the cache policy of a node. An input that cannot be computed falls back to the whole state; the node
/// itself then reports the error.
fn cache_policy(file: &CacheFile) -> CachePolicy<JsonState> {
    let policy = match file.by.clone() {
        None => CachePolicy::by(|state: &JsonState| channel_values(state)),
        Some(by) => CachePolicy::by(move |state: &JsonState| {
            by.evaluate(&EvalScope::new(state)).unwrap_or_else(|_| channel_values(state))
        }),
    };
    match &file.ttl {
        Some(ttl) => policy.ttl(ttl.value.0),
        None => policy,
    }
}

/// Returns the values of all channels, as the input of a cached node. Model costs are not part of it, because they
/// change with every run.
fn channel_values(state: &JsonState) -> serde_json::Value {
    state.entries().map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// Adds a static edge or a join to the graph.
fn add_edge<S: State, D: Send + Sync + 'static>(
    graph: StateGraph<S, D>,
    edge: &EdgeFile,
) -> StateGraph<S, D> {
    let EdgeFile::Static { from, to, .. } = edge else { unreachable!("this choice was refused") };
    match from {
        Sources::One(from) => graph.edge(&from.value, &to.value),
        Sources::All(from) => graph.join(from.iter().map(|name| &name.value), &to.value),
    }
}

/// Adds the conditional edge from a node; the first condition that holds decides.
fn add_conditional_edge<D: Send + Sync + 'static>(
    graph: StateGraph<JsonState, D>,
    from: &Located<String>,
    cases: &[ConditionArm],
    otherwise: &Located<String>,
) -> StateGraph<JsonState, D> {
    let conditions: Vec<_> = cases.iter().map(|case| case.when.clone()).collect();
    let choose: ErasedChoice<JsonState> = Arc::new(move |state: &JsonState| {
        let scope = EvalScope::new(state);
        for (at, condition) in conditions.iter().enumerate() {
            match condition.is_true(&scope) {
                Ok(true) => return at,
                Ok(false) => {}
                Err(error) => {
                    state.record_error(format!("the condition {error}"));
                    break;
                }
            }
        }
        conditions.len()
    });
    let arms = cases.iter().map(|case| (case.when.text().to_owned(), case.to.value.clone()));
    let arms: Vec<_> = arms.chain([(ELSE.to_owned(), otherwise.value.clone())]).collect();
    let labels = arms.iter().map(|(label, _)| label.clone()).collect();
    graph.erased_branch(&from.value, choose, labels, arms)
}
