//! Finds the checkpoints between a snapshot and a later checkpoint. Pure; reads no store.

use crate::{Checkpoint, Seq, TaskEntry, TaskRecord};

/// The parts of a checkpoint that decide on chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink {
    /// The position in the log of the thread.
    pub seq: Seq,
    /// The checkpoint that it continues; `None` for a root.
    pub parent: Option<Seq>,
    /// Tells if the checkpoint has a snapshot, so that a chain can start with it.
    pub has_snapshot: bool,
}

impl ChainLink {
    /// Returns the link of a checkpoint.
    pub fn of(checkpoint: &Checkpoint) -> Self {
        Self { seq: checkpoint.seq, parent: checkpoint.parent, has_snapshot: checkpoint.snapshot.is_some() }
    }
}

/// Returns the checkpoints that rebuild the state at `tip`, oldest first. The error is a missing checkpoint among them.
pub fn chain_to(tip: ChainLink, find: impl Fn(Seq) -> Option<ChainLink>) -> Result<Vec<Seq>, Seq> {
    let mut chain = vec![tip.seq];
    let mut at = tip;
    while let (false, Some(parent)) = (at.has_snapshot, at.parent) {
        // A parent must be older, because damaged data could have a circle.
        at = find(parent).filter(|found| found.seq < at.seq).ok_or(parent)?;
        chain.push(at.seq);
    }
    chain.reverse();
    Ok(chain)
}

/// Returns the records of a checkpoint's tasks for readers: the carried ones first, and of several answers to one question only the last.
pub fn visible_records(checkpoint: &Checkpoint, records: Vec<TaskRecord>) -> Vec<TaskRecord> {
    let question = |record: &TaskRecord| match record.entry {
        TaskEntry::Answered { call, .. } => Some((record.task, call)),
        _ => None,
    };
    let mut settled: Vec<TaskRecord> = Vec::with_capacity(checkpoint.carried_records().len() + records.len());
    for record in checkpoint.carried_records().iter().cloned().chain(records) {
        if let Some(answered) = question(&record) {
            settled.retain(|earlier| question(earlier) != Some(answered));
        }
        settled.push(record);
    }
    settled
}
