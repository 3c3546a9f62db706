//! From a graph file and a registry to a graph that compiles. Reads no file, runs no node.

use std::sync::Arc;

use crate::engine::{CachePolicy, Draft, ErasedChoice, ErasedNode, State, StateGraph, nearest};

use super::check::{defects, draft, policy};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::expression::Scope;
use super::format::{CacheFile, Case, ELSE, EdgeFile, GraphFile, InputSpec, Sources, StateFile};
use super::inline::{JsonState, Origin, Schema};
use super::kind::{Inclusion, Kind, Target};
use super::read::{Holes, Reader, listed, shown};
use super::registry::Registry;
use super::source::Source;
use super::spot::Spot;
use super::syntax::diagnose;
use super::tree::parse;

/// A graph file that was read: its parts have the right form. Whether they fit together, and to a registry, says
/// [`build`](Self::build).
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    source: Arc<Source>,
    file: GraphFile,
    tools: Vec<Spot<String>>,
    inclusions: Vec<Inclusion>,
}

/// A node of a kind that graph files bring themselves.
#[derive(Debug, Clone, Copy)]
pub struct NodeSpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it does.
    pub kind: &'a Kind,
    /// Where its result goes.
    pub to: Option<&'a Target>,
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
        let Reader { mut found, holes, tools, inclusions, .. } = reader;
        match file {
            Some(file) if found.is_empty() => Ok(Self { source, file, tools, inclusions }),
            Some(file) => {
                found.extend(defects(&source, &file, &draft(&file, &|_| None), holes));
                Err(Diagnostics::new(source, found))
            }
            None => Err(Diagnostics::new(source, found)),
        }
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
            Some(NodeSpec { name: &name.value, kind, to: node.keys.to.as_ref() })
        })
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// The files that it includes as sub-graphs, each once.
    pub fn includes(&self) -> Vec<&str> {
        let mut files: Vec<&str> =
            self.inclusions.iter().map(|included| included.file.value.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// That an included file cannot be used, at every place where it is named.
    pub fn refused_inclusion(&self, file: &str, reason: &str) -> Diagnostics {
        let places = self.inclusions.iter().filter(|included| included.file.value == file);
        let found = places.map(|included| {
            let message = format!("`{file}` cannot be a sub-graph: {reason}");
            Diagnostic::new(&self.source, included.file.span.clone(), message)
                .hint("name another graph file, from the folder of this one")
        });
        Diagnostics::new(self.source.clone(), found.collect())
    }

    /// What is given to an included file that is no input of it, and what is missing.
    pub fn check_included(&self, file: &str, child: &Self) -> Result<(), Diagnostics> {
        let mut found = Vec::new();
        let inputs = child.inputs();
        for included in self.inclusions.iter().filter(|included| included.file.value == file) {
            let known: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            for name in included.with.iter().filter(|name| !known.contains(&name.value.as_str())) {
                let hint = match nearest(&name.value, known.iter().copied()) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if known.is_empty() => "it takes no input".to_owned(),
                    None => format!("its inputs are {}", listed(&known)),
                };
                let message = format!("`{file}` has no input `{}`", name.value);
                found.push(Diagnostic::new(&self.source, name.span.clone(), message).hint(hint));
            }
            for input in inputs.iter().filter(|input| input.default.is_none()) {
                if included.with.iter().all(|name| name.value != input.name) {
                    let message = format!("`{file}` needs the input `{}`", input.name);
                    let place = included.file.span.clone();
                    let hint = format!("add `with: {{ {}: … }}`", input.name);
                    found.push(Diagnostic::new(&self.source, place, message).hint(hint));
                }
            }
        }
        self.none_of(found)
    }

    /// The tools that it names and that are not among `known`, each as a defect.
    pub fn check_tools(&self, known: &[&str]) -> Result<(), Diagnostics> {
        let unknown = self.tools.iter().filter(|tool| !known.contains(&tool.value.as_str()));
        let found = unknown.map(|tool| {
            let hint = match nearest(&tool.value, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the tools are {}", listed(known)),
            };
            let message = format!("there is no tool `{}`", tool.value);
            Diagnostic::new(&self.source, tool.span.clone(), message).hint(hint)
        });
        self.none_of(found.collect())
    }

    /// The registered nodes that it uses, in the order of the file.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.file.nodes.0.iter().filter_map(|(_, node)| match &node.kind {
            Some(Kind::Uses(name)) => Some(name.as_str()),
            _ => None,
        })
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

    /// The graph of a file that declares its channels; `make` makes its nodes.
    ///
    /// # Panics
    /// When the file names a registered state: ask [`state_name`](Self::state_name) first.
    pub fn build_inline<D: Send + Sync + 'static>(
        &self,
        make: &dyn Fn(NodeSpec<'_>) -> InlineNode<D>,
    ) -> Result<StateGraph<JsonState, D>, Diagnostics> {
        self.check()?;
        let schema =
            self.schema().expect("a file without defects that names no registered state has channels");
        let prototype = JsonState::new(schema.clone()).made_from(self.origin());
        let Draft { name, about, nodes, .. } = self.draft();
        let mut graph = StateGraph::new(name).about(about).prototype(prototype);
        let files = self.file.nodes.0.iter().map(|(_, file)| file);
        for ((described, file), spec) in nodes.into_iter().zip(files).zip(self.nodes()) {
            graph = graph.erased_node(described, policy(file), make(spec));
            if let Some(cache) = &file.keys.cache {
                graph = graph.cache(spec.name, remembered(cache));
            }
        }
        let graph = self.file.edges.iter().fold(graph, |graph, edge| match edge {
            EdgeFile::Cases { from, cases, otherwise } => with_cases(graph, from, cases, otherwise),
            edge => with_plain(graph, edge),
        });
        debug_assert!(graph.defects().is_empty(), "what was checked is what was built");
        Ok(graph)
    }

    fn none_of(&self, found: Vec<Diagnostic>) -> Result<(), Diagnostics> {
        if found.is_empty() { Ok(()) } else { Err(Diagnostics::new(self.source.clone(), found)) }
    }

    /// Every name that the registry does not have. With another state none of them is meant, and only that is said.
    fn unregistered<S: State, D: Send + Sync + 'static>(&self, registry: &Registry<S, D>) -> Vec<Diagnostic> {
        let unknown = |name: &Spot<String>, message: String, known: &mut dyn Iterator<Item = &str>| {
            let known: Vec<&str> = known.collect();
            let hint = match nearest(&name.value, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if known.is_empty() => "none is registered".to_owned(),
                None => format!("registered are {}", listed(&known)),
            };
            Diagnostic::new(&self.source, name.span.clone(), message).hint(hint)
        };
        let StateFile::Registered(state) = &self.file.state else {
            let message = "the state is declared here, and a registered one is wanted".to_owned();
            let known = &mut [registry.state_name()].into_iter();
            return vec![unknown(&self.file.name, message, known)];
        };
        if state.value != registry.state_name() {
            let message = format!("there is no state `{}` here", shown(&state.value));
            return vec![unknown(state, message, &mut [registry.state_name()].into_iter())];
        }
        let nodes = self.file.nodes.0.iter().filter_map(|(_, node)| match &node.kind {
            Some(Kind::Uses(name)) => Some(Spot { value: name.clone(), span: node.kind_at.clone() }),
            _ => None,
        });
        let nodes = nodes.filter(|uses| registry.find_node(&uses.value).is_none());
        let choices = self.file.edges.iter().filter_map(|edge| match edge {
            EdgeFile::Chooses { choose, .. } => Some(choose),
            _ => None,
        });
        let choices = choices.filter(|choose| registry.find_choice(&choose.value).is_none());
        let nodes = nodes.map(|uses| {
            let message = format!("no node `{}` is registered", uses.value);
            unknown(&uses, message, &mut registry.nodes().map(|(name, _)| name))
        });
        let choices = choices.map(|choose| {
            let message = format!("no choice `{}` is registered", choose.value);
            unknown(choose, message, &mut registry.choices().map(|(name, ..)| name))
        });
        nodes.chain(choices).collect()
    }

    fn assembled<S: State, D: Send + Sync + 'static>(&self, registry: &Registry<S, D>) -> StateGraph<S, D> {
        let Draft { name, about, nodes, .. } = self.draft();
        let mut graph = StateGraph::new(name).about(about);
        for (mut described, (_, file)) in nodes.into_iter().zip(&self.file.nodes.0) {
            let Some(Kind::Uses(uses)) = &file.kind else { unreachable!("other kinds were refused") };
            let node = registry.find_node(uses).expect("unregistered nodes were refused");
            if described.about.is_empty() {
                described.about.clone_from(&node.about);
            }
            let name = described.name.clone();
            graph = graph.erased_node(described, policy(file), node.is.clone());
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
                edge => with_plain(graph, edge),
            };
        }
        graph
    }
}

/// When a result is given again. An input that cannot be computed is the whole state: the node then says what is wrong.
fn remembered(file: &CacheFile) -> CachePolicy<JsonState> {
    let policy = match file.by.clone() {
        None => CachePolicy::new(),
        Some(by) => CachePolicy::by(move |state: &JsonState| {
            let whole = |_| serde_json::to_value(state).unwrap_or_default();
            by.evaluate(&Scope::new(state)).unwrap_or_else(whole)
        }),
    };
    match &file.ttl {
        Some(ttl) => policy.ttl(ttl.value.0),
        None => policy,
    }
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
