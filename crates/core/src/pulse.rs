//! Signs of life of a task, for its limit of idle time (LangGraph F35). Kept apart from the context, since a graph inside the task
//! gives them as well.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// What counts as a sign of life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Signs {
    /// A heartbeat, an event of the node's own, a piece of a message, a journaled result, a superstep of a graph inside.
    #[default]
    All,
    /// Only [`Cx::heartbeat`](super::Cx::heartbeat).
    Heartbeats,
}

/// When a task gave its last sign of life.
pub(crate) struct Pulse {
    counted: Signs,
    since: Instant,
    /// In microseconds after `since`.
    last: AtomicU64,
}

impl Pulse {
    /// The first sign.
    pub(crate) fn new(counted: Signs) -> Self {
        Self { counted, since: Instant::now(), last: AtomicU64::new(0) }
    }

    /// Another sign.
    pub(crate) fn beat(&self, sign: Signs) {
        if self.counted == Signs::All || sign == Signs::Heartbeats {
            let now = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.last.fetch_max(now, Ordering::AcqRel);
        }
    }

    /// Returns when there has been no sign for so long.
    pub(crate) async fn stops_for(&self, limit: Duration) {
        loop {
            let due = self.since + Duration::from_micros(self.last.load(Ordering::Acquire)) + limit;
            if Instant::now() >= due {
                return;
            }
            tokio::time::sleep_until(due).await;
        }
    }
}
