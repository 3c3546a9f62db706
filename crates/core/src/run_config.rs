//! The settings of one run of a graph: fixed before its first superstep, shared by its loop and its tasks. Changes nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::breakpoints::Breakpoints;
use super::commit::Origin;
use super::event_queue::EventSink;
use super::id::{Namespace, TaskId, ThreadId};
use super::long_term::LongTermStore;
use super::pulse::ActivityTimer;
use super::stop::Stop;
use super::task_log::{Durability, TaskLog};

/// Maximum number of supersteps of a run unless [`RunRequest::step_limit`](super::RunRequest::step_limit) sets another. It ends a loop that
/// would never end by itself (ENG-4).
pub const STEP_LIMIT: u64 = 10_000;

/// Maximum number of concurrent tasks of a superstep unless [`RunRequest::max_concurrency`](super::RunRequest::max_concurrency) sets another.
pub const MAX_CONCURRENCY: usize = 64;

/// The limits and options that the caller gave to a run. A graph inside a task gets those of the run around it, each limit for itself (F62).
#[derive(Clone)]
pub(crate) struct RunOptions {
    /// The thread to run on; `None` for a run without a store.
    pub(crate) thread: Option<ThreadId>,
    /// The moment at which checkpoints must be durable; [`Durability::Sync`] by default.
    pub(crate) durability: Durability,
    /// Maximum number of supersteps (D3: exact); [`STEP_LIMIT`] by default.
    pub(crate) step_limit: u64,
    /// Maximum number of concurrent tasks; [`MAX_CONCURRENCY`] by default.
    pub(crate) max_concurrency: usize,
    /// The caller's handle to stop the run; none by default.
    pub(crate) stop: Option<Stop>,
    /// Maximum duration of a superstep (F36); unlimited by default.
    pub(crate) step_timeout: Option<Duration>,
    /// Breakpoints of this run; those of the graph by default.
    pub(crate) breakpoints: Option<Breakpoints>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            thread: None,
            durability: Durability::default(),
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            stop: None,
            step_timeout: None,
            breakpoints: None,
        }
    }
}

/// The limits of supersteps that a graph sets for all of its runs. A run can set lower ones.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StepBounds {
    /// Maximum number of supersteps of a run; `None` for no limit of the graph.
    pub(crate) limit: Option<u64>,
    /// Maximum duration of a superstep; `None` for no limit of the graph.
    pub(crate) timeout: Option<Duration>,
}

impl StepBounds {
    /// Returns `options` with the step limit and the step timeout lowered to those of the graph where these
    /// are lower.
    pub(crate) fn restrict(self, options: RunOptions) -> RunOptions {
        let step_limit = self.limit.map_or(options.step_limit, |limit| limit.min(options.step_limit));
        let step_timeout = self.timeout.into_iter().chain(options.step_timeout).min();
        RunOptions { step_limit, step_timeout, ..options }
    }

    /// Returns the reason why no run could make a step under these limits, such as a limit of 0; `None` for
    /// valid limits.
    pub(crate) fn problem(self) -> Option<&'static str> {
        if self.limit == Some(0) {
            return Some("the step limit is 0: nothing would run");
        }
        self.timeout.is_some_and(|limit| limit.is_zero()).then_some("the step timeout is 0")
    }
}

/// The settings of one run. The loop and all tasks of the run share one of these.
pub(crate) struct RunConfig {
    pub(crate) options: RunOptions,
    /// The facts that all checkpoints of the run share: the graph, its place among nested graphs, the number of the run.
    pub(crate) origin: Arc<Origin>,
    /// The names of the nodes, by index.
    pub(crate) names: Arc<[Arc<str>]>,
    /// The superstep of the checkpoint that the run starts from; 0 for a new input.
    pub(crate) first_step: u64,
    /// The number of graphs around this one; 0 for the outermost.
    pub(crate) depth: usize,
    /// The subscriber's channel; `None` without a subscriber.
    pub(crate) events: Option<EventSink>,
    pub(crate) long_term: Option<Arc<dyn LongTermStore>>,
    /// The store for results of nodes with a cache policy.
    pub(crate) cache: Option<Arc<dyn LongTermStore>>,
    /// In a graph inside a task: the activity timer of that task, if it has an idle limit.
    pub(crate) activity: Option<Arc<ActivityTimer>>,
    pub(crate) log: TaskLog,
    /// The resources that the tasks of the last superstep have spent, where it did not end: their updates are not in the state.
    pub(crate) unfolded: Mutex<BTreeMap<TaskId, Value>>,
}

impl RunConfig {
    /// Stores the resources, such as tokens, that a task has spent whose update is not folded. The event at
    /// the end of the run counts them. Replaces an earlier note of the task.
    pub(crate) fn note_unfolded(&self, task: TaskId, spent: Value) {
        self.unfolded.lock().unwrap_or_else(PoisonError::into_inner).insert(task, spent);
    }

    /// Returns true if [`note_unfolded`](Self::note_unfolded) was called for the task.
    pub(crate) fn is_noted(&self, task: TaskId) -> bool {
        self.unfolded.lock().unwrap_or_else(PoisonError::into_inner).contains_key(&task)
    }

    /// Returns the resources stored by [`note_unfolded`](Self::note_unfolded), one value for each task, in
    /// task order.
    pub(crate) fn unfolded(&self) -> Vec<Value> {
        self.unfolded.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    pub(crate) fn thread(&self) -> Option<&ThreadId> {
        self.options.thread.as_ref()
    }

    /// Returns the path of nested graphs down to this one; the root for the outermost graph.
    pub(crate) fn namespace(&self) -> &Namespace {
        &self.origin.namespace
    }

    /// Returns the number of the last superstep that the run may execute.
    pub(crate) fn last_step(&self) -> u64 {
        self.first_step.saturating_add(self.options.step_limit)
    }
}
