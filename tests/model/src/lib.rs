//! Model checks of `crates/core/src/queue.rs`: starting, dropping and cancelling the tasks of a superstep, in every interleaving of two lanes and
//! the thread that drops the run.

#![cfg(test)]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use loom::sync::Arc;
use loom::thread;

/// The lock that `queue.rs` uses.
mod sync {
    pub(crate) use loom::sync::{Mutex, MutexGuard};
}

#[path = "../../../crates/core/src/queue.rs"]
mod queue;

use queue::TaskQueue;

/// The number of a task.
type Task = u32;

/// Three tasks of a superstep, of which two may be under way at once, and what became of them. Only the queue is modelled: the rest is
/// kept by the locks of `std`, which loom does not interleave.
struct Run {
    queue: TaskQueue<Task, Vec<Task>>,
    /// Whether closing has returned.
    closed: AtomicBool,
    ended: Mutex<Ends>,
}

#[derive(Default)]
struct Ends {
    /// Tasks that ended where they were polled first.
    done: Vec<Task>,
    /// Tasks that were dropped since the queue was closed when they had to wait.
    refused: Vec<Task>,
    /// Tasks that were aborted while they waited.
    aborted: Vec<Task>,
    /// Tasks that never started.
    unstarted: Vec<Task>,
}

impl Run {
    fn new() -> Arc<Self> {
        let queue = TaskQueue::new(VecDeque::from([0, 1, 2]), 2, Vec::new());
        Arc::new(Self { queue, closed: AtomicBool::new(false), ended: Mutex::default() })
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes tasks until there are none; the even ones wait for something, the others are done at once.
    fn lane(&self) {
        loop {
            let was_closed = self.closed.load(Ordering::SeqCst);
            let Some(task) = self.queue.take() else { return };
            assert!(!was_closed, "task {task} started after the run was dropped");
            if task % 2 == 1 {
                self.ends().done.push(task);
                continue;
            }
            let was_closed = self.closed.load(Ordering::SeqCst);
            match self.queue.wait(task, Vec::push) {
                Ok(()) => assert!(!was_closed, "task {task} waits where nothing aborts it"),
                Err(task) => self.ends().refused.push(task),
            }
        }
    }

    /// Drops, or cancels, the run.
    fn close(&self) {
        let mut aborted = Vec::new();
        let unstarted = self.queue.close(|waiting| aborted.append(waiting));
        self.closed.store(true, Ordering::SeqCst);
        self.ends().unstarted.extend(unstarted);
        self.ends().aborted.append(&mut aborted);
    }
}

#[test]
fn after_a_run_was_dropped_no_task_starts_and_none_is_left_waiting() {
    loom::model(|| {
        let run = Run::new();
        let lanes = [run.clone(), run.clone()].map(|run| thread::spawn(move || run.lane()));
        run.close();
        for lane in lanes {
            lane.join().unwrap();
        }
        assert_eq!(run.queue.with_waiting(|waiting| std::mem::take(waiting)), []);
        let ends = run.ends();
        let mut all = [&ends.done[..], &ends.refused, &ends.aborted, &ends.unstarted].concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2], "each task has one end");
    });
}

#[test]
fn without_a_drop_every_task_starts_once_and_those_that_wait_are_found_when_the_lanes_are_done() {
    loom::model(|| {
        let run = Run::new();
        let lane = {
            let run = run.clone();
            thread::spawn(move || run.lane())
        };
        run.lane();
        lane.join().unwrap();
        let mut waiting = run.queue.with_waiting(|waiting| std::mem::take(waiting));
        waiting.sort_unstable();
        assert_eq!((waiting, run.ends().done.clone()), (vec![0, 2], vec![1]));
    });
}

#[test]
fn after_a_failure_only_those_start_that_may_be_under_way_beside_it() {
    loom::model(|| {
        let run = Run::new();
        let failing = {
            let run = run.clone();
            thread::spawn(move || {
                let task = run.queue.take();
                run.queue.fail();
                task
            })
        };
        let beside = run.queue.take();
        let failed = failing.join().unwrap();
        assert!(beside.is_some() && failed.is_some());
        assert_eq!(run.queue.take(), None);
        assert_eq!(run.queue.len(), 1);
    });
}
