//! The clock for the times in checkpoints. It belongs to the graph, so that tests can fix it. Sleeps use tokio's clock, which tests can
//! pause.

use std::sync::Arc;

/// A source of the current time, in milliseconds since 1970 (UTC).
#[derive(Clone)]
pub struct Clock(Option<Arc<dyn Fn() -> u64 + Send + Sync>>);

impl Clock {
    /// The clock of the system.
    pub const SYSTEM: Self = Self(None);

    /// Makes a clock that always shows this time.
    pub fn fixed(ms: u64) -> Self {
        Self::from_fn(move || ms)
    }

    /// Makes a clock that calls this function for the time, in milliseconds since 1970 (UTC).
    pub fn from_fn(now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now_ms)))
    }

    /// Returns the current time. The system's clock has the resolution of the kernel's tick, mostly 4 ms on Linux.
    pub fn now_ms(&self) -> u64 {
        match &self.0 {
            Some(now) => now(),
            None => system_ms(),
        }
    }
}

#[cfg(target_os = "linux")]
fn system_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let (seconds, nanos) = (u64::try_from(now.tv_sec), u64::try_from(now.tv_nsec));
    seconds.unwrap_or(0) * 1000 + nanos.unwrap_or(0) / 1_000_000
}

#[cfg(not(target_os = "linux"))]
fn system_ms() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // Not `as_millis`, because it divides 128 bits.
    now.map_or(0, |since| since.as_secs() * 1000 + u64::from(since.subsec_millis()))
}
