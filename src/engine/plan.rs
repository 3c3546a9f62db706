//! Decides the next tasks. Pure, untyped, synchronous: never awaits, never reads the state or the clock; see `drive.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::checkpoint::JoinProgress;
use super::draft::{Draft, DraftEdge, END, START};

/// A node by its rank among the names, so that the order of tasks does not depend on the order of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIx(u32);

impl NodeIx {
    pub(crate) fn new(at: usize) -> Self {
        Self(u32::try_from(at).expect("a graph has fewer than 2^32 nodes"))
    }

    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// Where an edge leads; `None` is `END`.
pub(crate) type Target = Option<NodeIx>;

/// A branch by its position among the draft's edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BranchIx(pub(crate) usize);

/// What leads on from a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exits {
    pub(crate) targets: Vec<NodeIx>,
    pub(crate) branches: Vec<BranchIx>,
    joins: Vec<(usize, usize)>,
}

/// A single way on: what a node in a loop usually has.
#[derive(Debug, Clone, Copy)]
enum OnlyExit {
    Edge(NodeIx),
    Branch(BranchIx),
}

#[derive(Debug, Clone)]
struct Join {
    sources: Vec<NodeIx>,
    target: Target,
}

/// The edges of a compiled graph, by index.
#[derive(Debug, Clone)]
pub(crate) struct Planner {
    names: Arc<[Arc<str>]>,
    entry: Exits,
    exits: Vec<Exits>,
    joins: Vec<Join>,
    /// The exit of each node that has just one.
    only: Vec<Option<OnlyExit>>,
}

/// Which sources of each join have arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arrivals(Vec<Vec<bool>>);

impl Planner {
    /// Indexes a draft that has no defects.
    pub(crate) fn new(draft: &Draft) -> Self {
        let mut names: Vec<Arc<str>> = draft.nodes.iter().map(|node| node.name.as_str().into()).collect();
        names.sort();
        let index: BTreeMap<Arc<str>, NodeIx> =
            names.iter().enumerate().map(|(at, name)| (name.clone(), NodeIx::new(at))).collect();
        let mut planner = Self {
            entry: Exits::default(),
            exits: vec![Exits::default(); names.len()],
            joins: Vec::new(),
            only: Vec::new(),
            names: names.into(),
        };
        for (at, edge) in draft.edges.iter().enumerate() {
            planner.add(at, edge, &index);
        }
        let only = |exits: &Exits| match (&exits.targets[..], &exits.branches[..], &exits.joins[..]) {
            ([target], [], []) => Some(OnlyExit::Edge(*target)),
            ([], [branch], []) => Some(OnlyExit::Branch(*branch)),
            _ => None,
        };
        planner.only = planner.exits.iter().map(only).collect();
        planner
    }

    fn add(&mut self, at: usize, edge: &DraftEdge, index: &BTreeMap<Arc<str>, NodeIx>) {
        let target = |name: &String| (name != END).then(|| index[name.as_str()]);
        match edge {
            DraftEdge::Static { from, to } => {
                let target = target(to);
                self.exits_of(from, index).targets.extend(target);
            }
            DraftEdge::Branch { from, .. } => self.exits_of(from, index).branches.push(BranchIx(at)),
            DraftEdge::Join { from, to } => {
                let join = self.joins.len();
                for (position, source) in from.iter().enumerate() {
                    self.exits_of(source, index).joins.push((join, position));
                }
                let sources = from.iter().map(|name| index[name.as_str()]).collect();
                self.joins.push(Join { sources, target: target(to) });
            }
        }
    }

    fn exits_of(&mut self, name: &str, index: &BTreeMap<Arc<str>, NodeIx>) -> &mut Exits {
        if name == START { &mut self.entry } else { &mut self.exits[index[name].at()] }
    }

    /// The names, in the order of the indexes.
    pub(crate) fn names(&self) -> &Arc<[Arc<str>]> {
        &self.names
    }

    /// The node of this name.
    pub(crate) fn node(&self, name: &str) -> Option<NodeIx> {
        self.names.binary_search_by(|known| known.as_ref().cmp(name)).ok().map(NodeIx::new)
    }

    /// Nothing has arrived anywhere.
    pub(crate) fn no_arrivals(&self) -> Arrivals {
        Arrivals(self.joins.iter().map(|join| vec![false; join.sources.len()]).collect())
    }

    /// The first tasks of a run.
    pub(crate) fn start(&self, choose: impl FnMut(BranchIx) -> Target, next: &mut Vec<NodeIx>) {
        next.clear();
        let mut arrivals = self.no_arrivals();
        self.follow(&self.entry, choose, &mut arrivals, next);
        tidy(next);
    }

    /// The tasks after these have finished: each with where it went by `goto`, in task order. Every node once, sorted.
    pub(crate) fn advance<'a>(
        &self,
        finished: impl IntoIterator<Item = (NodeIx, &'a [Target])>,
        mut choose: impl FnMut(BranchIx) -> Target,
        arrivals: &mut Arrivals,
        next: &mut Vec<NodeIx>,
    ) {
        next.clear();
        for (node, goto) in finished {
            next.extend(goto.iter().flatten());
            self.follow(&self.exits[node.at()], &mut choose, arrivals, next);
        }
        tidy(next);
    }

    /// [`advance`](Self::advance) for a superstep of one task.
    #[inline]
    pub(crate) fn advance_one(
        &self,
        node: NodeIx,
        goto: &[Target],
        mut choose: impl FnMut(BranchIx) -> Target,
        arrivals: &mut Arrivals,
        next: &mut Vec<NodeIx>,
    ) {
        match self.only[node.at()] {
            Some(OnlyExit::Edge(target)) => {
                next.clear();
                next.push(target);
            }
            Some(OnlyExit::Branch(branch)) => {
                next.clear();
                next.extend(choose(branch));
            }
            None => self.advance([(node, goto)], choose, arrivals, next),
        }
    }

    fn follow(
        &self,
        exits: &Exits,
        mut choose: impl FnMut(BranchIx) -> Target,
        arrivals: &mut Arrivals,
        next: &mut Vec<NodeIx>,
    ) {
        next.extend_from_slice(&exits.targets);
        next.extend(exits.branches.iter().filter_map(|branch| choose(*branch)));
        for (join, position) in &exits.joins {
            let arrived = &mut arrivals.0[*join];
            arrived[*position] = true;
            if arrived.iter().all(|here| *here) {
                arrived.fill(false);
                next.extend(self.joins[*join].target);
            }
        }
    }

    /// The joins under way, for a checkpoint.
    pub(crate) fn progress(&self, arrivals: &Arrivals) -> Vec<JoinProgress> {
        if self.joins.is_empty() {
            return Vec::new();
        }
        let under_way = self.joins.iter().zip(&arrivals.0).enumerate();
        under_way
            .filter(|(_, (_, arrived))| arrived.contains(&true))
            .map(|(at, (join, arrived))| JoinProgress {
                node: self.target_name(join),
                join: u32::try_from(at).expect("a graph has fewer than 2^32 joins"),
                arrived: join
                    .sources
                    .iter()
                    .zip(arrived)
                    .filter(|(_, here)| **here)
                    .map(|(source, _)| self.names[source.at()].clone())
                    .collect(),
            })
            .collect()
    }

    /// The join that a checkpoint means: the one at its place, or, where the joins have moved, one that waits as it did.
    fn join_of(&self, waiting: &JoinProgress) -> Option<usize> {
        let is_meant = |join: &Join| {
            let source = |name: &Arc<str>| join.sources.iter().any(|source| self.names[source.at()] == *name);
            self.target_name(join) == waiting.node && waiting.arrived.iter().all(source)
        };
        let at = waiting.join as usize;
        match self.joins.get(at).filter(|join| is_meant(join)) {
            Some(_) => Some(at),
            None => self.joins.iter().position(is_meant),
        }
    }

    fn target_name(&self, join: &Join) -> Arc<str> {
        join.target.map_or_else(|| END.into(), |node| self.names[node.at()].clone())
    }

    /// Reads back what a checkpoint says. Joins that the graph no longer has are left out.
    pub(crate) fn arrivals(&self, progress: &[JoinProgress]) -> Arrivals {
        let mut arrivals = self.no_arrivals();
        for waiting in progress {
            let Some(at) = self.join_of(waiting) else { continue };
            let join = &self.joins[at];
            for name in &waiting.arrived {
                let position = join.sources.iter().position(|source| self.names[source.at()] == *name);
                if let Some(position) = position {
                    arrivals.0[at][position] = true;
                }
            }
        }
        arrivals
    }
}

fn tidy(next: &mut Vec<NodeIx>) {
    if next.len() > 1 {
        next.sort_unstable();
        next.dedup();
    }
}
