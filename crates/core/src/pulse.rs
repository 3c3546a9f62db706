//! The activity of a task, for its idle limit (LangGraph F35). Not a part of the context, because a graph inside the task also reports
//! activity.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The kinds of activity that reset an idle limit. Also the kind of a single activity when a node reports
/// one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ActivityKind {
    /// A heartbeat, an event of the node's own, a piece of a message, a journaled result, a superstep of a graph inside.
    #[default]
    All,
    /// Only [`Cx::heartbeat`](super::Cx::heartbeat).
    Heartbeats,
}

/// A timer that remembers the last activity of a task and waits until its idle limit is over.
pub(crate) struct ActivityTimer {
    counted: ActivityKind,
    started: Instant,
    /// The last activity, in microseconds after `started`.
    last: AtomicU64,
}

impl ActivityTimer {
    /// Starts the timer; the start is the first activity.
    pub(crate) fn new(counted: ActivityKind) -> Self {
        Self { counted, started: Instant::now(), last: AtomicU64::new(0) }
    }

    /// Sets the time of the last activity to now, if the limit counts this kind.
    pub(crate) fn note(&self, sign: ActivityKind) {
        if self.counted == ActivityKind::All || sign == ActivityKind::Heartbeats {
            let now = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.last.fetch_max(now, Ordering::AcqRel);
        }
    }

    /// Waits until there has been no activity for `limit`.
    pub(crate) async fn wait_until_idle(&self, limit: Duration) {
        loop {
            let due = self.started + Duration::from_micros(self.last.load(Ordering::Acquire)) + limit;
            if Instant::now() >= due {
                return;
            }
            tokio::time::sleep_until(due).await;
        }
    }
}
