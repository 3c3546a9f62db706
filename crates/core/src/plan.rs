//! Decides the next tasks. Pure, untyped, synchronous: never awaits, never reads the state or the clock; see `run_loop.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Edges, JoinProgress};
use super::dispatch::DispatchItem;
use super::draft::{Draft, DraftEdge, END, START, Timing};

/// The index of a node of a compiled graph: the rank of its name in sorted order, so that the order of tasks
/// does not depend on the order of declaration.
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

/// The target of an edge; `None` is `END`.
pub(crate) type Target = Option<NodeIx>;

/// The index of a conditional edge among all edges of the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BranchIx(pub(crate) usize);

/// The index of a fan-out among all edges of the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FanOutIx(pub(crate) usize);

/// A task of the next superstep. A node can have several, each with an item of its own.
#[derive(Debug, Clone)]
pub(crate) struct ReadyTask {
    pub(crate) node: NodeIx,
    /// The item of a dispatched task; `None` for a task that an edge or `goto` led to.
    pub(crate) item: Option<DispatchItem>,
}

impl ReadyTask {
    pub(crate) fn without_item(node: NodeIx) -> Self {
        Self { node, item: None }
    }

    /// Returns true for the same node with the very same item. Equal items of two dispatches are two tasks.
    pub(crate) fn is_same_task(&self, other: &Self) -> bool {
        let same_item = match (&self.item, &other.item) {
            (None, None) => true,
            (Some(item), Some(other)) => item.is_same(other),
            _ => false,
        };
        self.node == other.node && same_item
    }
}

/// The route that a task chose itself, checked and with node indexes instead of names. `resolve_route` makes
/// it, the planner follows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResolvedRoute {
    pub(crate) goto: Vec<Target>,
    pub(crate) dispatch: Vec<ReadyTask>,
    /// Followed when the edges of the node count as well.
    pub(crate) edges: Edges,
    /// The nodes of the outer graph that run next, chosen with `goto_parent`.
    pub(crate) parent: Vec<Arc<str>>,
    /// The state that the node's sub-graph starts with the next time.
    pub(crate) remember: Option<Box<RawValue>>,
}

impl ResolvedRoute {
    /// Returns the route in a box; `None` when it chooses nothing and leaves the edges as they are.
    pub(crate) fn or_none(self) -> Option<Box<Self>> {
        let Self { goto, dispatch, edges, parent, remember } = &self;
        let is_empty = goto.is_empty() && dispatch.is_empty() && parent.is_empty() && remember.is_none();
        (!is_empty || *edges == Edges::Replaced).then(|| Box::new(self))
    }
}

/// The decisions that depend on the state. The planner calls these methods; the compiled graph answers with
/// the closures of the user.
pub(crate) trait Decide {
    /// Returns the targets of the arm that a conditional edge chooses.
    fn branch(&self, branch: BranchIx) -> &[NodeIx];
    /// Returns the items that a fan-out makes from the state.
    fn items(&self, fan_out: FanOutIx) -> Vec<DispatchItem>;
}

/// The edges that lead out of a node or of `START`.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutEdges {
    targets: Vec<NodeIx>,
    branches: Vec<BranchIx>,
    fan_outs: Vec<FanOut>,
    /// Each join with the position of the node among its sources.
    joins: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy)]
struct FanOut {
    edge: FanOutIx,
    target: NodeIx,
    /// The node that runs when there are no items.
    empty: Target,
}

#[derive(Debug, Clone)]
struct Join {
    sources: Vec<NodeIx>,
    target: Target,
}

/// The arrivals at one join: for each source, true if it has run since the target last ran. A source that
/// runs again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JoinArrivals(Vec<bool>);

impl JoinArrivals {
    fn is_complete(&self) -> bool {
        self.0.iter().all(|here| *here)
    }

    /// Marks the source at `position` as arrived. Returns true if it was the last one missing.
    fn add(&mut self, position: usize) -> bool {
        !std::mem::replace(&mut self.0[position], true) && self.is_complete()
    }

    fn reset(&mut self) {
        self.0.fill(false);
    }
}

/// The planner of a compiled graph: its edges by node index. Compiling a graph makes it; every run asks it
/// for the next tasks.
#[derive(Debug, Clone)]
pub(crate) struct Planner {
    names: Arc<[Arc<str>]>,
    entry: OutEdges,
    exits: Vec<OutEdges>,
    joins: Vec<Join>,
    /// The nodes that run only when nothing else is left to run (F20).
    deferred: BTreeSet<NodeIx>,
}

/// The part of a run's state that remembers which joins are partly reached and which deferred nodes wait.
/// Checkpoints store it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Arrivals {
    /// By join. The target of a complete join is planned or deferred; the join stays complete until its target has run.
    joins: Vec<JoinArrivals>,
    /// The deferred nodes that an edge or `goto` has led to.
    deferred: BTreeSet<NodeIx>,
}

impl Arrivals {
    /// Returns true when a deferred node waits.
    pub(crate) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }
}

impl Planner {
    /// Makes the planner of a draft, which must have no defects: an unknown name panics.
    pub(crate) fn new(draft: &Draft) -> Self {
        let mut names: Vec<Arc<str>> = draft.nodes.iter().map(|node| node.name.as_str().into()).collect();
        names.sort();
        let index: BTreeMap<Arc<str>, NodeIx> =
            names.iter().enumerate().map(|(at, name)| (name.clone(), NodeIx::new(at))).collect();
        let deferred = draft.nodes.iter().filter(|node| node.timing == Timing::Deferred);
        let mut planner = Self {
            entry: OutEdges::default(),
            exits: vec![OutEdges::default(); names.len()],
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

    fn exits_of(&mut self, name: &str, index: &BTreeMap<Arc<str>, NodeIx>) -> &mut OutEdges {
        if name == START { &mut self.entry } else { &mut self.exits[index[name].at()] }
    }

    /// Returns the names of the nodes, in the order of their indexes.
    pub(crate) fn names(&self) -> &Arc<[Arc<str>]> {
        &self.names
    }

    /// Returns the node with this name; `None` when there is none.
    pub(crate) fn node(&self, name: &str) -> Option<NodeIx> {
        self.names.binary_search_by(|known| known.as_ref().cmp(name)).ok().map(NodeIx::new)
    }

    /// Returns the arrivals of a run in which no join is reached and no deferred node waits.
    pub(crate) fn no_arrivals(&self) -> Arrivals {
        let joins = self.joins.iter().map(|join| JoinArrivals(vec![false; join.sources.len()])).collect();
        Arrivals { joins, deferred: BTreeSet::new() }
    }

    /// Returns the first tasks of a run, which the edges from `START` lead to. Resets `arrivals` before.
    pub(crate) fn plan_start(&self, decide: &impl Decide, arrivals: &mut Arrivals) -> Vec<ReadyTask> {
        *arrivals = self.no_arrivals();
        let mut successors = Successors::default();
        self.follow(&self.entry, decide, arrivals, &mut successors);
        self.schedule(successors, arrivals)
    }

    /// Returns the tasks after the finished ones, which are in task order. Nodes that edges and `goto` lead to come first, each once, by
    /// name; then the dispatched tasks, in the order of dispatch (F19, F21).
    pub(crate) fn plan_next<'a>(
        &self,
        finished: impl Iterator<Item = (NodeIx, Option<&'a ResolvedRoute>)> + Clone,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
    ) -> Vec<ReadyTask> {
        self.reset_joins(&finished.clone().map(|(node, _)| node), arrivals);
        let successors = self.successors(finished, decide, arrivals);
        self.schedule(successors, arrivals)
    }

    /// Resets each complete join whose target is among the nodes `ran`, so that it waits for all its sources
    /// again. The caller does this before it follows the edges of those nodes: an arrival in the same
    /// superstep then counts for the next time, whatever the nodes are called (F4). An incomplete join keeps
    /// its arrivals when another edge made its target run.
    pub(crate) fn reset_joins(&self, ran: &(impl Iterator<Item = NodeIx> + Clone), arrivals: &mut Arrivals) {
        for (join, arrived) in self.joins.iter().zip(&mut arrivals.joins) {
            if arrived.is_complete() && ran.clone().any(|node| join.target == Some(node)) {
                arrived.reset();
            }
        }
    }

    /// Returns the tasks that finished tasks lead to, before deferred nodes are held back.
    pub(crate) fn successors<'a>(
        &self,
        finished: impl IntoIterator<Item = (NodeIx, Option<&'a ResolvedRoute>)>,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
    ) -> Successors {
        let finished = finished.into_iter();
        let mut successors = Successors::default();
        // A single task needs no list of the nodes that were followed, and most supersteps are of one task.
        let is_alone = finished.size_hint().1 == Some(1);
        let mut followed = if is_alone { Vec::new() } else { vec![false; self.exits.len()] };
        for (node, route) in finished {
            let is_replaced = route.is_some_and(|route| route.edges == Edges::Replaced);
            if let Some(route) = route {
                let goto = route.goto.iter().flatten().copied();
                successors.pulled.extend(goto.map(ReadyTask::without_item));
                successors.dispatched.extend(route.dispatch.iter().cloned());
            }
            // The edges of a node count once, even if several tasks ran it, because they depend on the state alone.
            let is_followed = |followed: &mut bool| std::mem::replace(followed, true);
            if !is_replaced && !followed.get_mut(node.at()).is_some_and(is_followed) {
                self.follow(&self.exits[node.at()], decide, arrivals, &mut successors);
            }
        }
        successors
    }

    fn follow(
        &self,
        exits: &OutEdges,
        decide: &impl Decide,
        arrivals: &mut Arrivals,
        successors: &mut Successors,
    ) {
        let Successors { pulled, dispatched } = successors;
        pulled.extend(exits.targets.iter().copied().map(ReadyTask::without_item));
        let chosen = exits.branches.iter().flat_map(|branch| decide.branch(*branch));
        pulled.extend(chosen.copied().map(ReadyTask::without_item));
        for fan_out in &exits.fan_outs {
            let items = decide.items(fan_out.edge);
            if items.is_empty() {
                pulled.extend(fan_out.empty.map(ReadyTask::without_item));
            }
            let sent = items.into_iter().map(|item| ReadyTask { node: fan_out.target, item: Some(item) });
            dispatched.extend(sent);
        }
        for (join, position) in &exits.joins {
            let arrived = &mut arrivals.joins[*join];
            if arrived.add(*position) {
                match self.joins[*join].target {
                    Some(target) => pulled.push(ReadyTask::without_item(target)),
                    // `END` never runs, so nothing else would begin the next round.
                    None => arrived.reset(),
                }
            }
        }
    }

    /// Returns the tasks of the next superstep: each node once, by name, then the dispatched tasks. Moves
    /// deferred nodes to `arrivals` for as long as there are other tasks; returns all of them when there are
    /// none.
    pub(crate) fn schedule(&self, successors: Successors, arrivals: &mut Arrivals) -> Vec<ReadyTask> {
        let Successors { pulled: mut next, mut dispatched } = successors;
        next.sort_unstable_by_key(|task| task.node);
        next.dedup_by_key(|task| task.node);
        if !self.deferred.is_empty() {
            let held_back = next.extract_if(.., |task| self.deferred.contains(&task.node));
            arrivals.deferred.extend(held_back.map(|task| task.node));
            if next.is_empty() && dispatched.is_empty() {
                next.extend(std::mem::take(&mut arrivals.deferred).into_iter().map(ReadyTask::without_item));
            }
        }
        next.append(&mut dispatched);
        next
    }

    /// Returns the names of the deferred nodes that wait, for a checkpoint.
    pub(crate) fn deferred_names(&self, arrivals: &Arrivals) -> Vec<Arc<str>> {
        if arrivals.deferred.is_empty() {
            return Vec::new();
        }
        arrivals.deferred.iter().map(|node| self.names[node.at()].clone()).collect()
    }

    /// Returns the joins that at least one source has reached since the target last ran, in the form of a
    /// checkpoint.
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

    /// Returns the index of the join that a checkpoint means: the one at its position or, where an edit of
    /// the graph moved the joins, one with the same target and sources. `None` when the graph has no such
    /// join.
    fn find_join(&self, waiting: &JoinProgress) -> Option<usize> {
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

    /// Restores the arrivals from a checkpoint. Leaves out joins that the graph no longer has. Adds the
    /// target of a join to `next` when an edit of the graph took away the sources that were missing.
    pub(crate) fn restore_arrivals(
        &self,
        progress: &[JoinProgress],
        deferred: BTreeSet<NodeIx>,
        next: &mut Vec<ReadyTask>,
    ) -> Arrivals {
        let mut arrivals = Arrivals { deferred, ..self.no_arrivals() };
        for waiting in progress {
            let Some(at) = self.find_join(waiting) else { continue };
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

/// The tasks that finished tasks lead to, before `schedule` sorts them and holds back deferred nodes.
#[derive(Default)]
pub(crate) struct Successors {
    /// Tasks without an item; a node may be there several times.
    pulled: Vec<ReadyTask>,
    dispatched: Vec<ReadyTask>,
}

impl Successors {
    /// Adds tasks that are planned already.
    pub(crate) fn add(&mut self, planned: impl IntoIterator<Item = ReadyTask>) {
        for task in planned {
            match task.item {
                None => self.pulled.push(task),
                Some(_) => self.dispatched.push(task),
            }
        }
    }
}
