//! Finds the checkpoints between a snapshot and a later checkpoint. Pure; reads no store.

use crate::{Checkpoint, Seq, TaskEntry, TaskRecord};

/// The facts about a checkpoint from which [`chain_to`] finds the checkpoints that a state is rebuilt from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink {
    /// The position in the log of the thread.
    pub seq: Seq,
    /// The checkpoint that it continues; `None` for a root.
    pub parent: Option<Seq>,
    /// True when the checkpoint has a snapshot, so that a state can be rebuilt from there.
    pub has_snapshot: bool,
}

impl ChainLink {
    /// Returns the facts about this checkpoint.
    pub fn of(checkpoint: &Checkpoint) -> Self {
        Self { seq: checkpoint.seq, parent: checkpoint.parent, has_snapshot: checkpoint.snapshot.is_some() }
    }
}

/// Returns the positions of the checkpoints that the state at `tip` is rebuilt from, oldest first: from the
/// nearest one with a snapshot, or else the root, up to `tip`. `find` looks up a checkpoint by position. The
/// error is the position of a parent that is missing or not older than its child.
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

/// Returns the task records of a checkpoint as readers get them: first the carried ones, then `records`,
/// those from the log. Of several answers to one question only the last is left.
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
