//! The end of a span: succeeded, failed, or cancelled if its work was dropped.

use tracing::Span;

use super::content::{SpanContent, clean_text, record_content};
use super::names;

/// An open span, which is ended by `succeed` or `fail`. Dropping it marks the span as cancelled, because its
/// work was dropped too. That is no error of the span: the run may be stopped, or wait for a person.
///
/// ```
/// use stategraph_trace::chain;
/// use tracing::Instrument;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let step = chain("section Overview");
/// let text = async { "…".to_owned() }.instrument(step.span().clone()).await;
/// step.output(|| text.clone());
/// step.succeed();
/// # });
/// ```
#[must_use = "a dropped step is a cancelled one"]
pub struct TracedStep {
    span: Span,
    ended: bool,
}

impl TracedStep {
    pub(super) fn new(span: Span) -> Self {
        Self { span, ended: false }
    }

    /// Returns the span, so that the caller can run the work in it.
    pub fn span(&self) -> &Span {
        &self.span
    }

    /// Sets the input. `text` is called only if content is captured.
    pub fn input(&self, text: impl FnOnce() -> String) {
        self.content(SpanContent::Input, || clean_text(&text()));
    }

    /// Sets the output. `text` is called only if content is captured.
    pub fn output(&self, text: impl FnOnce() -> String) {
        self.content(SpanContent::Output, || clean_text(&text()));
    }

    /// Sets content of another kind; see [`record_content`].
    pub fn content(&self, content: SpanContent, text: impl FnOnce() -> String) {
        record_content(&self.span, content, text);
    }

    /// Sets the number of the iteration of a loop, from 1.
    pub fn iteration(&self, number: u32) {
        self.span.record(names::ITERATION, i64::from(number));
    }

    /// Ends the span as successful.
    pub fn succeed(mut self) {
        self.end("ok");
    }

    /// Ends the span as failed. `kind` is the type of the failure, one of few different values; `message` is
    /// for people.
    pub fn fail(mut self, kind: &str, message: &str) {
        self.end("failed");
        self.span.record(names::ERROR_TYPE, kind);
        self.span.record(names::special::STATUS, "ERROR");
        self.span.record(names::special::STATUS_TEXT, message);
    }

    /// Records the outcome and prevents that the drop records another.
    fn end(&mut self, outcome: &str) {
        self.ended = true;
        self.span.record(names::OUTCOME, outcome);
    }
}

impl Drop for TracedStep {
    fn drop(&mut self) {
        if !self.ended {
            self.end("cancelled");
        }
    }
}
