//! The time that checkpoints carry. Given to the graph, so that tests can fix it; sleeping is tokio's, which tests can pause.

use std::sync::Arc;

/// Tells the time in milliseconds since 1970 (UTC).
#[derive(Clone)]
pub struct Clock(Option<Arc<dyn Fn() -> u64 + Send + Sync>>);

impl Clock {
    /// The system's clock.
    pub const SYSTEM: Self = Self(None);

    /// A clock that always tells this time.
    pub fn fixed(ms: u64) -> Self {
        Self::from_fn(move || ms)
    }

    /// A clock of one's own.
    pub fn from_fn(now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(now_ms)))
    }

    /// The time. That of the system is as exact as the kernel's tick, on Linux mostly 4 ms.
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
    // Not `as_millis`: it divides 128 bits.
    now.map_or(0, |since| since.as_secs() * 1000 + u64::from(since.subsec_millis()))
}
