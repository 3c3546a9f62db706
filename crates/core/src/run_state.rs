//! The state of a run between two supersteps, as a checkpoint stores it. Holds data; `run_loop.rs` advances it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::checkpoint::{Source, TaskRecord};
use super::id::{Digest, Seq};
use super::plan::{Arrivals, NodeIx, ReadyTask};

/// The state of a run between two supersteps.
pub(crate) struct RunState<S> {
    /// The graph's state. Running tasks share it; only the loop writes it, between supersteps.
    pub(crate) values: Arc<S>,
    /// The checkpoint that planned `next`.
    pub(crate) base: Base,
    /// The tasks of the next superstep.
    pub(crate) next: Vec<ReadyTask>,
    /// The progress of joins, and the deferred nodes that wait.
    pub(crate) arrivals: Arrivals,
    /// The records that tasks in `next` left in an earlier run; empty after the first superstep.
    pub(crate) records: Vec<TaskRecord>,
    /// The state that the sub-graph of a node starts with the next time.
    pub(crate) remembered: BTreeMap<NodeIx, RememberedState>,
    /// In a graph inside a task: the nodes of the outer graph that run next. Empty until a task chooses them
    /// with `goto_parent`, which ends this graph.
    pub(crate) leaves_to: Vec<Arc<str>>,
}

/// The state that the last call of a sub-graph ended with; its next call starts with it.
pub(crate) struct RememberedState {
    pub(crate) state: Box<RawValue>,
    /// True when a checkpoint has it already.
    pub(crate) is_saved: bool,
}

/// The head data of the checkpoint that planned the next tasks. It is in the store, or will be written
/// (`is_saved`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    pub(crate) seq: Seq,
    pub(crate) parent: Option<Seq>,
    /// The number of supersteps since the input.
    pub(crate) step: u64,
    pub(crate) source: Source,
    /// The schema of the state when the tasks were planned; that of an earlier version of the graph right after a thread was read.
    pub(crate) schema: Digest,
    /// True when the store has it.
    pub(crate) is_saved: bool,
}

impl Base {
    /// Returns the base at the next position of the log, with this one as its parent and not saved yet.
    pub(crate) fn successor(self, source: Source) -> Self {
        Self { seq: self.seq.next(), parent: Some(self.seq), source, is_saved: false, ..self }
    }
}
