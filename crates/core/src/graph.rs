//! The compiled graph, with nodes and edges by index. `builder.rs` makes it; runs nothing itself.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::breakpoints::Breakpoints;
use super::checkpoint::{JoinProgress, PlannedTask, TaskEntry};
use super::clock::Clock;
use super::closure::{ClosurePanic, UserClosure, catch_panic};
use super::contract::CheckpointStore;
use super::dispatch::{DispatchItem, ItemType};
use super::draft::END;
use super::error::RunError;
use super::hooks::Hooks;
use super::id::Digest;
use super::long_term::LongTermStore;
use super::migrate::StateReader;
use super::node::ErasedNode;
use super::plan::{BranchIx, Decide, FanOutIx, NodeIx, Planner, ReadyTask, ResolvedRoute, Target};
use super::policy::NodePolicy;
use super::run_config::StepBounds;
use super::state::State;
use super::topology::Topology;

/// The closure of a conditional edge with its `Choice` type erased. It returns the index of the chosen label.
pub type ErasedChoice<S> = Arc<dyn Fn(&S) -> usize + Send + Sync>;

/// The closure of a fan-out. It returns the items to run the target for.
pub(crate) type FanOutFn<S> = Arc<dyn Fn(&S) -> Vec<DispatchItem> + Send + Sync>;

/// A fan-out of a compiled graph.
pub(crate) struct CompiledFanOut<S> {
    pub(super) make_items: FanOutFn<S>,
    /// The source of the edge.
    pub(super) from: String,
    /// The node that runs for each item.
    pub(super) to: String,
}

/// A graph without defects, ready to run. [`StateGraph::compile`](super::StateGraph::compile) makes it.
///
/// It can run any number of times, also concurrently: clones are cheap and share the graph. [`with_store`](Self::with_store) gives it
/// checkpoints; without a store, runs cannot be resumed and nodes cannot ask questions.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// let done = graph.run(Count::default()).thread(thread.clone()).await?;
/// assert_eq!((done.state.n, done.steps), (3, 3));
/// assert_eq!(graph.state(&thread, None).await?.state.n, 3);
/// assert_eq!(graph.continue_with(&thread, Count::update().n(1)).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
pub struct CompiledGraph<S: State, D: Send + Sync + 'static = ()> {
    pub(crate) definition: Arc<GraphDefinition<S, D>>,
    pub(crate) services: Arc<D>,
    pub(crate) store: Option<Arc<dyn CheckpointStore>>,
    pub(crate) clock: Clock,
    pub(crate) hooks: Option<Arc<dyn Hooks>>,
    pub(crate) long_term: Option<Arc<dyn LongTermStore>>,
    pub(crate) cache: Option<Arc<dyn LongTermStore>>,
    /// Maximum number of concurrent tasks in any run of this graph.
    pub(crate) max_concurrency: usize,
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
            max_concurrency: self.max_concurrency,
        }
    }
}

/// The immutable part of a compiled graph, which all clones and runs share.
pub(crate) struct GraphDefinition<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) topology: Topology,
    /// Digest of the topology.
    pub(crate) digest: Digest,
    /// Fingerprint of the state's schema.
    pub(crate) schema: Digest,
    /// The conversion of stored states and updates to the present version.
    pub(crate) state_reader: StateReader<S>,
    /// The present names of nodes, by earlier name (D9).
    pub(crate) renames: BTreeMap<String, String>,
    pub(crate) planner: Planner,
    /// The number of nested graphs in its nodes, as far as its shape shows them.
    pub(crate) depth: usize,
    /// The policy for nodes that set none, and for error handlers.
    pub(crate) defaults: NodePolicy,
    pub(crate) breakpoints: Breakpoints,
    pub(crate) step_bounds: StepBounds,
    /// By [`NodeIx`].
    pub(crate) nodes: Vec<CompiledNode<S, D>>,
    /// By [`BranchIx`]; `None` where the draft's edge is no branch.
    pub(super) branches: Vec<Option<CompiledBranch<S>>>,
    /// By [`FanOutIx`].
    pub(super) fan_outs: BTreeMap<usize, CompiledFanOut<S>>,
}

/// A node of a compiled graph.
pub(crate) struct CompiledNode<S: State, D> {
    pub(crate) name: Arc<str>,
    pub(crate) run: Arc<dyn ErasedNode<S, D>>,
    pub(crate) policy: NodePolicy,
    /// The node that takes over after the last attempt has failed.
    pub(crate) on_error: Option<Arc<dyn ErasedNode<S, D>>>,
    /// The declared targets of `goto`.
    pub(crate) goto: Vec<String>,
    /// The declared targets of dispatches.
    pub(crate) dispatch: Vec<String>,
    /// The declared nodes of the outer graph.
    pub(crate) parent: Vec<String>,
    /// The declared targets of routes that replace the node's edges: those of its error handler, and of a sub-graph's `goto_parent`.
    pub(crate) instead: Vec<String>,
    /// The type of the items that the node runs for; `None` for a node without items.
    pub(crate) takes: Option<ItemType>,
}

/// A conditional edge of a compiled graph.
pub(crate) struct CompiledBranch<S> {
    pub(super) choose: ErasedChoice<S>,
    /// The source of the edge.
    pub(super) from: String,
    /// The targets, by index of the label; none for an arm that ends.
    pub(super) targets: Vec<Box<[NodeIx]>>,
}

/// The implementation of `Decide` for one state: calls the closures of the graph's branches and fan-outs, and
/// keeps the first panic of one.
pub(crate) struct Decisions<'a, S: State, D> {
    graph: &'a GraphDefinition<S, D>,
    state: &'a S,
    /// The first panic of a closure.
    panic: Cell<Option<Box<ClosurePanic>>>,
}

impl<S: State, D> Decisions<'_, S, D> {
    /// Runs a closure of the user and returns its value. A panic gives `None`; the first one is kept, with
    /// the `name` of the closure, for [`into_result`](Self::into_result).
    fn call_guarded<T>(&self, run: impl FnOnce() -> T, name: impl FnOnce() -> UserClosure) -> Option<T> {
        match catch_panic(run, name) {
            Ok(value) => Some(value),
            Err(panic) => {
                let first = self.panic.take();
                self.panic.set(first.or(Some(panic)));
                None
            }
        }
    }

    /// Fails with the first panic of a closure, if there was one. A plan that was made with these decisions
    /// is then void.
    #[inline]
    pub(crate) fn into_result(self) -> Result<(), Box<ClosurePanic>> {
        match self.panic.into_inner() {
            None => Ok(()),
            Some(panic) => Err(panic),
        }
    }
}

impl<S: State, D> Decide for Decisions<'_, S, D> {
    fn branch(&self, branch: BranchIx) -> &[NodeIx] {
        let branch = self.graph.branches[branch.0].as_ref().expect("the planner numbered this branch");
        let name = || UserClosure::Branch { from: branch.from.clone() };
        self.call_guarded(|| &*branch.targets[(branch.choose)(self.state)], name).unwrap_or_default()
    }

    fn items(&self, fan_out: FanOutIx) -> Vec<DispatchItem> {
        let fan_out = self.graph.fan_outs.get(&fan_out.0).expect("the planner numbered this fan-out");
        let name = || UserClosure::FanOut { from: fan_out.from.clone(), to: fan_out.to.clone() };
        self.call_guarded(|| (fan_out.make_items)(self.state), name).unwrap_or_default()
    }
}

impl<S: State, D> GraphDefinition<S, D> {
    /// Returns the node with this name, or with this earlier name (`rename_node`); `None` when there is none.
    pub(crate) fn resolve_name(&self, name: &str) -> Option<NodeIx> {
        self.planner.node(name).or_else(|| self.planner.node(self.renames.get(name)?))
    }

    /// Returns a copy of the joins of a checkpoint in which earlier names of nodes are replaced by the
    /// present ones.
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

    /// Returns the answers of the graph's branches and fan-outs for this state, to be asked for by the
    /// planner.
    pub(crate) fn decisions_on<'a>(&'a self, state: &'a S) -> Decisions<'a, S, D> {
        Decisions { graph: self, state, panic: Cell::new(None) }
    }

    pub(crate) fn node(&self, node: NodeIx) -> &CompiledNode<S, D> {
        &self.nodes[node.at()]
    }

    /// Makes the log record of a finished task from its encoded update and its route. `planned_with` is the
    /// schema of the checkpoint that planned the task; the record names the present schema only where it
    /// differs.
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
        Ok(PlannedTask { item: task.item.as_ref().map(|item| item.encode(&node)).transpose()?, node })
    }
}

impl<S: State, D: Send + Sync + 'static> CompiledGraph<S, D> {
    /// Replaces the services, which nodes reach with [`Cx::services`](super::Cx::services).
    #[must_use]
    pub fn with_services(mut self, services: Arc<D>) -> Self {
        self.services = services;
        self
    }

    /// Sets the store for checkpoints. Runs can then have a thread, be resumed, and ask questions.
    #[must_use]
    pub fn with_store(mut self, store: Arc<dyn CheckpointStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the long-term store, which nodes reach with [`Cx::store`](super::Cx::store).
    #[must_use]
    pub fn with_long_term(mut self, store: Arc<dyn LongTermStore>) -> Self {
        self.long_term = Some(store);
        self
    }

    /// Sets the store for the results of nodes that have a [`CachePolicy`](super::CachePolicy).
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<dyn LongTermStore>) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Sets the maximum number of concurrent tasks in every run of this graph, at least 1; unlimited by default. The lower of this and
    /// [`RunRequest::max_concurrency`](super::RunRequest::max_concurrency) holds. For graphs whose nodes share a scarce resource.
    #[must_use]
    pub fn with_max_concurrency(mut self, tasks: usize) -> Self {
        self.max_concurrency = tasks.max(1);
        self
    }

    /// Sets the hooks, which are called at the start, the interrupts and the end of its runs (F38).
    #[must_use]
    pub fn with_hooks(mut self, hooks: Arc<dyn Hooks>) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// Sets the clock for the times of checkpoints; the system's clock by default.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the name of the graph.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the shape of the graph.
    pub fn topology(&self) -> &Topology {
        &self.definition.topology
    }

    /// Returns the digest of the graph's shape, which its checkpoints contain.
    pub fn digest(&self) -> Digest {
        self.definition.digest
    }
}
