//! From a graph file and a registry to a graph that compiles. Reads no file, runs no node.

use std::sync::Arc;

use crate::engine::{Draft, State, StateGraph, nearest};

use super::check::{defects, draft, policy};
use super::diagnostic::{Diagnostic, Diagnostics};
use super::format::{EdgeFile, GraphFile, Sources};
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
}

impl Definition {
    /// Reads a graph file, as text or as bytes; `file` is its name in messages. Where the YAML parses at all, every defect
    /// that can be seen without a registry is reported.
    pub fn parse(content: impl AsRef<[u8]>, file: impl Into<String>) -> Result<Self, Diagnostics> {
        let source = Source::read(content.as_ref(), &file.into())?;
        let tree = parse(&source.text)
            .map_err(|error| Diagnostics::new(source.clone(), vec![diagnose(&source, &error)]))?;
        let mut reader = Reader::new(source.clone());
        let file = GraphFile::read(&mut reader, tree);
        let Reader { mut found, holes, .. } = reader;
        match file {
            Some(file) if found.is_empty() => Ok(Self { source, file }),
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

    /// The name of the registered state that it works on: tells which registry to build it with.
    pub fn state_name(&self) -> &str {
        &self.file.state.value
    }

    /// The registered nodes that it uses, in the order of the file.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.file.nodes.0.iter().map(|(_, node)| node.uses.value.as_str())
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
        let state = &self.file.state;
        if state.value != registry.state_name() {
            let message = format!("there is no state `{}` here", shown(&state.value));
            return vec![unknown(state, message, &mut [registry.state_name()].into_iter())];
        }
        let nodes = self.file.nodes.0.iter().map(|(_, node)| &node.uses);
        let nodes = nodes.filter(|uses| registry.find_node(&uses.value).is_none());
        let choices = self.file.edges.iter().filter_map(|edge| match edge {
            EdgeFile::Chooses { choose, .. } => Some(choose),
            EdgeFile::Follows { .. } => None,
        });
        let choices = choices.filter(|choose| registry.find_choice(&choose.value).is_none());
        let nodes = nodes.map(|uses| {
            let message = format!("no node `{}` is registered", uses.value);
            unknown(uses, message, &mut registry.nodes().map(|(name, _)| name))
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
            let node = registry.find_node(&file.uses.value).expect("unregistered nodes were refused");
            if described.about.is_empty() {
                described.about.clone_from(&node.about);
            }
            graph = graph.erased_node(described, policy(file), node.is.clone());
        }
        for edge in &self.file.edges {
            graph = match edge {
                EdgeFile::Follows { from: Sources::One(from), to, .. } => graph.edge(&from.value, &to.value),
                EdgeFile::Follows { from: Sources::All(from), to, .. } => {
                    graph.join(from.iter().map(|name| &name.value), &to.value)
                }
                EdgeFile::Chooses { from, choose, arms, .. } => {
                    let choice =
                        registry.find_choice(&choose.value).expect("unregistered choices were refused");
                    let labels = choice.labels.iter().map(|label| (*label).to_owned()).collect();
                    let arms =
                        arms.0.iter().map(|(label, to)| (label.value.clone(), to.value.clone())).collect();
                    graph.erased_branch(&from.value, choice.choose.clone(), labels, arms)
                }
            };
        }
        graph
    }
}
