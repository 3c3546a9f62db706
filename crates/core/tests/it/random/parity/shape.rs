//! Random graphs as data: nodes, how each leads on, what it sends, when it writes. `build.rs` makes graphs of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use stategraph_core::State;

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Walk {
    /// Number of runs of each node.
    #[state(reduce = tally, delta = usize)]
    pub(super) runs: Vec<u64>,
    /// The nodes in the order in which their updates were folded, with their items.
    #[state(append)]
    pub(super) log: Vec<String>,
    /// Written by some nodes, under a condition.
    #[state(add)]
    pub(super) sum: u64,
    /// The same; of two writers in one superstep neither counts.
    pub(super) last: u64,
}

fn tally(runs: &mut Vec<u64>, node: usize) {
    runs.resize(runs.len().max(node + 1), 0);
    runs[node] += 1;
}

impl Walk {
    pub(super) fn runs_of(&self, node: usize) -> u64 {
        self.runs.get(node).copied().unwrap_or(0)
    }
}

/// The way in which a node leads on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    Edges,
    Goto,
    /// In LangGraph it goes to its choice and its worker, and its edges are followed besides. Here it goes to all of them (D2).
    GotoBesideEdges,
}

/// The item of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Nothing,
    Number,
}

/// Holds while the node `of` has run less than `under` times. In a worker that depends on its item instead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Under {
    pub(super) of: usize,
    pub(super) under: u64,
}

/// Leads to `few` while the condition holds, to `many` afterwards.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    pub(super) when: Under,
    pub(super) few: usize,
    pub(super) many: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Items {
    pub(super) count: u32,
    pub(super) worker: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) lead: Lead,
    pub(super) deferred: bool,
    /// Every node leads to `END` as well, so that no graph has a defect.
    pub(super) edges: BTreeSet<usize>,
    pub(super) choice: Option<Choice>,
    /// The items that it sends to its worker in every visit.
    pub(super) items: Option<Items>,
    /// The item that it takes; `None` unless it is a worker.
    pub(super) takes: Option<Taken>,
    /// A worker that sends itself the next lower number.
    pub(super) counts_down: bool,
    /// It adds to the sum.
    pub(super) adds: Option<Under>,
    /// It writes the channel that takes one write a superstep.
    pub(super) sets: Option<Under>,
}

#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) nodes: Vec<Node>,
    pub(super) joins: BTreeSet<(BTreeSet<usize>, usize)>,
    /// The nodes besides those that nothing leads to.
    pub(super) start: BTreeSet<usize>,
    /// The names in the order of the nodes.
    pub(super) names: Vec<String>,
}

impl Node {
    /// Returns all nodes that it can lead to without an item.
    pub(super) fn targets(&self) -> BTreeSet<usize> {
        let chosen = self.choice.iter().flat_map(|choice| [choice.few, choice.many]);
        self.edges.iter().copied().chain(chosen).collect()
    }

    /// Returns true when it has edges besides its `goto` in LangGraph.
    pub(super) fn goes_besides_edges(&self) -> bool {
        self.lead == Lead::GotoBesideEdges && !self.edges.is_empty()
    }
}

impl Shape {
    pub(super) fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    pub(super) fn number(&self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).expect("the name of a node")
    }

    /// Returns the nodes that a run starts with: those that were drawn, and of those that they do not lead to as many as it takes.
    pub(super) fn entries(&self) -> BTreeSet<usize> {
        let (mut entries, mut reached) = (self.start.clone(), BTreeSet::new());
        self.start.iter().for_each(|at| self.reach(*at, &mut reached));
        for (at, node) in self.nodes.iter().enumerate() {
            if node.takes.is_none() && !reached.contains(&at) {
                entries.insert(at);
                self.reach(at, &mut reached);
            }
        }
        entries
    }

    /// Adds the nodes that can be reached from this one.
    fn reach(&self, at: usize, reached: &mut BTreeSet<usize>) {
        if !reached.insert(at) {
            return;
        }
        let joins = self.joins.iter().filter(|(sources, _)| sources.contains(&at)).map(|(_, target)| *target);
        let worker = self.nodes[at].items.map(|items| items.worker);
        let targets = self.nodes[at].targets().into_iter().chain(joins).chain(worker);
        targets.for_each(|target| self.reach(target, reached));
    }
}
