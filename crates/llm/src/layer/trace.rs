//! Opens a span per model call (ENG-28): model, label, tokens, duration, outcome. Contains no message and no answer (ENG-27).

use futures_util::FutureExt;
use tokio::time::Instant;
use tracing::Instrument;
use tracing::field::Empty;

use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};

/// A model with a span per call.
pub struct Traced<M> {
    inner: M,
}

impl<M: ChatModel> Traced<M> {
    /// Wraps `inner` with spans.
    pub fn new(inner: M) -> Self {
        Self { inner }
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
        let span = tracing::info_span!(
            "model_call",
            model = %self.name(),
            label = request.label,
            prompt_tokens = Empty,
            completion_tokens = Empty,
            duration_ms = Empty,
            error = Empty,
        );
        let entered = span.clone();
        async move {
            let start = Instant::now();
            let answer = self.inner.chat(request, sink).await;
            span.record("duration_ms", u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX));
            match &answer {
                Ok(answer) => {
                    span.record("prompt_tokens", answer.usage.prompt_tokens);
                    span.record("completion_tokens", answer.usage.completion_tokens);
                }
                Err(error) => drop(span.record("error", error.to_string())),
            }
            answer
        }
        .instrument(entered)
        .boxed()
    }
}
