//! Decides the next tasks. Pure, untyped, synchronous: never awaits, never reads the state or the clock; see `drive.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Edges, JoinProgress};
use super::dispatch::Item;
use super::draft::{Draft, DraftEdge, END, START, Timing};

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

/// A fan-out by its position among the draft's edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FanOutIx(pub(crate) usize);

/// A task of the next superstep.
#[derive(Debug, Clone)]
pub(crate) struct ReadyTask {
    pub(crate) node: NodeIx,
    /// What it was dispatched with; none for a task that an edge or `goto` found to.
    pub(crate) item: Option<Item>,
}

impl ReadyTask {
    pub(crate) fn without_item(node: NodeIx) -> Self {
        Self { node, item: None }
    }

    /// Returns true for the same node with the very same item: two that are equal are two tasks.
    pub(crate) fn is_same_task(&self, other: &Self) -> bool {
        let same_item = match (&self.item, &other.item) {
            (None, None) => true,
            (Some(item), Some(other)) => item.is_same(other),
            _ => false,
        };
        self.node == other.node && same_item
    }
}

/// Where a task went by itself, besides or instead of the edges of its node.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResolvedRoute {
    pub(crate) goto: Vec<Target>,
    pub(crate) dispatch: Vec<ReadyTask>,
    pub(crate) edges: Edges,
    /// Where it sends the graph around.
    pub(crate) parent: Vec<Arc<str>>,
    /// The state that the node's sub-graph starts with the next time.
    pub(crate) remember: Option<Box<RawValue>>,
}

impl ResolvedRoute {
    /// Nothing, when it leads nowhere.
    pub(crate) fn or_none(self) -> Option<Box<Self>> {
        let Self { goto, dispatch, edges, parent, remember } = &self;
        let stays = goto.is_empty() && dispatch.is_empty() && parent.is_empty() && remember.is_none();
        (!stays || *edges == Edges::Replaced).then(|| Box::new(self))
    }
}

/// What depends on the state: asked by the planner, answered by the graph.
pub(crate) trait Decide {
    fn branch(&self, branch: BranchIx) -> Target;
    fn items(&self, fan_out: FanOutIx) -> Vec<Item>;
}

/// What leads on from a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exits {
    targets: Vec<NodeIx>,
    branches: Vec<BranchIx>,
    fan_outs: Vec<FanOut>,
    joins: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct FanOut {
    edge: FanOutIx,
    target: NodeIx,
    /// What runs when there are no items.
    empty: Target,
}

#[derive(Debug, Clone)]
struct Join {
    sources: Vec<NodeIx>,
    target: Target,
}

/// The sources of a join that have arrived since its target last ran. They are a set: a source that arrives again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Arrived(Vec<bool>);

impl Arrived {
    fn is_complete(&self) -> bool {
        self.0.iter().all(|here| *here)
    }

    /// Adds a source; true if it was the last one missing.
    fn completes(&mut self, position: usize) -> bool {
        !std::mem::replace(&mut self.0[position], true) && self.is_complete()
    }

    fn reset(&mut self) {
        self.0.fill(false);
    }
}

/// The edges of a compiled graph, by index.
#[derive(Debug, Clone)]
pub(crate) struct Planner {
    names: Arc<[Arc<str>]>,
    entry: Exits,
    exits: Vec<Exits>,
    joins: Vec<Join>,
    /// The nodes that run when nothing else does (F20); empty when there are none.
    deferred: BTreeSet<NodeIx>,
}

/// What has been reached and does not run yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// By join. One that is complete has a target that is planned or deferred, and stays complete until that target has run.
    joins: Vec<Arrived>,
    /// The deferred nodes that something found to.
    deferred: BTreeSet<NodeIx>,
}

impl Arrivals {
    /// Whether a deferred node waits.
    pub(crate) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }
}

impl Planner {
    /// Indexes a draft that has no defects.
    pub(crate) fn new(draft: &Draft) -> Self {
        let mut names: Vec<Arc<str>> = draft.nodes.iter().map(|node| node.name.as_str().into()).collect();
        names.sort();
        let index: BTreeMap<Arc<str>, NodeIx> =
            names.iter().enumerate().map(|(at, name)| (name.clone(), NodeIx::new(at))).collect();
        let deferred = draft.nodes.iter().filter(|node| node.timing == Timing::Deferred);
        let mut planner = Self {
            entry: Exits::default(),
            exits: vec![Exits::default(); names.len()],
            joins: Vec::new(),
            deferred: deferred.map(|node| index[node.name.as_str()]).collect(),
            names: names.into(),
        };
        for (at, edge) in draft.edges.iter().enumerate() {
            planner.add(at, edge, &index);
        }
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
            DraftEdge::FanOut { from, to, empty } => {
                let empty = empty.as_ref().and_then(target);
                let fan_out = FanOut { edge: FanOutIx(at), target: index[to.as_str()], empty };
                self.exits_of(from, index).fan_outs.push(fan_out);
            }
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
        let joins = self.joins.iter().map(|join| Arrived(vec![false; join.sources.len()])).collect();
        Arrivals { joins, deferred: BTreeSet::new() }
    }

    /// The first tasks of a run.
    pub(crate) fn plan_start(
        &self,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
        next: &mut Vec<ReadyTask>,
    ) {
        *arrivals = self.no_arrivals();
        let mut found = Successors::default();
        self.follow(&self.entry, decide, arrivals, &mut found);
        self.schedule(found, arrivals, next);
    }

    /// The tasks after these have finished: each with where it went by itself, in task order. Nodes that edges and `goto` found to
    /// come first, each once, by name; then what was dispatched, in the order of dispatch (F19, F21).
    pub(crate) fn plan_next<'a>(
        &self,
        finished: impl Iterator<Item = (NodeIx, Option<&'a ResolvedRoute>)> + Clone,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
        next: &mut Vec<ReadyTask>,
    ) {
        self.reset_joins(&finished.clone().map(|(node, _)| node), arrivals);
        let found = self.successors(finished, decide, arrivals);
        self.schedule(found, arrivals, next);
    }

    /// Begins the next round of the complete joins that lead to nodes which have just run. Called before anything follows those
    /// nodes, so that an arrival in the superstep in which a target runs counts for its next round, whatever the nodes are called
    /// (F4). A join that is not complete keeps its arrivals when something else made its target run.
    pub(crate) fn reset_joins(&self, ran: &(impl Iterator<Item = NodeIx> + Clone), arrivals: &mut Arrivals) {
        for (join, arrived) in self.joins.iter().zip(&mut arrivals.joins) {
            if arrived.is_complete() && ran.clone().any(|node| join.target == Some(node)) {
                arrived.reset();
            }
        }
    }

    /// Where finished tasks lead, before it becomes a plan.
    pub(crate) fn successors<'a>(
        &self,
        finished: impl IntoIterator<Item = (NodeIx, Option<&'a ResolvedRoute>)>,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
    ) -> Successors {
        let mut found = Successors::default();
        let mut followed = vec![false; self.exits.len()];
        for (node, route) in finished {
            let replaced = route.is_some_and(|route| route.edges == Edges::Replaced);
            if let Some(route) = route {
                found.pulled.extend(route.goto.iter().flatten());
                found.dispatched.extend(route.dispatch.iter().cloned());
            }
            // Of a node that several tasks ran, the edges count once: they depend on the state alone.
            if !replaced && !std::mem::replace(&mut followed[node.at()], true) {
                self.follow(&self.exits[node.at()], decide, arrivals, &mut found);
            }
        }
        found
    }

    fn follow(&self, exits: &Exits, decide: &impl Decide, arrivals: &mut Arrivals, found: &mut Successors) {
        found.pulled.extend_from_slice(&exits.targets);
        found.pulled.extend(exits.branches.iter().filter_map(|branch| decide.branch(*branch)));
        for fan_out in &exits.fan_outs {
            let items = decide.items(fan_out.edge);
            if items.is_empty() {
                found.pulled.extend(fan_out.empty);
            }
            let sent = items.into_iter().map(|item| ReadyTask { node: fan_out.target, item: Some(item) });
            found.dispatched.extend(sent);
        }
        for (join, position) in &exits.joins {
            let arrived = &mut arrivals.joins[*join];
            if arrived.completes(*position) {
                match self.joins[*join].target {
                    Some(target) => found.pulled.push(target),
                    // `END` never runs, so nothing else would begin the next round.
                    None => arrived.reset(),
                }
            }
        }
    }

    /// Makes tasks of what was found to; holds back the deferred nodes for as long as there is anything else.
    pub(crate) fn schedule(&self, mut found: Successors, arrivals: &mut Arrivals, next: &mut Vec<ReadyTask>) {
        found.pulled.sort_unstable();
        found.pulled.dedup();
        if !self.deferred.is_empty() {
            let held = found.pulled.extract_if(.., |node| self.deferred.contains(node));
            arrivals.deferred.extend(held);
            if found.pulled.is_empty() && found.dispatched.is_empty() {
                found.pulled.extend(std::mem::take(&mut arrivals.deferred));
            }
        }
        next.clear();
        next.extend(found.pulled.into_iter().map(ReadyTask::without_item));
        next.append(&mut found.dispatched);
    }

    /// The deferred nodes that wait, for a checkpoint.
    pub(crate) fn deferred_names(&self, arrivals: &Arrivals) -> Vec<Arc<str>> {
        if arrivals.deferred.is_empty() {
            return Vec::new();
        }
        arrivals.deferred.iter().map(|node| self.names[node.at()].clone()).collect()
    }

    /// The joins that sources have reached since their targets last ran, for a checkpoint.
    pub(crate) fn join_progress(&self, arrivals: &Arrivals) -> Vec<JoinProgress> {
        if self.joins.is_empty() {
            return Vec::new();
        }
        let under_way = self.joins.iter().zip(&arrivals.joins).enumerate();
        under_way
            .filter(|(_, (_, arrived))| arrived.0.contains(&true))
            .map(|(at, (join, arrived))| JoinProgress {
                node: self.target_name(join),
                join: u32::try_from(at).expect("a graph has fewer than 2^32 joins"),
                arrived: join
                    .sources
                    .iter()
                    .zip(&arrived.0)
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
    pub(crate) fn restore_arrivals(
        &self,
        progress: &[JoinProgress],
        deferred: BTreeSet<NodeIx>,
        next: &mut Vec<ReadyTask>,
    ) -> Arrivals {
        let mut arrivals = Arrivals { deferred, ..self.no_arrivals() };
        for waiting in progress {
            let Some(at) = self.join_of(waiting) else { continue };
            let join = &self.joins[at];
            for name in &waiting.arrived {
                let position = join.sources.iter().position(|source| self.names[source.at()] == *name);
                if let Some(position) = position {
                    arrivals.joins[at].0[position] = true;
                }
            }
            let is_planned =
                |node: NodeIx| arrivals.deferred.contains(&node) || next.iter().any(|task| task.node == node);
            let arrived = &mut arrivals.joins[at];
            // An edit of the graph took away the sources that were missing, so nothing has planned the target yet.
            if arrived.is_complete() && !join.target.is_some_and(is_planned) {
                match join.target {
                    Some(target) if !next.is_empty() => next.push(ReadyTask::without_item(target)),
                    // A thread that is done stays so.
                    _ => arrived.reset(),
                }
            }
        }
        arrivals
    }
}

/// What the end of a superstep found to.
#[derive(Default)]
pub(crate) struct Successors {
    pulled: Vec<NodeIx>,
    dispatched: Vec<ReadyTask>,
}

impl Successors {
    /// Adds tasks that are planned already.
    pub(crate) fn add(&mut self, planned: impl IntoIterator<Item = ReadyTask>) {
        for task in planned {
            match task.item {
                None => self.pulled.push(task.node),
                Some(_) => self.dispatched.push(task),
            }
        }
    }
}
