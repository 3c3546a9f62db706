//! The time limit of the tree (EXP-66).

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::Instant;

/// The time limit of the tree. It counts the time of one process, from its first request; a resumed run counts anew, because the time
/// between a kill and the resume is not spent.
#[derive(Debug)]
pub struct TreeDeadline {
    limit: Duration,
    began: OnceLock<Instant>,
}

impl TreeDeadline {
    /// Makes a limit of so many seconds.
    pub fn seconds(seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), began: OnceLock::new() }
    }

    /// Returns the limit in seconds if it is reached.
    pub fn exceeded(&self) -> Option<u64> {
        let began = self.began.get_or_init(Instant::now);
        (began.elapsed() >= self.limit).then_some(self.limit.as_secs())
    }
}
