//! The remaining layers that an `around` hook of middleware gets as `next`: the middleware inside it, then
//! the model or the tool. Decides nothing.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};

use super::call::CallPolicy;
use super::middleware::{Middleware, Round};
use super::priority::Priority;
use super::tool::{ToolFailure, ToolOutput};
use super::toolbox::Toolbox;
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ChatAnswer, ChatModel, ChatRequest, ModelError, ModelName, TokenSink, ToolCall};

/// The layers inside a middleware: the rest of the stack, then the model. A `Middleware::around_model` hook
/// gets it.
#[derive(Clone, Copy)]
pub struct NextModel<'a> {
    pub(super) inner: &'a [Arc<dyn Middleware + 'a>],
    pub(super) model: &'a dyn ChatModel,
    pub(super) sink: &'a dyn TokenSink,
    pub(super) round: &'a Round,
}

impl<'a> NextModel<'a> {
    /// Sends the request through the remaining middleware to the model and returns the answer.
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

    /// Returns the round that the request belongs to.
    pub fn round(&self) -> &'a Round {
        self.round
    }
}

/// Converts an error of a model to a permanent error of a node, with its hint. It is permanent because the
/// layers of the model have already retried where that makes sense.
pub fn no_answer(error: ModelError) -> NodeError {
    let hint = error.hint();
    let error = NodeError::from(error).permanent();
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

/// The layers inside a middleware: the rest of the stack, then the tool. A `Middleware::around_call` hook
/// gets it. It is `Copy`: the hook may run it more than once, or with another call.
#[derive(Clone, Copy)]
pub struct Next<'a> {
    pub(super) inner: &'a [Arc<dyn Middleware + 'a>],
    pub(super) toolbox: &'a Toolbox,
    pub(super) policy: &'a CallPolicy,
    pub(super) place: CallPlace,
}

/// The position of a tool call in its conversation. It identifies the call, for example in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPlace {
    /// The number of messages in the conversation before the round.
    pub at: usize,
    /// Index of the call in its answer, from 0.
    pub index: usize,
}

impl<'a> Next<'a> {
    /// Runs `call` through the remaining middleware and the tool. The policy's time limit counts for the tool
    /// alone, because middleware may wait for a person.
    pub fn run(self, call: ToolCall) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        match self.inner.split_first() {
            Some((middleware, inner)) => middleware.around_call(call, Self { inner, ..self }),
            None => async move { Ok(self.run_tool(&call).await) }.boxed(),
        }
    }

    /// Returns the position of the call in the conversation.
    pub fn place(&self) -> CallPlace {
        self.place
    }

    /// Returns the priority of the results of the tool with this name.
    pub fn priority(&self, tool: &str) -> Priority {
        self.toolbox.priority(tool)
    }

    /// Runs the tool with the time limit. A tool that takes longer gives a failed output.
    async fn run_tool(self, call: &ToolCall) -> ToolOutput {
        let limit = self.policy.timeout;
        tokio::time::timeout(limit, self.toolbox.call(call)).await.unwrap_or_else(|_| {
            let reason = format!("`{}` did not answer within {limit:?}", call.name);
            ToolOutput::failure(ToolFailure::TimedOut, reason)
        })
    }
}
