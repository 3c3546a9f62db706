//! Collects spans and events for one test while other tests run in the same process.

use std::sync::LazyLock;

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Sends the spans and events of this thread to `collector` until the returned guard is dropped.
pub fn install_collector(collector: impl Subscriber + Send + Sync) -> DefaultGuard {
    static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(InterestedSubscriber));
    LazyLock::force(&SECOND);
    tracing::subscriber::set_default(collector)
}

/// A subscriber that is interested in every callsite and collects nothing.
struct InterestedSubscriber;

impl Subscriber for InterestedSubscriber {
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
