//! The kind `agent`: a model that works with tools. Each answer and each call is journaled, so that the conversation
//! continues after a
//! kill. If the file demands it, a person approves calls; budgets limit tokens, money and request rates.

use serde::Serialize;
use serde_json::Value;

use super::desk::{Desk, Reader};
use super::history::{Spoken, answered, kept};
use super::limits::Limits;
use super::model::{found, with_offline};
use super::services::Services;
use super::work::Place;
use stategraph_agent::around::{Approval, Journal};
use stategraph_agent::limit::ROUNDS;
use stategraph_agent::{CallResult, HookError, PlannedCall, Round, Stack, with_distinct_ids};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::Scope;
use stategraph_files::kind::AgentKind;
use stategraph_llm::Message;

/// The event that a tool has run.
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
    let model = found(kind.name.as_deref(), kind.api_key.as_deref(), place, cx)?;
    let AgentKind { system, task, history, .. } = kind;
    let spoken = Spoken { system: system.as_ref(), prompt: task.as_ref(), history: history.as_deref() };
    let request = spoken.request(scope, place)?;
    let mut request = with_offline(request, model, kind.offline.as_ref(), scope, place)?;
    let mut desk = Desk::open(&kind.tools, Reader::Model, place, cx)?;
    request.tools = desk.offered();
    let rounds = kind.rounds.unwrap_or(ROUNDS);
    let mut limits = Limits::of(kind, place);
    for round in 1..=rounds {
        limits.check(&request)?;
        let answer = limits.ask(&request, model, &format!("answer.{round}"), place, cx).await?;
        limits.count(&request, &answer, model)?;
        let calls = with_distinct_ids(answer.tool_calls).into_iter().map(PlannedCall::new).collect();
        let calls = approved(kind, calls, limits.round(round, rounds), cx).await?;
        let said = calls.iter().map(|call| call.call().clone()).collect();
        let said = Message::calling(&answer.text, said);
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

/// Returns the calls after a person has approved, edited or rejected those that need approval.
async fn approved(
    kind: &AgentKind,
    mut calls: Vec<PlannedCall>,
    round: Round,
    cx: &Cx<Services>,
) -> NodeResult<Vec<PlannedCall>> {
    if !kind.approve.is_empty() {
        let stack = Stack::new().with(Approval::new(cx, &kind.approve));
        match stack.before_calls(&round, &mut calls).await {
            Ok(()) => {}
            Err(HookError::Failed(error)) => return Err(error),
            Err(HookError::Halted(halt)) => return Err(NodeError::from(halt).permanent()),
        }
    }
    Ok(calls)
}

/// Runs the calls of one answer. A tool that was not offered is refused like an unknown one.
async fn called(
    desk: &mut Desk<'_>,
    calls: &[PlannedCall],
    round: u32,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Vec<CallResult>> {
    let name = format!("calls.{round}");
    let stack = Stack::new().with(Journal::new(cx, place.key(&name)));
    let results = desk.run(calls, stack, scope, &place.within(&name), cx).await?;
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
