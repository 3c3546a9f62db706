//! Collectors of spans and events for one test beside others in the same process.

use std::sync::LazyLock;

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Collects what this thread does until the guard is dropped.
///
/// A callsite caches for the whole process whether anything is interested in it. As long as there is a single subscriber, only that of
/// the thread which meets the callsite first is asked: where a neighbouring test without a collector is first, the answer is that nothing
/// is interested, and the collector of another thread is never asked. So every process keeps one more subscriber, which is interested in
/// everything and the default of no thread: with it each callsite asks the collector of its thread every time. It is not set as the global one,
/// because the programs set theirs in this process as well.
pub fn watched(collector: impl Subscriber + Send + Sync) -> DefaultGuard {
    static ASKING: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(Asking));
    LazyLock::force(&ASKING);
    tracing::subscriber::set_default(collector)
}

/// A subscriber that is interested in every callsite, and takes nothing.
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
