//! Writes the checkpoints of a run to its thread's log, as durably as asked for. `task_log.rs` writes the records of tasks.

use std::collections::VecDeque;
use std::sync::Arc;

use super::checkpoint::Record;
use super::commit::Commit;
use super::contract::{Ack, Flush, Lineage, ThreadWriter};
use super::run_config::RunConfig;
use super::snapshot_spacing::SnapshotSpacing;
use super::store_error::StoreError;
use super::task_log::Durability;

/// The log of one run: writes checkpoints. The loop of the run owns it, and with it the claim on the thread.
pub(crate) struct RunLog {
    config: Arc<RunConfig>,
    /// The claim on the thread; `None` in a run without a store.
    writer: Option<Arc<dyn ThreadWriter>>,
    /// The writes that are not durable yet, oldest first.
    pending: VecDeque<Ack>,
    spacing: SnapshotSpacing,
}

/// The way in which the state of a checkpoint comes from the state of its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Derivation {
    /// By folding the writes of the checkpoint.
    ByWrites,
    /// In another way, so the checkpoint has to hold the whole state.
    Otherwise,
}

impl RunLog {
    /// Makes the log of a run. `after` has the checkpoints that the run continues; they are counted for the
    /// distance to the next snapshot.
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
        let held_back = self.config.log.take_held_back();
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
