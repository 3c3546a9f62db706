//! From a graph file and a registry to a graph that compiles. Reads no file, runs no node.

use std::sync::Arc;

use stategraph_core::{
    Breakpoints, CachePolicy, Draft, ErasedChoice, ErasedNode, NodePolicy, State, StateGraph,
};

use super::check::{defects, draft, item_policy, policy};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::expression::Scope;
use super::format::{
    CacheFile, Case, ELSE, EdgeFile, GraphFile, HandlerFile, InputSpec, NodeFile, Sources, StateFile, Stops,
    Work,
};
use super::inline::{JsonState, Limits, Origin, Schema};
use super::kind::{Inclusion, Kind, Target};
use super::read::{Holes, Reader};
use super::registry::Registry;
use super::source::Source;
use super::spot::Spot;
use super::syntax::diagnose;
use super::tree::parse;

/// A graph file that was read: its parts have the right form. Whether they fit together, and to a registry, says
/// [`build`](Self::build).
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub(super) source: Arc<Source>,
    pub(super) file: GraphFile,
    /// The tools that it names.
    pub(super) named_tools: Vec<Spot<String>>,
    pub(super) inclusions: Vec<Inclusion>,
    /// The bounds that the user set.
    allowed: Limits,
}

/// A node of a kind that graph files bring themselves.
#[derive(Debug, Clone)]
pub struct NodeSpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub kind: &'a Kind,
    /// Where it stands: `file:line:column`.
    pub place: String,
    /// Where its result goes.
    pub to: Option<&'a Target>,
    /// Retries of each item of a `map`.
    pub item_policy: NodePolicy,
    /// Whether it runs as itself.
    pub role: Role<'a>,
}

/// What a piece of work is done for.
#[derive(Debug, Clone)]
pub enum Role<'a> {
    /// For the node.
    Node,
    /// In place of the node, which has failed for good.
    Handler {
        /// Where the run goes then; empty where it goes along the edges of the node.
        goto: Vec<&'a str>,
    },
}

/// A node that works on an inline state.
pub type InlineNode<D> = Arc<dyn ErasedNode<JsonState, D>>;

impl Definition {
    /// Reads a graph file, as text or as bytes; `file` is its name in messages. Where the YAML parses at all, every defect
    /// that can be seen without a registry is reported.
    pub fn parse(content: impl AsRef<[u8]>, file: impl Into<String>) -> Result<Self, Diagnostics> {
        let source = Source::read(content.as_ref(), &file.into())?;
        let tree = parse(&source.text)
            .map_err(|error| Diagnostics::new(source.clone(), vec![diagnose(&source, &error)]))?;
        let mut reader = Reader::new(source.clone());
        let file = GraphFile::read(&mut reader, tree);
        let Reader { mut found, holes, tools: named_tools, inclusions, .. } = reader;
        match file {
            Some(file) if found.is_empty() => {
                Ok(Self { source, file, named_tools, inclusions, allowed: Limits::DEFAULT })
            }
            Some(file) => {
                found.extend(defects(&source, &file, &draft(&file, &|_| None), holes));
                Err(Diagnostics::new(source, found))
            }
            None => Err(Diagnostics::new(source, found)),
        }
    }

    /// With other bounds of its values than [`Limits::DEFAULT`]; the file can lower them.
    #[must_use]
    pub fn within(mut self, allowed: Limits) -> Self {
        self.allowed = allowed;
        self
    }

    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.file.name.value
    }

    /// What it is for, in a line; empty when it does not say.
    pub fn about(&self) -> &str {
        self.file.about.as_ref().map_or("", |about| &about.value)
    }

    /// The name of the registered state that it works on: tells which registry to build it with. None when the file declares the
    /// channels: then see [`build_inline`](Self::build_inline).
    pub fn state_name(&self) -> Option<&str> {
        match &self.file.state {
            StateFile::Registered(name) => Some(&name.value),
            StateFile::Inline(_) => None,
        }
    }

    /// The channels, where the file declares them.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        self.file.schema()
    }

    /// What a run is given.
    pub fn inputs(&self) -> &[InputSpec] {
        self.file.inputs.as_ref().map_or(&[], |inputs| &inputs.0)
    }

    /// The channels that are the result: those that the file names, else all.
    pub fn outputs(&self) -> Vec<&str> {
        match (&self.file.outputs, self.schema()) {
            (Some(outputs), _) => outputs.iter().map(|output| output.value.as_str()).collect(),
            (None, Some(schema)) => schema.names().collect(),
            (None, None) => Vec::new(),
        }
    }

    /// The model of nodes that name none.
    pub fn model(&self) -> Option<&str> {
        self.file.model.as_ref().map(|model| model.value.as_str())
    }

    /// The file as a thread remembers it.
    pub fn origin(&self) -> Origin {
        Origin::new(&self.source.name, &self.source.text)
    }

    /// Its nodes of the kinds that graph files bring themselves, in the order of the file.
    pub fn nodes(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        let nodes = self.file.nodes.0.iter();
        nodes.filter_map(|(name, node)| {
            let kind = node.kind.as_ref().filter(|kind| !matches!(kind, Kind::Uses(_)))?;
            let place = self.source.place(&name.span);
            let (to, item_policy) = (node.keys.to.as_ref(), item_policy(node));
            Some(NodeSpec { name: &name.value, kind, place, to, item_policy, role: Role::Node })
        })
    }

    /// The error handlers of such kinds, by the names of their nodes.
    pub fn handlers(&self) -> impl Iterator<Item = NodeSpec<'_>> {
        self.file.nodes.0.iter().filter_map(|(name, node)| self.handler(name, node))
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// The graph as names, for whoever wants to draw it without a registry. The labels of a choice are those of its arms.
    pub fn draft(&self) -> Draft {
        draft(&self.file, &|_| None)
    }

    /// Every defect that can be seen without a registry.
    pub fn check(&self) -> Result<(), Diagnostics> {
        self.none_of(defects(&self.source, &self.file, &self.draft(), Holes::None))
    }

    /// The graph, or every defect of the file: names that the registry does not have, labels without an arm, and whatever
    /// the engine finds.
    pub fn build<S: State, D: Send + Sync + 'static>(
        &self,
        registry: &Registry<S, D>,
    ) -> Result<StateGraph<S, D>, Diagnostics> {
        let labels = |choice: &str| {
            let found = registry.find_choice(choice)?;
            Some(found.labels.iter().map(|label| (*label).to_owned()).collect())
        };
        let draft = draft(&self.file, &labels);
        let mut found = defects(&self.source, &self.file, &draft, Holes::None);
        found.extend(self.unregistered(registry));
        self.none_of(found)?;
        let graph = self.assembled(registry);
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// The graph of a file that declares its channels; `make` makes its nodes and error handlers. `origin` is what its threads remember
    /// of the file.
    ///
    /// # Panics
    /// When the file names a registered state: ask [`state_name`](Self::state_name) first.
    pub fn build_inline<D: Send + Sync + 'static>(
        &self,
        origin: Origin,
        make: &dyn Fn(NodeSpec<'_>) -> InlineNode<D>,
    ) -> Result<StateGraph<JsonState, D>, Diagnostics> {
        self.check()?;
        let schema =
            self.schema().expect("a file without defects that names no registered state has channels");
        let prototype = JsonState::new(schema.clone()).made_from(origin).within(self.allowed);
        let Draft { name, about, nodes, .. } = self.draft();
        let graph = StateGraph::new(name).about(about).prototype(prototype);
        let mut graph = graph.breakpoints(breakpoints(&self.file));
        let files = self.file.nodes.0.iter();
        for ((described, (at, file)), spec) in nodes.into_iter().zip(files).zip(self.nodes()) {
            let name = spec.name;
            graph = graph.erased_node(described, policy(file), make(spec));
            if let Some(cache) = &file.keys.cache {
                graph = graph.cache(name, remembered(cache));
            }
            if let Some(handler) = self.handler(at, file) {
                graph = graph.erased_on_error(name, make(handler));
            }
        }
        let graph = self.file.edges.iter().fold(graph, |graph, edge| match edge {
            EdgeFile::Cases { from, cases, otherwise } => with_cases(graph, from, cases, otherwise),
            edge => with_plain(graph, edge),
        });
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    /// The error handler of a node, if it is of a kind that graph files bring themselves.
    fn handler<'a>(&self, name: &'a Spot<String>, node: &'a NodeFile) -> Option<NodeSpec<'a>> {
        let HandlerFile { work: Work { kind, to, .. }, goto } = node.keys.error_handler.as_deref()?;
        let kind = kind.as_ref().filter(|kind| !matches!(kind, Kind::Uses(_)))?;
        let goto = goto.iter().map(|target| target.value.as_str()).collect();
        let place = self.source.place(&name.span);
        let (to, item_policy) = (to.as_ref(), NodePolicy::new());
        Some(NodeSpec { name: &name.value, kind, place, to, item_policy, role: Role::Handler { goto } })
    }

    pub(super) fn none_of(&self, found: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if found.is_empty() { Ok(()) } else { Err(Diagnostics::new(self.source.clone(), found)) }
    }

    fn assembled<S: State, D: Send + Sync + 'static>(&self, registry: &Registry<S, D>) -> StateGraph<S, D> {
        let Draft { name, about, nodes, .. } = self.draft();
        let mut graph = StateGraph::new(name).about(about).breakpoints(breakpoints(&self.file));
        for (mut described, (_, file)) in nodes.into_iter().zip(&self.file.nodes.0) {
            let Some(Kind::Uses(uses)) = &file.kind else { unreachable!("other kinds were refused") };
            let node = registry.find_node(uses).expect("unregistered nodes were refused");
            if described.about.is_empty() {
                described.about.clone_from(&node.about);
            }
            let name = described.name.clone();
            graph = graph.erased_node(described, policy(file), node.is.clone());
            if let Some(Kind::Uses(handler)) =
                file.keys.error_handler.as_ref().and_then(|it| it.work.kind.as_ref())
            {
                let handler = registry.find_node(handler).expect("unregistered nodes were refused");
                graph = graph.erased_on_error(&name, handler.is.clone());
            }
            if let Some(cache) = &file.keys.cache {
                let policy = CachePolicy::new();
                graph = graph
                    .cache(name, cache.ttl.as_ref().map_or(policy.clone(), |ttl| policy.ttl(ttl.value.0)));
            }
        }
        for edge in &self.file.edges {
            graph = match edge {
                EdgeFile::Chooses { from, choose, arms, .. } => {
                    let choice =
                        registry.find_choice(&choose.value).expect("unregistered choices were refused");
                    let labels = choice.labels.iter().map(|label| (*label).to_owned()).collect();
                    let arms =
                        arms.0.iter().map(|(label, to)| (label.value.clone(), to.value.clone())).collect();
                    graph.erased_branch(&from.value, choice.choose.clone(), labels, arms)
                }
                EdgeFile::Each { from, each, to, empty } => {
                    let list = registry.find_list(&each.value).expect("unregistered lists were refused");
                    let empty = empty.as_ref().map(|empty| empty.value.clone());
                    list(graph, &from.value, &to.value, empty)
                }
                edge => with_plain(graph, edge),
            };
        }
        graph
    }
}

/// Where every run stops.
fn breakpoints(file: &GraphFile) -> Breakpoints {
    let mut breakpoints = Breakpoints::none();
    match &file.interrupt_before {
        Some(Stops::All) => breakpoints = breakpoints.before_all(),
        Some(Stops::Named(names)) => breakpoints = breakpoints.before(names.iter().map(|name| &name.value)),
        None => {}
    }
    match &file.interrupt_after {
        Some(Stops::All) => breakpoints.after_all(),
        Some(Stops::Named(names)) => breakpoints.after(names.iter().map(|name| &name.value)),
        None => breakpoints,
    }
}

/// When a result is given again. An input that cannot be computed is the whole state: the node then says what is wrong.
fn remembered(file: &CacheFile) -> CachePolicy<JsonState> {
    let policy = match file.by.clone() {
        None => CachePolicy::by(|state: &JsonState| channels(state)),
        Some(by) => CachePolicy::by(move |state: &JsonState| {
            by.evaluate(&Scope::new(state)).unwrap_or_else(|_| channels(state))
        }),
    };
    match &file.ttl {
        Some(ttl) => policy.ttl(ttl.value.0),
        None => policy,
    }
}

/// The values of all channels. What models took is no input.
fn channels(state: &JsonState) -> serde_json::Value {
    state.entries().map(|(name, value)| (name.to_owned(), value.clone())).collect()
}

/// The graph with an edge or a join.
fn with_plain<S: State, D: Send + Sync + 'static>(
    graph: StateGraph<S, D>,
    edge: &EdgeFile,
) -> StateGraph<S, D> {
    let EdgeFile::Follows { from, to, .. } = edge else { unreachable!("this choice was refused") };
    match from {
        Sources::One(from) => graph.edge(&from.value, &to.value),
        Sources::All(from) => graph.join(from.iter().map(|name| &name.value), &to.value),
    }
}

/// The graph with the conditions from a node: the first that holds counts.
fn with_cases<D: Send + Sync + 'static>(
    graph: StateGraph<JsonState, D>,
    from: &Spot<String>,
    cases: &[Case],
    otherwise: &Spot<String>,
) -> StateGraph<JsonState, D> {
    let conditions: Vec<_> = cases.iter().map(|case| case.when.clone()).collect();
    let choose: ErasedChoice<JsonState> = Arc::new(move |state: &JsonState| {
        let scope = Scope::new(state);
        for (at, condition) in conditions.iter().enumerate() {
            match condition.holds(&scope) {
                Ok(true) => return at,
                Ok(false) => {}
                Err(error) => {
                    state.refuse(format!("the condition {error}"));
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
