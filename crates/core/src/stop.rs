//! The handle to stop runs from outside: after the superstep under way, or at once. Either way the checkpoints stay consistent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// A handle to stop the runs that it was given to. Clones are the same handle.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let stop = Stop::new();
/// stop.drain();
/// let drained = counter().compile()?.run(Count::default()).stop(&stop).await?;
/// assert!(matches!(drained.status, Status::Drained));
/// # Ok(()) }) }
/// ```
#[derive(Clone, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Default)]
struct StopState {
    wish: AtomicU8,
    changed: Notify,
}

/// The request of a [`Stop`], in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopWish {
    /// None: the run goes on.
    None,
    /// Finish the tasks of this superstep, save, stop (LangGraph F30).
    Drain,
    /// Drop the tasks under way; the newest checkpoint and everything journaled stay.
    Cancel,
}

impl Stop {
    /// Makes a handle without a request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the runs to end after the superstep under way, with [`Status::Drained`](super::Status::Drained).
    pub fn drain(&self) {
        self.ask(1);
    }

    /// Asks the runs to end at once, with [`RunError::Cancelled`](super::RunError::Cancelled).
    pub fn cancel(&self) {
        self.ask(2);
    }

    /// Returns the request.
    pub fn wish(&self) -> StopWish {
        match self.0.wish.load(Ordering::Acquire) {
            0 => StopWish::None,
            1 => StopWish::Drain,
            _ => StopWish::Cancel,
        }
    }

    /// Waits until the request is `wish` or a higher one.
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
