//! `agent`: a model that works with tools. Each answer and each call is journaled: after a kill the conversation goes on
//! where it was.

use serde::Serialize;
use serde_json::Value;

use super::desk::Desk;
use super::history::{Spoken, answered, kept};
use super::model::{answer, found, with_offline};
use super::services::Services;
use super::work::Place;
use crate::agent::around::Journal;
use crate::agent::limit::ROUNDS;
use crate::agent::{CallResult, Stack, with_distinct_ids};
use crate::definition::expression::Scope;
use crate::definition::kind::AgentKind;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{Message, ToolCall};

/// Told when a tool was run.
#[derive(Serialize)]
struct Called<'a> {
    tool: &'a str,
    round: u32,
    success: bool,
}

pub(super) async fn result(
    kind: &AgentKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let model = found(kind.name.as_deref(), cx)?;
    let AgentKind { system, task, history, .. } = kind;
    let spoken = Spoken { system: system.as_ref(), prompt: task.as_ref(), history: history.as_deref() };
    let request = spoken.request(scope, place)?;
    let mut request = with_offline(request, model, kind.offline.as_ref(), scope, place)?;
    let mut desk = Desk::open(&kind.tools, place, cx)?;
    request.tools = desk.offered();
    let rounds = kind.rounds.unwrap_or(ROUNDS);
    for round in 1..=rounds {
        let answer = answer(&request, model, &place.key(&format!("answer.{round}")), cx).await?;
        let calls = with_distinct_ids(answer.tool_calls);
        let said = Message::calling(&answer.text, calls.clone());
        place.say([answered(&said, answer.usage)?]);
        if calls.is_empty() {
            return Ok(answer.text.into());
        }
        let results = called(&mut desk, &calls, round, scope, place, cx).await?;
        request.messages.push(said);
        for result in results.iter().map(CallResult::message) {
            place.say([kept(&result)?]);
            request.messages.push(result);
        }
    }
    let error = NodeError::msg(format!("the model still called tools after {rounds} rounds")).permanent();
    Err(error.with_hint("raise `rounds`, or give it less to do"))
}

/// Runs the calls of one answer. Tools that are not offered are refused as unknown ones are.
async fn called(
    desk: &mut Desk<'_>,
    calls: &[ToolCall],
    round: u32,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Vec<CallResult>> {
    let name = format!("calls.{round}");
    let stack = Stack::new().with(Journal::new(cx, place.key(&name)));
    let results = desk.run(calls, &stack, scope, &place.within(&name), cx).await?;
    let tell = async {
        for result in &results {
            let success = result.output.is_success();
            cx.emit("tool_call", &Called { tool: &result.tool, round, success })?;
        }
        Ok::<_, NodeError>(())
    };
    cx.once(&place.key(&format!("told.{round}")), tell).await?;
    Ok(results)
}
