//! One thread in a listing, made from its newest checkpoint. Pure.

use crate::engine::{Checkpoint, TaskRecord, ThreadId, ThreadSummary, open_questions};

/// What a listing shows of a thread whose newest checkpoint is `newest`, with the records of its tasks.
pub(super) fn summary(thread: &ThreadId, newest: &Checkpoint, tasks: &[TaskRecord]) -> ThreadSummary {
    ThreadSummary {
        thread: thread.clone(),
        graph: newest.name.clone(),
        head: newest.seq,
        at_ms: newest.at_ms,
        next: newest.next.iter().map(|task| task.node.clone()).collect(),
        open_questions: open_questions(tasks),
    }
}
