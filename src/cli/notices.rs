//! The one line of the log that everybody wants: that a model is asked again, and how long that takes. Without it, a run that waits
//! for a server looks dead.

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::printer::Printer;

/// Where the model layer says it.
pub(super) const SOURCE: &str = "stategraph_llm::layer::retry=warn";

/// Shows notices as progress.
pub(super) struct Notices(pub(super) Arc<Printer>);

impl<S: Subscriber> Layer<S> for Notices {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut notice = Notice::default();
        event.record(&mut notice);
        let Notice { message, wait, error } = notice;
        self.0.progress(format_args!("{message}{wait}: {error}"));
    }
}

#[derive(Default)]
struct Notice {
    message: String,
    wait: String,
    error: String,
}

impl Visit for Notice {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let text = match field.name() {
            "message" => &mut self.message,
            "wait_ms" => &mut self.wait,
            "error" => &mut self.error,
            _ => return,
        };
        // Writing to a text does not fail.
        let _ = write!(text, "{value:?}");
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "wait_ms" {
            self.wait = format!(" in {:.1?}", Duration::from_millis(value));
        }
    }
}
