//! Runs the calls of one answer: one result per call, whatever happens (ENG-10). Asks no model; see `turn`.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};
use tracing::Instrument;

use super::limit::{CALL_TIMEOUT, CALLS_AT_ONCE, OUTPUT_CHARS};
use super::middleware::Stack;
use super::tool::{ToolFailure, ToolOutput, panicked};
use super::toolbox::Toolbox;
use super::unwind::caught;
use crate::llm::{Message, ToolCall};
use crate::repo::cut;

/// How calls are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPolicy {
    /// Most calls of one answer that run at the same time; 0 counts as 1.
    pub at_once: usize,
    /// Longest a tool may take for one call. The future of a tool that takes longer is dropped.
    pub timeout: Duration,
    /// Longest content of a result, in characters, without the line that says what was left out.
    pub output_chars: usize,
}

impl Default for CallPolicy {
    fn default() -> Self {
        Self { at_once: CALLS_AT_ONCE, timeout: CALL_TIMEOUT, output_chars: OUTPUT_CHARS }
    }
}

/// The result of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The id of the call.
    pub id: String,
    /// The name of the tool, as the model wrote it.
    pub tool: String,
    /// What it answered.
    pub output: ToolOutput,
}

impl CallResult {
    /// As the model reads it: JSON, paired with the call by its id.
    pub fn message(&self) -> Message {
        let content = serde_json::to_string(&self.output).expect("strings and an enum serialise");
        Message::tool(&self.id, content)
    }
}

/// Runs `calls` through `stack` with the tools of `toolbox`, several at a time; the results are in the order of the calls,
/// one each, also where a call is refused, wrong, unknown, too slow, or its tool panics.
///
/// Of two calls with one id the first is run and the second gets an error; see [`with_distinct_ids`].
pub async fn run_calls<'a>(
    toolbox: &'a Toolbox,
    calls: &'a [ToolCall],
    stack: &'a Stack,
    policy: &'a CallPolicy,
) -> Vec<CallResult> {
    let mut seen = BTreeSet::new();
    let run = |call: &'a ToolCall| {
        let repeat = if seen.insert(call.id.as_str()) { Repeat::First } else { Repeat::Again };
        let span = tracing::info_span!("tool_call", tool = %call.name, id = %call.id);
        run_call(toolbox, call, repeat, stack, policy).instrument(span).boxed()
    };
    // Boxed, since the compiler cannot see that a stream of unnamed futures may move between threads.
    let running: Vec<BoxFuture<'a, CallResult>> = calls.iter().map(run).collect();
    stream::iter(running).buffered(policy.at_once.max(1)).collect().await
}

#[derive(Clone, Copy)]
enum Repeat {
    First,
    Again,
}

async fn run_call(
    toolbox: &Toolbox,
    call: &ToolCall,
    repeat: Repeat,
    stack: &Stack,
    policy: &CallPolicy,
) -> CallResult {
    let output = match repeat {
        // The toolbox catches its tools; this catches middleware.
        Repeat::First => caught(|| stack.around(toolbox, policy).run(call.clone()))
            .await
            .unwrap_or_else(|message| panicked(&message)),
        Repeat::Again => ToolOutput::failure(
            ToolFailure::RepeatedId,
            "another call of the same answer has this id; call again with an id of its own",
        ),
    };
    CallResult { id: call.id.clone(), tool: call.name.clone(), output: bounded(output, policy.output_chars) }
}

fn bounded(output: ToolOutput, limit: usize) -> ToolOutput {
    let content = cut(&output.content, limit);
    match content.left_out {
        0 => output,
        _ => ToolOutput { content: content.to_string(), ..output },
    }
}

/// The same calls with ids that are all different and not empty: endpoints refuse a conversation without, but some models
/// send it. A first use of an id keeps it.
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
