//! Time limit of an exploration (EXP-66).

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::Instant;

/// Time limit for all agents of an exploration together. It counts from the first request of the
/// process; a resumed run counts anew, because the time between kill and resume is not spent.
#[derive(Debug)]
pub struct TreeDeadline {
    limit: Duration,
    began: OnceLock<Instant>,
}

impl TreeDeadline {
    /// Makes a limit of this many seconds.
    pub fn seconds(seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), began: OnceLock::new() }
    }

    /// Returns the limit in seconds if it is reached, else `None`. The first call starts the time.
    pub fn exceeded(&self) -> Option<u64> {
        let began = self.began.get_or_init(Instant::now);
        (began.elapsed() >= self.limit).then_some(self.limit.as_secs())
    }
}
