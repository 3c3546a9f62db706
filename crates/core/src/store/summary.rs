//! Makes the entry of a thread in listings from its newest checkpoint. Pure.

use crate::Seq;
use crate::{Checkpoint, TaskRecord, ThreadId, ThreadSummary, open_questions};

/// Returns the entry of a thread with this newest checkpoint and the records of its tasks.
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

/// Returns the entry of a thread that cannot be read.
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
