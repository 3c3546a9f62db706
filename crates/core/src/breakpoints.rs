//! Breakpoints: nodes at which a run stops for inspection until it is resumed (LangGraph F56). Decides where; `run_loop.rs` stops.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::plan::{NodeIx, Planner, ReadyTask};

/// The nodes before and after which a run stops. Set for a graph, or for one of its runs instead. Those of a run may name nodes of
/// sub-graphs as `outer/inner`; a sub-graph with such breakpoints has them instead of its own.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// let run = graph.run(Count::default()).thread(thread.clone()).breakpoints(Breakpoints::none().after(["add"]));
/// let paused = run.await?;
/// assert!(matches!(paused.status, Status::Paused(_)) && paused.state.n == 1);
/// assert_eq!(graph.resume(&thread).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breakpoints {
    before: NodeSet,
    after: NodeSet,
}

/// A set of nodes, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NodeSet {
    Named(BTreeSet<String>),
    All,
}

impl Default for NodeSet {
    fn default() -> Self {
        Self::Named(BTreeSet::new())
    }
}

/// The breakpoint at which a run stopped: the nodes before and after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breakpoint {
    /// The next nodes that have a breakpoint before them.
    pub before: Vec<String>,
    /// The nodes of the last superstep that have a breakpoint after them.
    pub after: Vec<String>,
}

impl Breakpoint {
    /// Returns the breakpoint as the outer graph names it: each name with the node that this graph runs in,
    /// as `node/inner`.
    pub(crate) fn inside(self, node: &str) -> Self {
        let inside = |names: Vec<String>| names.into_iter().map(|name| format!("{node}/{name}")).collect();
        Self { before: inside(self.before), after: inside(self.after) }
    }
}

impl Breakpoints {
    /// Returns no breakpoints.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds breakpoints before these nodes.
    #[must_use]
    pub fn before<T: Into<String>>(mut self, nodes: impl IntoIterator<Item = T>) -> Self {
        self.before.add(nodes);
        self
    }

    /// Adds breakpoints after these nodes. The outermost graph does not stop after its last node; a sub-graph does, because the outer graph
    /// is left to run.
    #[must_use]
    pub fn after<T: Into<String>>(mut self, nodes: impl IntoIterator<Item = T>) -> Self {
        self.after.add(nodes);
        self
    }

    /// Adds breakpoints before all nodes.
    #[must_use]
    pub fn before_all(mut self) -> Self {
        self.before = NodeSet::All;
        self
    }

    /// Adds breakpoints after all nodes.
    #[must_use]
    pub fn after_all(mut self) -> Self {
        self.after = NodeSet::All;
        self
    }

    /// Returns the names of nodes for which `known` returns false.
    pub(crate) fn unknown<'a>(&'a self, known: &'a dyn Fn(&str) -> bool) -> impl Iterator<Item = &'a str> {
        let names = self.before.names().chain(self.after.names());
        names.filter(move |name| !known(name))
    }

    /// Returns the breakpoints of the sub-graph in this node: those named `node/inner`, as `inner`; `None`
    /// when there are none.
    pub(crate) fn within(&self, node: &str) -> Option<Self> {
        let inside = |set: &NodeSet| {
            let names = set.names().filter_map(|name| name.strip_prefix(node)?.strip_prefix('/'));
            NodeSet::Named(names.map(str::to_owned).collect())
        };
        let inner = Self { before: inside(&self.before), after: inside(&self.after) };
        (inner != Self::none()).then_some(inner)
    }

    /// Returns the breakpoints for one run, by node index; `None` when there are none. `is_passing` is true
    /// when the run continues from a breakpoint, where it does not stop again.
    pub(crate) fn activate(&self, planner: &Planner, is_passing: bool) -> Option<ActiveBreakpoints> {
        (*self != Self::none()).then(|| ActiveBreakpoints {
            before: self.before.resolve(planner),
            after: self.after.resolve(planner),
            last: Vec::new(),
            is_passing,
        })
    }
}

impl NodeSet {
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

/// The [`Breakpoints`] of a run in progress, by node index, with the nodes of its last superstep.
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
    /// Stores the nodes of the superstep that has just ended, for the breakpoints after them.
    pub(crate) fn set_last(&mut self, tasks: &[ReadyTask]) {
        self.last = tasks.iter().map(|task| task.node).collect();
    }

    /// Returns the breakpoint between the last superstep and `next`; `None` when there is none, and at the
    /// first call after a resume from a breakpoint.
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
