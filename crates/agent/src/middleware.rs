//! Hooks around a model and its tool calls (ENG-11): budgets, trimming, approval, journal, logging. Runs no loop; see `turn`. Ready-made
//! ones are in `around`.

use std::sync::Arc;

use futures_util::future::{self, BoxFuture, FutureExt};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::next::{Next, NextModel};
use super::planned::PlannedCall;
use super::spent::Spent;
use super::tool::ToolOutput;
use stategraph_core::{NodeError, NodeResult};
use stategraph_llm::{ChatAnswer, ChatRequest, ToolCall};

/// The future that a hook of a [`Middleware`] returns. An error ends the round.
pub type Hook<'a> = BoxFuture<'a, Result<(), HookError>>;

/// Hooks around one round of an agent: the request to the model and the calls of its answer. The default
/// implementation of each hook does nothing.
///
/// The first middleware of a [`Stack`] is the outermost: it sees a request first and an answer last, and its
/// `around` hooks enclose all others. A resumed node runs its hooks again over journaled answers. So hooks
/// decide from the round and their arguments alone, and keep no state of their own that must survive.
///
/// ```
/// use stategraph_agent::{Agent, Conversation, Ended, Halt, Hook, Middleware, Round, Stack, Toolbox};
/// use stategraph_llm::{ChatRequest, Scripted};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// /// Ends a conversation that has become too long.
/// struct AtMost(usize);
/// impl Middleware for AtMost {
///     fn before_model<'a>(&'a self, round: &'a Round, _: &'a mut ChatRequest) -> Hook<'a> {
///         let is_over = round.at > self.0;
///         Box::pin(async move { if is_over { Err(Halt::new("too many messages").into()) } else { Ok(()) } })
///     }
/// }
/// let (model, toolbox) = (Scripted::new("test/model").answer("4"), Toolbox::new());
/// let agent = Agent::new("calculator", &model, &toolbox).stack(Stack::new().with(AtMost(1)));
/// let ended = agent.converse(&mut Conversation::new("You calculate.", "2 + 2?")).await.unwrap();
/// assert_eq!(ended, Ended::Halted(Halt::new("too many messages")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub trait Middleware: Send + Sync {
    /// Runs before the request to the model. It may change the request, but not the stored conversation, or
    /// end the run.
    fn before_model<'a>(&'a self, _round: &'a Round, _request: &'a mut ChatRequest) -> Hook<'a> {
        future::ready(Ok(())).boxed()
    }

    /// Runs around the request to the model, which `next` sends.
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        next.ask(request)
    }

    /// Runs after the answer of the model. It may change the answer before it is stored and its calls are
    /// run, or end the run.
    fn after_model<'a>(&'a self, _round: &'a Round, _answer: &'a mut ChatAnswer) -> Hook<'a> {
        future::ready(Ok(())).boxed()
    }

    /// Runs before the calls of an answer, with all of them in call order, so that decisions do not depend on
    /// the order in which tools finish. It may refuse calls, change their arguments, or end the run. The
    /// first middleware of a stack decides first.
    fn before_calls<'a>(&'a self, _round: &'a Round, _calls: &'a mut [PlannedCall]) -> Hook<'a> {
        future::ready(Ok(())).boxed()
    }

    /// Runs around one call that was not refused. `next` runs the call; without `next` it does not run, and the returned output is its
    /// result. A refusal is [`ToolOutput::refused`] with the reason. The calls of one answer run concurrently. An error is not sent to the
    /// model but fails the round.
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        next.run(call)
    }
}

/// The current round of an agent, as middleware sees it. A round is one request to the model and the calls of
/// its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Number of this request to the model since the last message of the user, from 1.
    pub number: u32,
    /// Maximum number of requests.
    pub limit: u32,
    /// The number of messages in the conversation before the round. It identifies the round within a conversation.
    pub at: usize,
    /// The budget that the conversation has spent. Before the request it excludes this round's answer,
    /// afterwards it includes it. The tool calls of this round are added when all have finished.
    pub spent: Spent,
}

/// A decision of middleware to end the run in good order. It is no failure.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("stopped: {reason}")]
pub struct Halt {
    /// The reason.
    pub reason: String,
}

impl Halt {
    /// Makes a decision to end the run; `reason` is told to the caller, and to the model for each refused
    /// call.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// The reason why a hook ends a round.
#[derive(Debug)]
pub enum HookError {
    /// The run ends here, in good order.
    Halted(Halt),
    /// The round failed, for example because a store does not answer.
    Failed(NodeError),
}

impl From<Halt> for HookError {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

impl From<NodeError> for HookError {
    fn from(error: NodeError) -> Self {
        Self::Failed(error)
    }
}

impl HookError {
    /// Separates the results of a hook: `Ok(None)` to go on, `Ok(Some)` to end the run in good order, an
    /// error if the hook failed.
    pub(super) fn halt(asked: Result<(), Self>) -> NodeResult<Option<Halt>> {
        match asked {
            Ok(()) => Ok(None),
            Err(Self::Halted(halt)) => Ok(Some(halt)),
            Err(Self::Failed(error)) => Err(error),
        }
    }
}

/// A list of middleware, the first outermost.
#[derive(Clone, Default)]
pub struct Stack<'m>(Vec<Arc<dyn Middleware + 'm>>);

impl<'m> Stack<'m> {
    /// Makes a stack without middleware.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `middleware` as the innermost.
    pub fn with(mut self, middleware: impl Middleware + 'm) -> Self {
        self.0.push(Arc::new(middleware));
        self
    }

    /// Calls `before_model` of each middleware, first to last. The first error ends it; later middleware is
    /// not called.
    pub async fn before_model(&self, round: &Round, request: &mut ChatRequest) -> Result<(), HookError> {
        for middleware in &self.0 {
            middleware.before_model(round, request).await?;
        }
        Ok(())
    }

    /// Calls `after_model` of each middleware, last to first. The first error ends it; the rest is not
    /// called.
    pub async fn after_model(&self, round: &Round, answer: &mut ChatAnswer) -> Result<(), HookError> {
        for middleware in self.0.iter().rev() {
            middleware.after_model(round, answer).await?;
        }
        Ok(())
    }

    /// Calls `before_calls` of each middleware, first to last. The first error ends it; later middleware is
    /// not called.
    pub async fn before_calls(&self, round: &Round, calls: &mut [PlannedCall]) -> Result<(), HookError> {
        for middleware in &self.0 {
            middleware.before_calls(round, calls).await?;
        }
        Ok(())
    }

    /// Returns the middleware, outermost first.
    pub(super) fn layers(&self) -> &[Arc<dyn Middleware + 'm>] {
        &self.0
    }
}
