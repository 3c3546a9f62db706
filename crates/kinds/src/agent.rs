//! The node kind `agent`: a model that works with tools. Each answer and each call is journaled, so that the
//! conversation continues after a kill. If the file demands it, a person approves calls; budgets limit
//! tokens, money and request rates.

use serde::Serialize;
use serde_json::Value;
use tracing::Instrument;

use super::agent_limits::AgentLimits;
use super::dispatcher::{AnswerConsumer, ToolDispatcher};
use super::history::{PromptParts, answer_json, message_json};
use super::model::{find_model, with_offline};
use super::services::Services;
use super::work::WorkContext;
use stategraph_agent::around::{Approval, Journal};
use stategraph_agent::limit::ROUNDS;
use stategraph_agent::{CallResult, HookError, PlannedCall, Round, Stack, with_distinct_ids};
use stategraph_core::{Cx, NodeError, NodeResult};
use stategraph_files::expression::EvalScope;
use stategraph_files::kind::AgentKind;
use stategraph_llm::{Message, ToolSpec};

/// The content of the event `tool_call`, which tells subscribers that a tool has run.
#[derive(Serialize)]
struct ToolCallEvent<'a> {
    tool: &'a str,
    round: u32,
    success: bool,
}

/// Runs an `agent` node in a tracing span of its own. Returns the text of the model's last answer.
pub(super) async fn run(
    kind: &AgentKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let step = stategraph_trace::agent(cx.node());
    let ended = converse(kind, scope, work, cx).instrument(step.span().clone()).await;
    match &ended {
        Ok(text) => {
            step.output(|| text.as_str().unwrap_or_default().to_owned());
            step.succeed();
        }
        Err(error) => step.fail("agent", &error.to_string()),
    }
    ended
}

/// Runs the loop of an agent: asks the model, gets approvals, runs the calls, asks again. Returns the text of
/// the first answer without calls. Fails if the limit of rounds is reached, or a budget exceeded.
async fn converse(
    kind: &AgentKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let model = find_model(kind.name.as_deref(), kind.api_key.as_deref(), work, cx)?;
    let AgentKind { system, task, history, .. } = kind;
    let prompt_parts =
        PromptParts { system: system.as_ref(), prompt: task.as_ref(), history: history.as_deref() };
    let request = prompt_parts.build_request(scope, work)?;
    let mut request = with_offline(request, model, kind.offline.as_ref(), scope, work)?;
    let mut dispatcher = ToolDispatcher::new(&kind.tools, AnswerConsumer::Model, work, cx).await?;
    let approve = dispatcher.to_approve(&kind.approve);
    request.tools = dispatcher.tool_specs();
    let rounds = kind.rounds.unwrap_or(ROUNDS);
    let mut limits = AgentLimits::new(kind, work);
    for round in 1..=rounds {
        limits.check(&request)?;
        let answer = limits.ask(&request, model, &format!("answer.{round}"), work, cx).await?;
        limits.count(&request, &answer, model)?;
        let calls = with_distinct_ids(answer.tool_calls).into_iter().map(PlannedCall::new).collect();
        let calls =
            approve_calls(&approve, &request.tools, calls, limits.to_round(round, rounds), cx).await?;
        let said = calls.iter().map(|call| call.call().clone()).collect();
        let said = Message::calling(&answer.text, said);
        work.record_messages([answer_json(&said, answer.usage)?]);
        if calls.is_empty() {
            return Ok(answer.text.into());
        }
        let results = run_calls(&mut dispatcher, &calls, round, scope, work, cx).await?;
        request.messages.push(said);
        for result in results.iter().map(CallResult::message) {
            work.record_messages([message_json(&result)?]);
            request.messages.push(result);
        }
    }
    let error = NodeError::msg(format!("the model still called tools after {rounds} rounds")).permanent();
    Err(error.with_hint("raise `rounds`, or give it less to do"))
}

/// Asks a person about the calls whose tools are in `approve`. Returns all calls, with the person's edits and
/// refusals.
pub(super) async fn approve_calls(
    approve: &[String],
    tools: &[ToolSpec],
    mut calls: Vec<PlannedCall>,
    round: Round,
    cx: &Cx<Services>,
) -> NodeResult<Vec<PlannedCall>> {
    if !approve.is_empty() {
        let stack = Stack::new().with(Approval::new(cx, approve).schemas(tools));
        match stack.before_calls(&round, &mut calls).await {
            Ok(()) => {}
            Err(HookError::Failed(error)) => return Err(error),
            Err(HookError::Halted(halt)) => return Err(NodeError::from(halt).permanent()),
        }
    }
    Ok(calls)
}

/// Runs the calls of one answer, journals their results, and emits an event for each. A tool that was not
/// offered is answered like an unknown one.
async fn run_calls(
    dispatcher: &mut ToolDispatcher<'_>,
    calls: &[PlannedCall],
    round: u32,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Vec<CallResult>> {
    let name = format!("calls.{round}");
    let stack = Stack::new().with(Journal::new(cx, work.journal_key(&name)));
    let results = dispatcher.run_calls(calls, stack, scope, &work.nested(&name), cx).await?;
    let tell = async {
        for result in &results {
            let success = result.output.is_success();
            cx.emit("tool_call", &ToolCallEvent { tool: &result.tool, round, success })?;
        }
        Ok::<_, NodeError>(())
    };
    cx.once(&work.journal_key(&format!("told.{round}")), tell).await?;
    Ok(results)
}
