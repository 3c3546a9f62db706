//! Makes the entry of a thread in listings from its newest checkpoint. Pure.

use crate::Seq;
use crate::{Checkpoint, TaskRecord, ThreadId, ThreadSummary, open_questions};

/// Returns the entry of a thread in listings. `newest` is its newest checkpoint, `tasks` the records of the
/// tasks that it plans.
pub fn summarize(thread: &ThreadId, newest: &Checkpoint, tasks: &[TaskRecord]) -> ThreadSummary {
    ThreadSummary {
        thread: thread.clone(),
        graph: newest.name.clone(),
        head: newest.seq,
        at_ms: newest.at_ms,
        next: newest.next.iter().map(|task| task.node.clone()).collect(),
        open_questions: open_questions(tasks),
        damage: None,
    }
}

/// Returns the entry in listings of a thread that cannot be read: with the text `damage`, position 0 and all
/// else empty.
pub fn summarize_unreadable(thread: &ThreadId, damage: String) -> ThreadSummary {
    ThreadSummary {
        thread: thread.clone(),
        graph: "".into(),
        head: Seq(0),
        at_ms: 0,
        next: Vec::new(),
        open_questions: Vec::new(),
        damage: Some(damage),
    }
}
