//! Appends the records of tasks to the log of their run, as durably as asked for. Writes no checkpoints; see `run_log.rs`.

use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::checkpoint::{Record, TaskEntry, TaskRecord};
use super::contract::{Ack, Flush, ThreadWriter};
use super::id::TaskId;
use super::store_error::StoreError;

/// The moment at which a checkpoint must be durable, that is, survive a power cut (LangGraph F43).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// let run = graph.run(Count::default()).thread(thread.clone()).durability(Durability::Exit);
/// run.await?;
/// assert_eq!(graph.history(&thread, &HistoryQuery::default()).await?.len(), 1);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Durability {
    /// Before the next superstep starts.
    #[default]
    Sync,
    /// While the next supersteps run, with a bounded lag (D11).
    Async {
        /// Maximum number of checkpoints that are not durable yet.
        max_lag: usize,
    },
    /// One checkpoint, when the run ends, waits or fails.
    Exit,
}

impl Durability {
    /// `Async` with a lag of 64 checkpoints.
    pub const ASYNC: Self = Self::Async { max_lag: 64 };
}

/// The access of tasks to the log of their run: appends task records.
pub(crate) struct TaskLog {
    /// `None` in a run without a store. Weak, because a task that is aborted may outlive its run for a moment, and must then neither keep
    /// the thread claimed nor write to it.
    writer: Option<Weak<dyn ThreadWriter>>,
    pub(crate) durability: Durability,
    /// With [`Durability::Exit`], the records of the superstep under way: written after the checkpoint that planned their tasks.
    held_back: Mutex<Vec<TaskRecord>>,
}

impl TaskLog {
    pub(crate) fn new(writer: Option<&Arc<dyn ThreadWriter>>, durability: Durability) -> Self {
        Self { writer: writer.map(Arc::downgrade), durability, held_back: Mutex::default() }
    }

    /// Returns true when the run has a store.
    pub(crate) fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Returns true when every superstep is written, not only the last.
    pub(crate) fn writes_steps(&self) -> bool {
        self.is_on() && self.durability != Durability::Exit
    }

    /// Appends a record of a task and waits until it is as durable as `flush` asks. `Durability::Async`
    /// lowers that to [`Flush::Lazy`]; `Durability::Exit` keeps the record in memory.
    pub(crate) async fn record(
        &self,
        task: TaskId,
        entry: TaskEntry,
        flush: Flush,
    ) -> Result<(), StoreError> {
        self.append(task, entry, flush)?.wait().await
    }

    /// Appends a record of a task. The record is in the log when this returns, and durable when the returned
    /// acknowledgement comes. `Durability::Exit` only keeps it in memory; without a store nothing happens.
    pub(crate) fn append(&self, task: TaskId, entry: TaskEntry, flush: Flush) -> Result<Ack, StoreError> {
        let Some(writer) = &self.writer else { return Ok(Ack::Done) };
        let record = TaskRecord { task, entry };
        let flush = match self.durability {
            Durability::Exit => {
                self.held_back().push(record);
                return Ok(Ack::Done);
            }
            Durability::Async { .. } => Flush::Lazy,
            Durability::Sync => flush,
        };
        let writer = writer.upgrade().ok_or_else(|| StoreError::Closed("the run has ended".to_owned()))?;
        writer.append(Record::Task(record), flush)
    }

    /// Drops the records that `Durability::Exit` held back, because their superstep has been committed or can
    /// never be.
    pub(crate) fn drop_held_back(&self) {
        self.held_back().clear();
    }

    /// Takes the records that `Durability::Exit` held back. The caller writes them, because the checkpoint
    /// that planned their tasks is in the log now.
    pub(crate) fn take_held_back(&self) -> Vec<TaskRecord> {
        std::mem::take(&mut *self.held_back())
    }

    fn held_back(&self) -> MutexGuard<'_, Vec<TaskRecord>> {
        self.held_back.lock().expect("no holder panics")
    }
}
