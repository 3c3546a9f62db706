//! A deadline for one whole attempt, where the user sets one. The timeouts between tokens are in `openai`.

use std::time::Duration;

use futures_util::FutureExt;

use super::super::error::{ModelError, ModelErrorKind, RequestTimeout};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};

/// A model whose calls fail with a timeout if they take longer than a limit.
pub struct Deadline<M> {
    inner: M,
    limit: Duration,
}

impl<M: ChatModel> Deadline<M> {
    /// Wraps `inner` with a deadline of `limit`.
    pub fn new(inner: M, limit: Duration) -> Self {
        Self { inner, limit }
    }
}

impl<M: ChatModel> ChatModel for Deadline<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let answer = tokio::time::timeout(self.limit, self.inner.chat(request, sink)).await;
            answer.unwrap_or_else(|_| {
                let kind = ModelErrorKind::Timeout { which: RequestTimeout::Overall, limit: self.limit };
                Err(ModelError::of(self, kind))
            })
        }
        .boxed()
    }
}
