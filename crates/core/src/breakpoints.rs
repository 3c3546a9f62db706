//! Places where a run stops to be looked at, and goes on when it is resumed (LangGraph F56). Decides where; `drive.rs` stops.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{NodeIx, Planned, Planner};

/// Nodes before and after which a run stops. Said for a graph, or for one run of it instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breakpoints {
    before: Nodes,
    after: Nodes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Nodes {
    Named(BTreeSet<String>),
    All,
}

impl Default for Nodes {
    fn default() -> Self {
        Self::Named(BTreeSet::new())
    }
}

/// Why a run stopped at a breakpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// The nodes that would run next and that it stops before.
    pub before: Vec<String>,
    /// The nodes that have just run and that it stops after.
    pub after: Vec<String>,
}

impl Breakpoint {
    /// The same inside a node: `node/inner`.
    pub(crate) fn inside(self, node: &str) -> Self {
        let inside = |names: Vec<String>| names.into_iter().map(|name| format!("{node}/{name}")).collect();
        Self { before: inside(self.before), after: inside(self.after) }
    }
}

impl Breakpoints {
    /// Nowhere.
    pub fn none() -> Self {
        Self::default()
    }

    /// Before these nodes as well.
    #[must_use]
    pub fn before<T: Into<String>>(mut self, nodes: impl IntoIterator<Item = T>) -> Self {
        self.before.add(nodes);
        self
    }

    /// After these nodes as well, unless nothing is left to run then. A sub-graph stops after its last node too: the graph around it is
    /// left to run.
    #[must_use]
    pub fn after<T: Into<String>>(mut self, nodes: impl IntoIterator<Item = T>) -> Self {
        self.after.add(nodes);
        self
    }

    /// Before every superstep.
    #[must_use]
    pub fn before_all(mut self) -> Self {
        self.before = Nodes::All;
        self
    }

    /// After every superstep but the last of the outermost graph.
    #[must_use]
    pub fn after_all(mut self) -> Self {
        self.after = Nodes::All;
        self
    }

    /// The names that the graph does not have.
    pub(crate) fn unknown<'a>(&'a self, known: &'a dyn Fn(&str) -> bool) -> impl Iterator<Item = &'a str> {
        let names = self.before.names().chain(self.after.names());
        names.filter(move |name| !known(name))
    }

    /// By index; none when it stops nowhere.
    pub(crate) fn of(&self, planner: &Planner) -> Option<Arc<Stops>> {
        (*self != Self::none())
            .then(|| Arc::new(Stops { before: self.before.of(planner), after: self.after.of(planner) }))
    }
}

impl Nodes {
    fn add<T: Into<String>>(&mut self, nodes: impl IntoIterator<Item = T>) {
        if let Self::Named(names) = self {
            names.extend(nodes.into_iter().map(Into::into));
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let named = match self {
            Self::Named(names) => Some(names),
            Self::All => None,
        };
        named.into_iter().flatten().map(String::as_str)
    }

    fn of(&self, planner: &Planner) -> BTreeSet<NodeIx> {
        match self {
            Self::Named(names) => names.iter().filter_map(|name| planner.node(name)).collect(),
            Self::All => (0..planner.names().len()).map(NodeIx::new).collect(),
        }
    }
}

/// [`Breakpoints`] by index.
#[derive(Debug)]
pub(crate) struct Stops {
    before: BTreeSet<NodeIx>,
    after: BTreeSet<NodeIx>,
}

impl Stops {
    /// Whether a run stops between what has just run and what runs next.
    pub(crate) fn between(&self, ran: &[NodeIx], next: &[Planned], names: &[Arc<str>]) -> Option<Breakpoint> {
        let told = |nodes: BTreeSet<NodeIx>| -> Vec<String> {
            nodes.into_iter().map(|node| names[node.at()].as_ref().to_owned()).collect()
        };
        let before = next.iter().map(|task| task.node).filter(|node| self.before.contains(node)).collect();
        let after = ran.iter().copied().filter(|node| self.after.contains(node)).collect();
        let stop = Breakpoint { before: told(before), after: told(after) };
        (stop != Breakpoint::default()).then_some(stop)
    }
}
