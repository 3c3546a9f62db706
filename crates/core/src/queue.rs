//! The tasks of one superstep that have not started and those that wait for something, behind one lock. Runs nothing; see `crew.rs`.
//!
//! One lock, so that taking a task, leaving it to wait and closing exclude each other: once the queue is closed, no task starts and none
//! is left to wait where nothing aborts it any more. `tests/model` compiles this file with loom's lock and runs every interleaving.

use std::collections::VecDeque;
use std::sync::PoisonError;

use super::sync::{Mutex, MutexGuard};

/// A queue of tasks that are not started, `J`, and the set of those that wait, `W`.
pub(crate) struct TaskQueue<J, W>(Mutex<Tasks<J, W>>);

struct Tasks<J, W> {
    jobs: VecDeque<J>,
    started: usize,
    /// Upper bound of tasks under way at once.
    at_once: usize,
    failed: bool,
    closed: bool,
    waiting: W,
}

impl<J, W> TaskQueue<J, W> {
    /// A queue of which at most `at_once` tasks are under way at once.
    pub(crate) fn new(jobs: VecDeque<J>, at_once: usize, waiting: W) -> Self {
        Self(Mutex::new(Tasks { jobs, started: 0, at_once, failed: false, closed: false, waiting }))
    }

    /// Returns the number of tasks that have not started.
    pub(crate) fn len(&self) -> usize {
        self.locked().jobs.len()
    }

    /// Takes the next task to start; none when all have started, when one failed, or when the queue is closed, which empties it.
    pub(crate) fn take(&self) -> Option<J> {
        let mut tasks = self.locked();
        // As many as may be under way at once start together, whatever comes of the first of them.
        if tasks.failed && tasks.started >= tasks.at_once {
            return None;
        }
        tasks.started += 1;
        tasks.jobs.pop_front()
    }

    /// Notes that a task failed (D16).
    pub(crate) fn fail(&self) {
        self.locked().failed = true;
    }

    /// Lets a task wait by `add`. Returns the task when the queue is closed: its caller drops it, outside the lock.
    pub(crate) fn wait<T>(&self, task: T, add: impl FnOnce(&mut W, T)) -> Result<(), T> {
        let mut tasks = self.locked();
        if tasks.closed {
            return Err(task);
        }
        add(&mut tasks.waiting, task);
        Ok(())
    }

    /// Closes the queue and ends the tasks that wait by `end`. Returns those that never start: their caller drops them, outside the lock.
    pub(crate) fn close(&self, end: impl FnOnce(&mut W)) -> VecDeque<J> {
        let mut tasks = self.locked();
        tasks.closed = true;
        end(&mut tasks.waiting);
        std::mem::take(&mut tasks.jobs)
    }

    /// Looks at the tasks that wait.
    pub(crate) fn with_waiting<R>(&self, look: impl FnOnce(&mut W) -> R) -> R {
        look(&mut self.locked().waiting)
    }

    /// Locks. The queue is consistent after every single change, so poison means nothing.
    fn locked(&self) -> MutexGuard<'_, Tasks<J, W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
