//! Collectors of spans and events for one test beside others in the same process.

use std::sync::Once;

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Event, Metadata, Subscriber};

/// Collects what this thread does until the guard is dropped.
///
/// A callsite caches for the whole process whether anything is interested in it. Where it is met first by a thread without a collector,
/// as a neighbouring test may do at any time, nothing is, and the collector of another thread would never be asked. So every process
/// has one subscriber that takes nothing and is interested in everything: with it each callsite asks the collector of its thread every
/// time.
pub(crate) fn watched(collector: impl Subscriber + Send + Sync) -> DefaultGuard {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tracing::subscriber::set_global_default(Asking).expect("tests set no other global subscriber");
    });
    tracing::subscriber::set_default(collector)
}

/// The subscriber of threads that are not watched.
struct Asking;

impl Subscriber for Asking {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
