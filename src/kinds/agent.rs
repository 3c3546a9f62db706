//! `agent`: a model that works with tools. Each answer and each round of calls is journaled: after a kill the conversation goes on
//! where it was.

use serde::Serialize;
use serde_json::Value;

use super::model::{answer, asked, found, with_offline};
use super::services::Services;
use super::work::Place;
use crate::agent::limit::ROUNDS;
use crate::agent::{CallPolicy, CallResult, Stack, run_calls, with_distinct_ids};
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
    let request = asked(place.node, kind.system.as_ref(), &kind.task, scope)?;
    let mut request = with_offline(request, model, kind.offline.as_ref(), scope, place)?;
    request.tools = cx.services().toolbox.only(&kind.tools).specs().to_vec();
    let rounds = kind.rounds.unwrap_or(ROUNDS);
    for round in 1..=rounds {
        let answer = answer(&request, model, &place.key(&format!("answer.{round}")), cx).await?;
        let calls = with_distinct_ids(answer.tool_calls);
        if calls.is_empty() {
            return Ok(answer.text.into());
        }
        let results = called(kind, &calls, round, place, cx).await?;
        request.messages.push(Message::calling(answer.text, calls));
        request.messages.extend(results.iter().map(CallResult::message));
    }
    let error = NodeError::msg(format!("the model still called tools after {rounds} rounds")).permanent();
    Err(error.with_hint("raise `rounds`, or give it less to do"))
}

/// Runs the calls of one answer. Tools that are not offered are refused as unknown ones are.
async fn called(
    kind: &AgentKind,
    calls: &[ToolCall],
    round: u32,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Vec<CallResult>> {
    let run = async {
        let toolbox = cx.services().toolbox.only(&kind.tools);
        let results = run_calls(&toolbox, calls, &Stack::new(), &CallPolicy::default()).await;
        for result in &results {
            let success = result.output.is_success();
            cx.emit("tool_call", &Called { tool: &result.tool, round, success })?;
        }
        Ok::<_, NodeError>(results)
    };
    cx.once(&place.key(&format!("calls.{round}")), run).await
}
