//! Opens a span per model call (ENG-28): model, label, tokens, cost, outcome. Messages and answers enter it only where an export layer captures
//! content; see `trace_content.rs`.

use std::borrow::Cow;

use futures_util::FutureExt;
use stategraph_trace::{ModelCall, TracedStep, model_call, names};
use tracing::Instrument;

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatAnswer, ChatModel, Finish, ModelName, TokenSink, UsageSource};
use super::trace_content::{record_answer, record_request};

/// A model that opens a tracing span for each call.
pub struct Traced<M> {
    inner: M,
    source: AnswerSource,
}

/// The source of the answers of a [`Traced`] model, which decides on the token counts in its spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// The model itself.
    Model,
    /// A replayed recording. Its spans have no token counts, because sums would count the tokens twice.
    Recording,
}

impl<M: ChatModel> Traced<M> {
    /// Wraps `inner` with spans.
    pub fn new(inner: M) -> Self {
        Self { inner, source: AnswerSource::Model }
    }

    /// Sets the source of the answers.
    pub fn answers_from(self, source: AnswerSource) -> Self {
        Self { source, ..self }
    }

    /// Opens the span of a call, with the settings of the request.
    fn open_span(&self, request: &ChatRequest) -> TracedStep {
        let name = self.name();
        let step = model_call(&ModelCall {
            provider: name.provider(),
            model: if name.model().is_empty() { name.provider() } else { name.model() },
            label: &request.label,
            endpoint: self.endpoint(),
            output_type: if request.answer.is_some() { "json" } else { "text" },
            temperature: request.temperature,
            max_tokens: request.max_tokens,
        });
        record_request(step.span(), request);
        step
    }
}

impl<M: ChatModel> ChatModel for Traced<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let step = self.open_span(request);
            let asked = self.inner.chat(request, sink).instrument(step.span().clone());
            let answer = asked.await;
            end_span(step, &answer, self.source);
            answer
        }
        .boxed()
    }
}

/// Records the outcome of a call in its span and closes it.
fn end_span(step: TracedStep, answer: &Result<ChatAnswer, ModelError>, source: AnswerSource) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return step.fail(&error_type(&error.kind), &error.to_string()),
    };
    let span = step.span();
    span.record(names::RESPONSE_MODEL, answer.model.as_str());
    let reason = finish_reason(&answer.finish);
    span.record(names::FINISH_REASONS, reason);
    match source {
        AnswerSource::Model => {
            let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
            span.record(names::INPUT_TOKENS, count(answer.usage.prompt_tokens));
            span.record(names::OUTPUT_TOKENS, count(answer.usage.completion_tokens));
            span.record(names::ESTIMATED, answer.usage.source == UsageSource::Estimated);
            if let Some(cost) = answer.cost {
                span.record(names::COST, cost.in_dollars());
            }
        }
        AnswerSource::Recording => drop(span.record(names::REPLAYED, true)),
    }
    record_answer(span, answer, reason);
    step.succeed();
}

/// Returns the reason for the end of an answer in the words of the OpenTelemetry conventions.
fn finish_reason(finish: &Finish) -> &str {
    match finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::ToolCalls => "tool_call",
        Finish::Other(reason) => reason,
    }
}

/// Returns the kind of a failure for the span: an HTTP status, or a word. There are few different values,
/// because tracing backends group by them.
fn error_type(kind: &ModelErrorKind) -> Cow<'static, str> {
    match kind {
        ModelErrorKind::Status { status, .. } | ModelErrorKind::TryLater { status, .. } => {
            status.to_string().into()
        }
        ModelErrorKind::Unreachable { .. } | ModelErrorKind::Dropped { .. } => "connection".into(),
        ModelErrorKind::Timeout { .. } => "timeout".into(),
        ModelErrorKind::Budget { .. } => "budget".into(),
        _ => "model_error".into(),
    }
}
