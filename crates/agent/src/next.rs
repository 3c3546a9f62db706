//! The rest of a stack, as middleware is handed it: in its middle stand the model, and the tool. Decides nothing.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::call::CallPolicy;
use super::middleware::{Middleware, Round};
use super::priority::Priority;
use super::tool::{ToolFailure, ToolOutput};
use super::toolbox::Toolbox;
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ChatAnswer, ChatModel, ChatRequest, ModelError, ModelName, TokenSink, ToolCall};

/// The rest of the stack, and then the model.
#[derive(Clone, Copy)]
pub struct NextModel<'a> {
    pub(super) inner: &'a [Arc<dyn Middleware + 'a>],
    pub(super) model: &'a dyn ChatModel,
    pub(super) sink: &'a dyn TokenSink,
    pub(super) round: &'a Round,
}

impl<'a> NextModel<'a> {
    /// Asks through the rest.
    pub fn ask(self, request: &'a ChatRequest) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        match self.inner.split_first() {
            Some((middleware, inner)) => middleware.around_model(request, Self { inner, ..self }),
            None => async move { self.model.chat(request, self.sink).await.map_err(no_answer) }.boxed(),
        }
    }

    /// Returns the name of the model.
    pub fn model_name(&self) -> &'a ModelName {
        self.model.name()
    }

    /// Returns the round.
    pub fn round(&self) -> &'a Round {
        self.round
    }
}

/// Returns the permanent error of a node whose model gave no answer: the model layer has tried again what can be tried again.
pub fn no_answer(error: ModelError) -> NodeError {
    let hint = error.hint();
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// The rest of the stack, and then the tool. May be run more than once, or with another call.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(super) inner: &'a [Arc<dyn Middleware + 'a>],
    pub(super) toolbox: &'a Toolbox,
    pub(super) policy: &'a CallPolicy,
    pub(super) place: CallPlace,
}

/// Which call of a conversation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPlace {
    /// The number of messages in the conversation before the round.
    pub at: usize,
    /// Which call of the answer, from 0.
    pub index: usize,
}

impl<'a> Next<'a> {
    /// Runs `call` through the rest. The policy's time limit counts for the tool alone: middleware may wait for a person.
    pub fn run(self, call: ToolCall) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        match self.inner.split_first() {
            Some((middleware, inner)) => middleware.around_call(call, Self { inner, ..self }),
            None => async move { Ok(self.run_tool(&call).await) }.boxed(),
        }
    }

    /// Returns the place of the call in the conversation.
    pub fn place(&self) -> CallPlace {
        self.place
    }

    /// Returns the priority of the results of the tool with this name.
    pub fn priority(&self, tool: &str) -> Priority {
        self.toolbox.priority(tool)
    }

    async fn run_tool(self, call: &ToolCall) -> ToolOutput {
        let limit = self.policy.timeout;
        tokio::time::timeout(limit, self.toolbox.call(call)).await.unwrap_or_else(|_| {
            let reason = format!("`{}` did not answer within {limit:?}", call.name);
            ToolOutput::failure(ToolFailure::TimedOut, reason)
        })
    }
}
