//! A compiled graph: what a run needs of it, by index. Built by `builder.rs`; runs nothing itself.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::breakpoints::Breakpoints;
use super::checkpoint::{JoinProgress, PlannedTask, TaskEntry};
use super::clock::Clock;
use super::closure::{ClosurePanic, UserClosure, catch_panic};
use super::contract::CheckpointStore;
use super::dispatch::{Item, ItemType};
use super::draft::END;
use super::error::RunError;
use super::hooks::Hooks;
use super::id::Digest;
use super::long_term::LongTermStore;
use super::migrate::Reading;
use super::node::ErasedNode;
use super::plan::{BranchIx, Decide, FanOutIx, NodeIx, Planner, ReadyTask, ResolvedRoute, Target};
use super::policy::NodePolicy;
use super::state::State;
use super::topology::Topology;

/// A choice with its type erased to the state's: gives the index of a label.
pub type ErasedChoice<S> = Arc<dyn Fn(&S) -> usize + Send + Sync>;

/// Makes the items of a fan-out.
pub(crate) type Spread<S> = Arc<dyn Fn(&S) -> Vec<Item> + Send + Sync>;

/// A fan-out of a compiled graph.
pub(crate) struct CompiledFanOut<S> {
    pub(super) spread: Spread<S>,
    pub(super) from: String,
    pub(super) to: String,
}

/// A graph without defects, ready to run as often as wanted, at once too. Clones share everything.
pub struct CompiledGraph<S: State, D: Send + Sync + 'static = ()> {
    pub(crate) definition: Arc<GraphDefinition<S, D>>,
    pub(crate) services: Arc<D>,
    pub(crate) store: Option<Arc<dyn CheckpointStore>>,
    pub(crate) clock: Clock,
    pub(crate) hooks: Option<Arc<dyn Hooks>>,
    pub(crate) long_term: Option<Arc<dyn LongTermStore>>,
    pub(crate) cache: Option<Arc<dyn LongTermStore>>,
}

impl<S: State, D: Send + Sync + 'static> Clone for CompiledGraph<S, D> {
    fn clone(&self) -> Self {
        Self {
            definition: self.definition.clone(),
            services: self.services.clone(),
            store: self.store.clone(),
            clock: self.clock.clone(),
            hooks: self.hooks.clone(),
            long_term: self.long_term.clone(),
            cache: self.cache.clone(),
        }
    }
}

pub(crate) struct GraphDefinition<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) topology: Topology,
    pub(crate) digest: Digest,
    pub(crate) schema: Digest,
    /// How what is stored is read.
    pub(crate) reading: Reading<S>,
    /// What nodes were called before, by that name (D9).
    pub(crate) renames: BTreeMap<String, String>,
    pub(crate) planner: Planner,
    /// How many graphs its nodes have inside each other, as far as its shape tells.
    pub(crate) depth: usize,
    /// How nodes are run that do not say it themselves; error handlers among them.
    pub(crate) defaults: NodePolicy,
    pub(crate) breakpoints: Breakpoints,
    /// By [`NodeIx`].
    pub(crate) nodes: Vec<CompiledNode<S, D>>,
    /// By [`BranchIx`]; `None` where the draft's edge is no branch.
    pub(super) branches: Vec<Option<CompiledBranch<S>>>,
    /// By [`FanOutIx`].
    pub(super) fan_outs: BTreeMap<usize, CompiledFanOut<S>>,
}

pub(crate) struct CompiledNode<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) run: Arc<dyn ErasedNode<S, D>>,
    pub(crate) policy: NodePolicy,
    /// What runs in its place when it has failed for good.
    pub(crate) on_error: Option<Arc<dyn ErasedNode<S, D>>>,
    pub(crate) goto: Vec<String>,
    pub(crate) dispatch: Vec<String>,
    pub(crate) parent: Vec<String>,
    pub(crate) instead: Vec<String>,
    pub(crate) takes: Option<ItemType>,
}

pub(crate) struct CompiledBranch<S> {
    pub(super) choose: ErasedChoice<S>,
    /// The node that the edge comes from.
    pub(super) from: String,
    /// By the index of the label.
    pub(super) targets: Vec<Target>,
}

/// The graph's decisions on one state.
pub(crate) struct On<'a, S: State, D> {
    graph: &'a GraphDefinition<S, D>,
    state: &'a S,
    /// The first panic of a closure that was asked.
    panic: Cell<Option<Box<ClosurePanic>>>,
}

impl<S: State, D> On<'_, S, D> {
    /// Runs a closure of the user; none when it panics, which [`into_result`](Self::into_result) then tells.
    fn guarded<T>(&self, run: impl FnOnce() -> T, name: impl FnOnce() -> UserClosure) -> Option<T> {
        match catch_panic(run, name) {
            Ok(value) => Some(value),
            Err(panic) => {
                let first = self.panic.take();
                self.panic.set(first.or(Some(panic)));
                None
            }
        }
    }

    /// Fails when a closure panicked: the plan that was made with its answer is then void.
    #[inline]
    pub(crate) fn into_result(self) -> Result<(), Box<ClosurePanic>> {
        match self.panic.into_inner() {
            None => Ok(()),
            Some(panic) => Err(panic),
        }
    }
}

impl<S: State, D> Decide for On<'_, S, D> {
    fn branch(&self, branch: BranchIx) -> Target {
        let branch = self.graph.branches[branch.0].as_ref().expect("the planner numbered this branch");
        let name = || UserClosure::Branch { from: branch.from.clone() };
        self.guarded(|| branch.targets[(branch.choose)(self.state)], name).flatten()
    }

    fn items(&self, fan_out: FanOutIx) -> Vec<Item> {
        let fan_out = self.graph.fan_outs.get(&fan_out.0).expect("the planner numbered this fan-out");
        let name = || UserClosure::FanOut { from: fan_out.from.clone(), to: fan_out.to.clone() };
        self.guarded(|| (fan_out.spread)(self.state), name).unwrap_or_default()
    }
}

impl<S: State, D> GraphDefinition<S, D> {
    /// The node of this name, or of the one that it was renamed to.
    pub(crate) fn renamed(&self, name: &str) -> Option<NodeIx> {
        self.planner.node(name).or_else(|| self.planner.node(self.renames.get(name)?))
    }

    /// The joins of a checkpoint with the names that nodes have now.
    pub(crate) fn rename_joins(&self, joins: &[JoinProgress]) -> Vec<JoinProgress> {
        let now = |name: &Arc<str>| match self.renames.get(name.as_ref()) {
            Some(new) if self.planner.node(name).is_none() => new.as_str().into(),
            _ => name.clone(),
        };
        let joins = joins.iter().map(|join| JoinProgress {
            node: now(&join.node),
            join: join.join,
            arrived: join.arrived.iter().map(now).collect(),
        });
        joins.collect()
    }

    /// What it decides, given the state.
    pub(crate) fn decisions_on<'a>(&'a self, state: &'a S) -> On<'a, S, D> {
        On { graph: self, state, panic: Cell::new(None) }
    }

    pub(crate) fn node(&self, node: NodeIx) -> &CompiledNode<S, D> {
        &self.nodes[node.at()]
    }

    /// The note of a task that finished.
    pub(crate) fn finished_entry(
        &self,
        update: Option<Box<RawValue>>,
        route: Option<&ResolvedRoute>,
        planned_with: Digest,
    ) -> Result<TaskEntry, RunError> {
        let schema = (planned_with != self.schema).then_some(self.schema);
        let name = |node: NodeIx| self.node(node).name.clone();
        let goto = route.filter(|route| !route.goto.is_empty()).map(|route| {
            let target = |target: &Target| target.map_or_else(|| END.into(), name);
            route.goto.iter().map(target).collect()
        });
        let sent = route.iter().flat_map(|route| &route.dispatch).map(|task| self.planned_task(task));
        let dispatch = sent.collect::<Result<_, _>>()?;
        let (edges, parent, remember) = route
            .map(|route| (route.edges, route.parent.clone(), route.remember.clone()))
            .unwrap_or_default();
        Ok(TaskEntry::Finished { update, schema, goto, dispatch, edges, parent, remember })
    }

    fn planned_task(&self, task: &ReadyTask) -> Result<PlannedTask, RunError> {
        let node = self.node(task.node).name.clone();
        Ok(PlannedTask { item: task.item.as_ref().map(|item| item.encoded(&node)).transpose()?, node })
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// The same graph with other services.
    #[must_use]
    pub fn with_services(mut self, services: Arc<D>) -> Self {
        self.services = services;
        self
    }

    /// The same graph with a store for its checkpoints.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn CheckpointStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// The same graph with a long-term store, which its nodes reach by [`Cx::store`](super::Cx::store).
    #[must_use]
    pub fn with_long_term(mut self, store: Arc<dyn LongTermStore>) -> Self {
        self.long_term = Some(store);
        self
    }

    /// The same graph with a place for the results of nodes that have a [`CachePolicy`](super::CachePolicy).
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<dyn LongTermStore>) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The same graph with somebody who is told of the life of its runs (F38).
    #[must_use]
    pub fn with_hooks(mut self, hooks: Arc<dyn Hooks>) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// The same graph with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// The graph's name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Its shape.
    pub fn topology(&self) -> &Topology {
        &self.definition.topology
    }

    /// The digest of its shape, as checkpoints carry it.
    pub fn digest(&self) -> Digest {
        self.definition.digest
    }
}
