//! Runs the calls of one answer: one result per call, whatever happens (ENG-10). Asks no model; see `turn`.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use tracing::Instrument;

use super::limit::{CALL_TIMEOUT, CALLS_AT_ONCE, OUTPUT_CHARS};
use super::middleware::Stack;
use super::next::{CallPlace, Next};
use super::planned::PlannedCall;
use super::tool::{ToolFailure, ToolOutput, panicked_output};
use super::toolbox::Toolbox;
use super::unwind::caught;
use stategraph_base::cut;
use stategraph_core::NodeResult;
use stategraph_llm::{Message, ToolCall};
use stategraph_trace::{SpanContent, ToolSpan, clean_text, tool_call};

/// The limits for running the tool calls of one model answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPolicy {
    /// Most calls of one answer that run at the same time; 0 counts as 1.
    pub at_once: usize,
    /// Maximum time of the tool in one call. The future of a tool that takes longer is dropped.
    pub timeout: Duration,
    /// Maximum length of the content of a result, in characters, without the line about the omitted part.
    pub output_chars: usize,
}

impl Default for CallPolicy {
    fn default() -> Self {
        Self { at_once: CALLS_AT_ONCE, timeout: CALL_TIMEOUT, output_chars: OUTPUT_CHARS }
    }
}

/// The result of one tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The id of the call.
    pub id: String,
    /// The name of the tool, as the model wrote it.
    pub tool: String,
    /// The output of the tool.
    pub output: ToolOutput,
}

impl CallResult {
    /// Returns the result as a message for the model: the output as JSON, without `data`, paired with its
    /// call by the id.
    pub fn message(&self) -> Message {
        let read = ToolOutput { data: None, ..self.output.clone() };
        let content = serde_json::to_string(&read).expect("strings and an enum serialise");
        Message::tool(&self.id, content)
    }
}

/// Runs the tool calls of one answer through the middleware `stack`, with the tools of `toolbox`, up to
/// `policy.at_once` at a time. Returns one result per call, in the order of the calls, also for a call that
/// is malformed, names an unknown tool or times out, or whose tool panics. Of the middleware, only
/// `around_call` runs.
///
/// Of two calls with the same id, the first runs and the second gets an error; see [`with_distinct_ids`].
pub async fn run_calls<'a>(
    toolbox: &'a Toolbox,
    calls: &'a [ToolCall],
    stack: &'a Stack<'a>,
    policy: &'a CallPolicy,
) -> NodeResult<Vec<CallResult>> {
    let planned: Vec<PlannedCall> = calls.iter().cloned().map(PlannedCall::new).collect();
    run_planned(toolbox, &planned, stack, policy).await
}

/// Runs calls as [`run_calls`] does, after middleware has decided on them: a refused call gets its refusal as
/// the result and does not run.
pub async fn run_planned<'a>(
    toolbox: &'a Toolbox,
    calls: &'a [PlannedCall],
    stack: &'a Stack<'a>,
    policy: &'a CallPolicy,
) -> NodeResult<Vec<CallResult>> {
    Runner { toolbox, stack, policy, at: 0 }.run(calls).await
}

/// The toolbox, middleware and limits with which the calls of one answer are run.
pub(super) struct Runner<'a> {
    pub(super) toolbox: &'a Toolbox,
    pub(super) stack: &'a Stack<'a>,
    pub(super) policy: &'a CallPolicy,
    /// The number of messages in the conversation before the round. It is part of the journal key of each
    /// call.
    pub(super) at: usize,
}

/// The use of a call's id within one answer.
#[derive(Clone, Copy)]
enum CallIdUse {
    /// No earlier call of the answer has the id.
    First,
    /// An earlier call has the same id, so this call is not run.
    Again,
}

impl Runner<'_> {
    /// Runs the calls and returns one result per call, in their order. Fails if middleware fails; the calls
    /// that are still running are then dropped.
    pub(super) async fn run(&self, calls: &[PlannedCall]) -> NodeResult<Vec<CallResult>> {
        let mut seen = BTreeSet::new();
        let run = |(index, planned): (usize, &'_ PlannedCall)| {
            let call = planned.call();
            let repeat = if seen.insert(call.id.clone()) { CallIdUse::First } else { CallIdUse::Again };
            let place = CallPlace { at: self.at, index };
            in_tool_span(call.clone(), self.run_call(planned.clone(), repeat, place)).boxed()
        };
        // Boxed, since the compiler cannot see that a stream of unnamed futures may move between threads.
        let running: Vec<BoxFuture<'_, NodeResult<CallResult>>> = calls.iter().enumerate().map(run).collect();
        stream::iter(running).buffered(self.policy.at_once.max(1)).try_collect().await
    }

    /// Returns the result of one call: its refusal, an error for a repeated id, or the output of the
    /// middleware and the tool, cut to the policy's length.
    async fn run_call(
        &self,
        planned: PlannedCall,
        repeat: CallIdUse,
        place: CallPlace,
    ) -> NodeResult<CallResult> {
        let output = match (planned.refusal(), repeat) {
            (Some(refusal), _) => refusal.clone(),
            (None, CallIdUse::First) => self.through(planned.call(), place).await?,
            (None, CallIdUse::Again) => ToolOutput::failure(
                ToolFailure::RepeatedId,
                "another call of the same answer has this id; call again with an id of its own",
            ),
        };
        let output = match planned.warning().filter(|_| output.warning.is_none()) {
            Some(warning) => output.warn(warning),
            None => output,
        };
        let output = limit_output(output, self.policy.output_chars);
        let ToolCall { id, name: tool, .. } = planned.into_call();
        Ok(CallResult { id, tool, output })
    }

    /// Runs a call through `around_call` of all middleware, then the tool. A panic of middleware becomes a
    /// failed output; the toolbox catches panics of tools.
    async fn through(&self, call: &ToolCall, place: CallPlace) -> NodeResult<ToolOutput> {
        let Self { toolbox, stack, policy, .. } = *self;
        let next = Next { inner: stack.layers(), toolbox, policy, place };
        caught(|| next.run(call.clone())).await.unwrap_or_else(|message| Ok(panicked_output(&message)))
    }
}

/// Runs `running` in the tracing span of the call and records its result there. The span is opened when the
/// call starts, not while it waits for a free slot. If this future is dropped, the span is recorded as
/// cancelled (SEC-156).
async fn in_tool_span(
    call: ToolCall,
    running: impl Future<Output = NodeResult<CallResult>>,
) -> NodeResult<CallResult> {
    let step = tool_call(&ToolSpan { tool: &call.name, id: &call.id, arguments: &call.arguments });
    let ended = running.instrument(step.span().clone()).await;
    match &ended {
        Ok(CallResult { output, .. }) => {
            step.content(SpanContent::ToolResult, || clean_text(&output.content));
            match output.failure {
                None => step.succeed(),
                // The text of a failure is content: it may quote the file that was read.
                Some(failure) => step.fail(failure.as_error_type(), &failure.to_string()),
            }
        }
        Err(error) => step.fail("middleware", &error.to_string()),
    }
    ended
}

/// Cuts the content to `limit` characters and appends a line that says how much is left out.
fn limit_output(output: ToolOutput, limit: usize) -> ToolOutput {
    let content = cut(&output.content, limit);
    match content.left_out {
        0 => output,
        _ => ToolOutput { content: content.to_string(), ..output },
    }
}

/// Returns the calls with ids that are distinct and not empty, because some models repeat ids and endpoints
/// refuse such conversations. The first call with an id keeps it; another gets a number appended, as in
/// `call_2`.
pub fn with_distinct_ids(mut calls: Vec<ToolCall>) -> Vec<ToolCall> {
    let mut taken: BTreeSet<String> = calls.iter().map(|call| call.id.clone()).collect();
    let mut seen = BTreeSet::new();
    for (at, call) in calls.iter_mut().enumerate() {
        if !call.id.is_empty() && seen.insert(call.id.clone()) {
            continue;
        }
        let stem = if call.id.is_empty() { "call" } else { &call.id };
        let fresh = (at + 1..=at + 1 + taken.len())
            .map(|number| format!("{stem}_{number}"))
            .find(|id| !taken.contains(id))
            .expect("more numbers are tried than ids are taken");
        taken.insert(fresh.clone());
        call.id = fresh;
    }
    calls
}
