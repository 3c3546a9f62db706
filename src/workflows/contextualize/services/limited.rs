//! The limit of tokens a minute (CTX-85) around a model. The limits of requests are those of its provider.

use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::agent::around::Throttle;
use crate::llm::{AnswerFuture, ChatModel, ChatRequest, ModelName, SharedModel, TokenSink};

/// A model whose requests wait until the window of a minute has room for their tokens.
struct Throttled {
    inner: SharedModel,
    throttle: Throttle,
}

/// Wraps a model so that requests wait until at most `per_minute` tokens are used in a minute. A larger
/// request passes when the minute is empty.
pub fn limit_tokens(model: SharedModel, per_minute: u64) -> SharedModel {
    // The throttle uses 85 % of its limit; `per_minute` is what is used.
    let limit = per_minute.saturating_mul(100).div_ceil(85);
    Arc::new(Throttled { inner: model, throttle: Throttle::new().tokens(limit) })
}

impl ChatModel for Throttled {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        self.throttle.pass(request, self.inner.chat(request, sink)).boxed()
    }
}
