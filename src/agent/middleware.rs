//! What stands around a model and its tool calls (ENG-11): budgets, trimming, approval, logging. Runs no loop; see `turn`.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt};
use thiserror::Error;

use super::call::CallPolicy;
use super::tool::{ToolFailure, ToolOutput};
use super::toolbox::Toolbox;
use crate::llm::{ChatAnswer, ChatRequest, ToolCall, Usage};

/// Hooks around one round. Each does nothing unless it is written.
///
/// The first of a stack is the outermost: it sees a request first, an answer last, and encloses the calls of all others.
pub trait Middleware: Send + Sync {
    /// Before the model is asked. May change what is sent (not what is remembered), or end the run.
    fn before_model<'a>(
        &'a self,
        _round: &'a Round,
        _request: &'a mut ChatRequest,
    ) -> BoxFuture<'a, Result<(), Halt>> {
        future::ready(Ok(())).boxed()
    }

    /// After the model has answered. May change what is remembered and run, or end the run.
    fn after_model<'a>(
        &'a self,
        _round: &'a Round,
        _answer: &'a mut ChatAnswer,
    ) -> BoxFuture<'a, Result<(), Halt>> {
        future::ready(Ok(())).boxed()
    }

    /// Around one call: `next` runs it. Without `next` it is not run, and what is returned is its result; a refusal is
    /// [`ToolOutput::refused`] with the reason. Calls of one answer run at the same time.
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, ToolOutput> {
        next.run(call)
    }
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// Which time the model is asked, from 1.
    pub number: u32,
    /// The most times it may be.
    pub limit: u32,
    /// What the conversation took so far: before the model, without this round; after it, with.
    pub usage: Usage,
}

/// Middleware wants the run to end: a decision, not a failure.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("stopped: {reason}")]
pub struct Halt {
    /// Why.
    pub reason: String,
}

impl Halt {
    /// To end a run because of `reason`.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Middleware in order, the first outermost.
#[derive(Clone, Default)]
pub struct Stack(Vec<Arc<dyn Middleware>>);

impl Stack {
    /// Nothing around the model.
    pub fn new() -> Self {
        Self::default()
    }

    /// With `middleware` inside what is there.
    pub fn with(mut self, middleware: impl Middleware + 'static) -> Self {
        self.0.push(Arc::new(middleware));
        self
    }

    /// Lets each see the request, first to last; the first that halts is the last asked.
    pub async fn before_model(&self, round: &Round, request: &mut ChatRequest) -> Result<(), Halt> {
        for middleware in &self.0 {
            middleware.before_model(round, request).await?;
        }
        Ok(())
    }

    /// Lets each see the answer, last to first; the first that halts is the last asked.
    pub async fn after_model(&self, round: &Round, answer: &mut ChatAnswer) -> Result<(), Halt> {
        for middleware in self.0.iter().rev() {
            middleware.after_model(round, answer).await?;
        }
        Ok(())
    }

    pub(super) fn around<'a>(&'a self, toolbox: &'a Toolbox, policy: &'a CallPolicy) -> Next<'a> {
        Next { inner: &self.0, toolbox, policy }
    }
}

/// The rest of the stack, and then the tool. May be run more than once, or with another call (an approval that edits).
#[derive(Clone, Copy)]
pub struct Next<'a> {
    inner: &'a [Arc<dyn Middleware>],
    toolbox: &'a Toolbox,
    policy: &'a CallPolicy,
}

impl<'a> Next<'a> {
    /// Runs `call` through the rest. The policy's time limit counts for the tool alone: middleware may wait for a person.
    pub fn run(self, call: ToolCall) -> BoxFuture<'a, ToolOutput> {
        match self.inner.split_first() {
            Some((middleware, inner)) => middleware.around_call(call, Self { inner, ..self }),
            None => async move { self.run_tool(&call).await }.boxed(),
        }
    }

    async fn run_tool(self, call: &ToolCall) -> ToolOutput {
        let limit = self.policy.timeout;
        tokio::time::timeout(limit, self.toolbox.call(call)).await.unwrap_or_else(|_| {
            let reason = format!("`{}` did not answer within {limit:?}", call.name);
            ToolOutput::failure(ToolFailure::TimedOut, reason)
        })
    }
}
