//! Writes the checkpoints and task records of a run to its thread's log, as durably as asked for. Decides nothing about the graph.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use super::checkpoint::{Record, TaskEntry, TaskRecord};
use super::commit::Commit;
use super::contract::{Ack, Flush, Lineage, ThreadWriter};
use super::id::TaskId;
use super::run_config::RunConfig;
use super::snapshot_spacing::SnapshotSpacing;
use super::store_error::StoreError;

/// When a checkpoint must be durable (LangGraph F43).
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

/// The tasks' access to the log of their run: appends task records.
pub(crate) struct TaskLog {
    /// `None` in a run without a store. Weak, because a task that is aborted may outlive its run for a moment, and must then neither keep
    /// the thread claimed nor write to it.
    writer: Option<Weak<dyn ThreadWriter>>,
    durability: Durability,
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

    /// Appends a record of a task and waits until it is durable as `flush` says, or less where the run's durability is lower.
    pub(crate) async fn record(
        &self,
        task: TaskId,
        entry: TaskEntry,
        flush: Flush,
    ) -> Result<(), StoreError> {
        self.append(task, entry, flush)?.wait().await
    }

    /// Appends a record of a task. The record is in the log when this returns; it is durable when the returned acknowledgement comes.
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

    /// Drops the records that were held back, because their superstep has been committed or can never be.
    pub(crate) fn drop_held_back(&self) {
        self.held_back().clear();
    }

    fn held_back(&self) -> MutexGuard<'_, Vec<TaskRecord>> {
        self.held_back.lock().expect("no holder panics")
    }
}

/// The log of one run. Its loop owns it, and with it the claim on the thread.
pub(crate) struct RunLog {
    config: Arc<RunConfig>,
    /// The claim on the thread; `None` in a run without a store.
    writer: Option<Arc<dyn ThreadWriter>>,
    /// The writes that are not durable yet, oldest first.
    pending: VecDeque<Ack>,
    spacing: SnapshotSpacing,
}

/// How the state of a checkpoint comes from the state of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// By folding the writes of the checkpoint.
    ByWrites,
    /// In another way, so the checkpoint has to hold the whole state.
    Otherwise,
}

impl RunLog {
    /// Continues the log of `after`, or starts a log without snapshots to count from.
    pub(crate) fn new(
        config: Arc<RunConfig>,
        writer: Option<Arc<dyn ThreadWriter>>,
        after: Option<&Lineage>,
    ) -> Self {
        let mut spacing = SnapshotSpacing::empty();
        for checkpoint in after.iter().flat_map(|lineage| &lineage.chain) {
            let snapshot = checkpoint.snapshot.as_ref().map(|state| state.get().len());
            spacing.add(checkpoint.written_bytes(), snapshot);
        }
        Self { config, writer, pending: VecDeque::new(), spacing }
    }

    /// Returns true when the run has a store.
    pub(crate) fn is_on(&self) -> bool {
        self.writer.is_some()
    }

    /// Returns true when every superstep is written, not only the last.
    pub(crate) fn writes_steps(&self) -> bool {
        self.config.log.writes_steps()
    }

    /// Returns true when the next checkpoint, with `updates` bytes of updates, has to hold the whole state.
    pub(crate) fn wants_snapshot(&self, derivation: Derivation, updates: usize) -> bool {
        derivation != Derivation::ByWrites
            || self.config.log.durability == Durability::Exit
            || self.spacing.wants_snapshot(updates)
    }

    /// Writes a checkpoint. The run must [wait](Ack::wait) for the returned acknowledgement before it goes on; it is [`Ack::Done`] where
    /// there is nothing to wait for.
    pub(crate) fn commit(&mut self, commit: &Commit<'_>) -> Result<Ack, StoreError> {
        let writer = self.writer.as_ref().expect("only a run with a store commits");
        self.spacing.add(commit.written_bytes(), commit.snapshot.map(|state| state.get().len()));
        let ack = writer.commit(commit, Flush::Synced)?;
        match (self.config.log.durability, ack) {
            (Durability::Async { max_lag }, Ack::Pending(ack)) => {
                self.pending.push_back(Ack::Pending(ack));
                let oldest = if self.pending.len() > max_lag { self.pending.pop_front() } else { None };
                Ok(oldest.unwrap_or(Ack::Done))
            }
            (_, ack) => Ok(ack),
        }
    }

    /// Writes the task records that were held back, and waits until everything written is durable.
    pub(crate) async fn settle(&mut self) -> Result<(), StoreError> {
        let held_back = std::mem::take(&mut *self.config.log.held_back());
        if let Some(writer) = &self.writer {
            for record in held_back {
                self.pending.push_back(writer.append(Record::Task(record), Flush::Synced)?);
            }
        }
        while let Some(ack) = self.pending.pop_front() {
            ack.wait().await?;
        }
        Ok(())
    }
}
