//! Places where a run stops to be looked at, and goes on when it is resumed (LangGraph F56). Decides where; `drive.rs` stops.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{NodeIx, Planner, ReadyTask};

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

    /// Resolves the names for one run; `None` when there are no breakpoints. `is_passing` is true when the run continues from a breakpoint.
    pub(crate) fn activate(&self, planner: &Planner, is_passing: bool) -> Option<ActiveBreakpoints> {
        (*self != Self::none()).then(|| ActiveBreakpoints {
            before: self.before.resolve(planner),
            after: self.after.resolve(planner),
            last: Vec::new(),
            is_passing,
        })
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

    fn resolve(&self, planner: &Planner) -> BTreeSet<NodeIx> {
        match self {
            Self::Named(names) => names.iter().filter_map(|name| planner.node(name)).collect(),
            Self::All => (0..planner.names().len()).map(NodeIx::new).collect(),
        }
    }
}

/// The [`Breakpoints`] of a run under way, by index.
#[derive(Debug)]
pub(crate) struct ActiveBreakpoints {
    before: BTreeSet<NodeIx>,
    after: BTreeSet<NodeIx>,
    /// The nodes of the last superstep; empty before the first.
    last: Vec<NodeIx>,
    /// True until the run has passed the breakpoint that it was resumed from.
    is_passing: bool,
}

impl ActiveBreakpoints {
    /// Notes the tasks of the last superstep.
    pub(crate) fn set_last(&mut self, tasks: &[ReadyTask]) {
        self.last = tasks.iter().map(|task| task.node).collect();
    }

    /// Returns the breakpoint between the last superstep and `next`, if there is one.
    pub(crate) fn next_stop(&mut self, next: &[ReadyTask], names: &[Arc<str>]) -> Option<Breakpoint> {
        if std::mem::take(&mut self.is_passing) {
            return None;
        }
        let names = |nodes: BTreeSet<NodeIx>| -> Vec<String> {
            nodes.into_iter().map(|node| names[node.at()].as_ref().to_owned()).collect()
        };
        let before = next.iter().map(|task| task.node).filter(|node| self.before.contains(node)).collect();
        let after = self.last.iter().copied().filter(|node| self.after.contains(node)).collect();
        let stop = Breakpoint { before: names(before), after: names(after) };
        (stop != Breakpoint::default()).then_some(stop)
    }
}
