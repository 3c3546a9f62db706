//! Shows retries of model calls, with the time until each, as progress; without them a run that waits for a
//! server would seem to hang.

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::printer::Printer;

/// Filter directive of the log that selects the events of the layer which retries model calls.
pub(super) const RETRY_TARGET: &str = "stategraph_llm::layer::retry=warn";

/// A tracing layer that prints each retry event of the model client as a line of progress.
pub(super) struct RetryNotices(pub(super) Arc<Printer>);

impl<S: Subscriber> Layer<S> for RetryNotices {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut notice = RetryNotice::default();
        event.record(&mut notice);
        let RetryNotice { message, wait, error } = notice;
        self.0.progress(format_args!("{message}{wait}: {error}"));
    }
}

/// The fields of a retry event, collected as text.
#[derive(Default)]
struct RetryNotice {
    message: String,
    wait: String,
    error: String,
}

impl Visit for RetryNotice {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = match field.name() {
            "message" => &mut self.message,
            "wait_ms" => &mut self.wait,
            "error" => &mut self.error,
            _ => return,
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "{value:?}");
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "wait_ms" {
            self.wait = format!(" in {:.1?}", Duration::from_millis(value));
        }
    }
}
