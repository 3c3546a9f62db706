//! The way from a checkpoint back to the nearest snapshot. Pure; does not read a store.

use crate::{Checkpoint, Seq, TaskEntry, TaskRecord};

/// Where a checkpoint stands among the others of its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub seq: Seq,
    /// The checkpoint that it continues; none for a root.
    pub parent: Option<Seq>,
    /// Whether a chain may begin here.
    pub snapshot: bool,
}

/// The checkpoints that rebuild the state at `tip`, oldest first. Fails with the checkpoint that is missing on the way.
pub fn chain(tip: Place, find: impl Fn(Seq) -> Option<Place>) -> Result<Vec<Seq>, Seq> {
    let mut chain = vec![tip.seq];
    let mut at = tip;
    while let (false, Some(parent)) = (at.snapshot, at.parent) {
        // A parent is always older, so that damaged data cannot make this loop go round.
        at = find(parent).filter(|found| found.seq < at.seq).ok_or(parent)?;
        chain.push(at.seq);
    }
    chain.reverse();
    Ok(chain)
}

/// The records of a checkpoint's tasks as a reader sees them: what it carries over comes first, and of several answers to one question
/// the last counts.
pub fn settle(checkpoint: &Checkpoint, records: Vec<TaskRecord>) -> Vec<TaskRecord> {
    let question = |record: &TaskRecord| match record.entry {
        TaskEntry::Answered { call, .. } => Some((record.task, call)),
        _ => None,
    };
    let mut settled: Vec<TaskRecord> = Vec::with_capacity(checkpoint.carried().len() + records.len());
    for record in checkpoint.carried().iter().cloned().chain(records) {
        if let Some(answered) = question(&record) {
            settled.retain(|earlier| question(earlier) != Some(answered));
        }
        settled.push(record);
    }
    settled
}
