//! Stores every answer of the model and every tool result in the journal of the node's task as it arrives, so
//! that a resume pays for nothing twice (D7).

use futures_util::future::{BoxFuture, FutureExt};

use crate::{Middleware, Next, NextModel, ToolOutput, UsageEvent};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_llm::{ChatAnswer, ChatRequest, ToolCall};

/// Middleware that takes answers and tool results from the journal of the task if they are there, and stores
/// new ones.
pub struct Journal<'a, D> {
    cx: &'a Cx<D>,
    key: String,
}

impl<'a, D> Journal<'a, D> {
    /// Makes the middleware. `key` distinguishes the conversation from others of the same task.
    pub fn new(cx: &'a Cx<D>, key: impl Into<String>) -> Self {
        Self { cx, key: key.into() }
    }
}

impl<D: Send + Sync> Middleware for Journal<'_, D> {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            let key = format!("{}.answer.{}", self.key, next.round().at);
            let ask = async {
                let answer = next.ask(request).await?;
                UsageEvent::of(next.model_name(), &answer).tell(self.cx)?;
                Ok::<_, NodeError>(answer)
            };
            self.cx.once(&key, ask).await
        }
        .boxed()
    }

    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let place = next.place();
            let key = format!("{}.call.{}.{}", self.key, place.at, place.index);
            self.cx.once(&key, next.run(call)).await
        }
        .boxed()
    }
}
