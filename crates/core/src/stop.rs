//! Stopping a run from outside: gently at the next superstep, or at once. Either way its checkpoints are whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// A handle that stops the runs it was given to. Clones are the same handle.
#[derive(Clone, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Default)]
struct Inner {
    wish: AtomicU8,
    changed: Notify,
}

/// What a [`Stop`] asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopWish {
    /// Go on.
    None,
    /// Finish the tasks of this superstep, save, stop (LangGraph F30).
    Drain,
    /// Drop the tasks under way; the newest checkpoint and everything journaled stay.
    Cancel,
}

impl Stop {
    /// A handle that asks for nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks runs to end after their superstep.
    pub fn drain(&self) {
        self.ask(1);
    }

    /// Asks runs to end at once.
    pub fn cancel(&self) {
        self.ask(2);
    }

    /// What is asked for.
    pub fn wish(&self) -> StopWish {
        match self.0.wish.load(Ordering::Acquire) {
            0 => StopWish::None,
            1 => StopWish::Drain,
            _ => StopWish::Cancel,
        }
    }

    /// Waits until at least this much is asked for.
    pub async fn wait_for(&self, wish: StopWish) {
        loop {
            let changed = self.0.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.wish() >= wish {
                return;
            }
            changed.await;
        }
    }

    fn ask(&self, wish: u8) {
        self.0.wish.fetch_max(wish, Ordering::AcqRel);
        self.0.changed.notify_waiters();
    }
}
