//! An overall deadline for one attempt. The connection's own patience is in `openai`.

use std::time::Duration;

use futures_util::FutureExt;

use super::super::error::{ModelError, ModelErrorKind, Patience};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};

/// A model that must have answered within a limit.
pub struct Deadline<M> {
    inner: M,
    limit: Duration,
    endpoint: Option<String>,
}

impl<M: ChatModel> Deadline<M> {
    /// `inner`, given up after `limit`.
    pub fn new(inner: M, limit: Duration) -> Self {
        Self { inner, limit, endpoint: None }
    }

    /// The same; its errors name `endpoint`.
    pub fn at(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        self
    }
}

impl<M: ChatModel> ChatModel for Deadline<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let answer = tokio::time::timeout(self.limit, self.inner.chat(request, sink)).await;
            answer.unwrap_or_else(|_| {
                let kind = ModelErrorKind::Timeout { which: Patience::Overall, limit: self.limit };
                let error = ModelError::new(self.name(), kind);
                Err(self.endpoint.iter().fold(error, ModelError::at))
            })
        }
        .boxed()
    }
}
