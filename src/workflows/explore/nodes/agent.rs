//! Node `agent`: asks the model once (EXP-3). After an answer without calls the agent is reminded once
//! to call `finish`; a second one ends it (EXP-8).

use serde::Serialize;

use super::announce::record_events;
use super::by_rules::LimitedModel;
use super::plan::agents_below;
use super::target::scope_name;
use super::tokens::TokenEvents;
use crate::agent::around::{Budget, Journal, Trimming};
use crate::agent::{Agent, ModelTurn, Round, Spent, Stack, Toolbox};
use crate::engine::{Cx, NodeResult, State as _, with_causes};
use crate::llm::{ChatAnswer, Message, Offline, Role, SharedModel};
use crate::workflows::explore::agents::{AgentEnd, AgentRun, AgentRunUpdate};
use crate::workflows::explore::events::ExplorationEvent;
use crate::workflows::explore::services::{ExploreResources, ExploreServices};
use crate::workflows::node_errors::ends_the_run;

/// Label of the requests in meters and traces, and key of the answers in the journal.
pub(super) const LABEL: &str = "explore";
/// Maximum number of file names in the first message (EXP-28).
const NAMES: usize = 50;

/// Asks the model once and records its answer, or ends the agent at a limit (EXP-9). A failed request
/// ends the agent as failed, except that of the root, which can be resumed.
pub(in super::super) async fn ask(agent: &AgentRun, cx: &Cx<ExploreServices>) -> NodeResult<AgentRunUpdate> {
    let resources = cx.services().resources()?;
    enter(agent, resources, cx)?;
    if agent.rounds >= agent_steps(resources) {
        let reason = format!("it used its {} answers without `finish`", agent.rounds);
        return end(agent, AgentRun::update(), AgentEnd::Failed(reason), cx);
    }
    let toolbox = &resources.tools().await?.toolbox;
    let begun = begin_conversation(agent, toolbox, resources)?;
    let mut messages = agent.messages.to_request();
    messages.extend(begun.iter().cloned());
    let mut round = next_round(agent, resources, messages.len());
    let (model, rules) = (resources.model.clone(), Offline::builder().build());
    let model: SharedModel = match model {
        Some(model) => model,
        None => std::sync::Arc::new(rules),
    };
    let tokens = TokenEvents::new(resources, cx, &agent.agent_id, round.number);
    let asked = Agent::new(LABEL, &model, toolbox).stack(stack(agent, toolbox, resources, cx)).sink(&tokens);
    let asked = match resources.prices {
        Some(prices) => asked.prices(prices),
        None => asked,
    };
    let turn = asked.ask(&messages, &mut round).await;
    tokens.finish();
    let update = begun.into_iter().fold(AgentRun::update(), AgentRunUpdate::messages);
    match turn {
        Ok(Ok(ModelTurn { answer, .. })) => hear(agent, update, answer, resources, cx),
        Ok(Err(halt)) => end(agent, update, AgentEnd::Failed(halt.reason), cx),
        // A run whose root gets no answer can be resumed when the model is there again. Any other agent is a part of its parent's work.
        Err(error) if ends_the_run(&error) || (agent.parent_id.is_none() && !is_limit(&error)) => Err(error),
        Err(error) => end(agent, update, AgentEnd::Failed(with_causes(error.source())), cx),
    }
}

/// Prepares a step, also after a resume: writes the notes of the state to the notepad, announces the
/// root, and remembers the state in case the step fails.
pub(super) fn enter(
    agent: &AgentRun,
    resources: &ExploreResources,
    cx: &Cx<ExploreServices>,
) -> NodeResult<()> {
    if agent.parent_id.is_none() {
        resources.tell(cx, ExplorationEvent::spawned(&agent.agent_id, &agent.purpose, &agent.scope()))?;
    }
    agent.notes.iter().try_for_each(|note| resources.write_note(cx, note))?;
    resources.remember(agent);
    Ok(())
}

/// Returns the maximum number of answers of an agent.
fn agent_steps(resources: &ExploreResources) -> u32 {
    resources.settings.steps.max(1)
}

/// Returns number, limit and expenses of the next request. `at` is the number of messages before it.
pub(super) fn next_round(agent: &AgentRun, resources: &ExploreResources, at: usize) -> Round {
    Round { number: agent.rounds + 1, limit: agent_steps(resources), at, spent: agent.spent_in_all() }
}

/// Returns true for the error of the time limit.
fn is_limit(error: &crate::engine::NodeError) -> bool {
    error.downcast_ref::<super::by_rules::OutOfTime>().is_some()
}

/// Returns the middleware of a request, the outermost first: layers that decide are outside the
/// journal, layers that wait or cost are inside.
fn stack<'a>(
    agent: &'a AgentRun,
    toolbox: &Toolbox,
    resources: &'a ExploreResources,
    cx: &'a Cx<ExploreServices>,
) -> Stack<'a> {
    let budget = Budget::new(agent.allowance.budget);
    let budget = match resources.prices {
        Some(prices) => budget.prices(prices),
        None => budget,
    };
    let trimming = Trimming::new(resources.settings.max_input_tokens, toolbox.priorities());
    let stack = Stack::new().with(trimming);
    // Rules cost nothing.
    let stack = if resources.is_rules() { stack } else { stack.with(budget) };
    stack.with(Journal::new(cx, LABEL)).with(LimitedModel { agent, resources })
}

/// Returns the update for an answer: its calls, a reminder, or the end of the agent.
fn hear(
    agent: &AgentRun,
    update: AgentRunUpdate,
    answer: ChatAnswer,
    resources: &ExploreResources,
    cx: &Cx<ExploreServices>,
) -> NodeResult<AgentRunUpdate> {
    let mut spent: Spent = agent.spent.clone();
    spent.answer(LABEL, &answer, resources.prices);
    let update = update.spent(spent).rounds(agent.rounds + 1);
    if !answer.tool_calls.is_empty() {
        return Ok(update.messages(Message::calling(answer.text, answer.tool_calls)));
    }
    let text = answer.text.trim();
    // Endpoints refuse a message without content.
    let update = if text.is_empty() { update } else { update.messages(Message::assistant(text)) };
    if agent.reminded || agent.rounds + 1 >= agent_steps(resources) {
        let summary = if text.is_empty() { last_text(agent) } else { text.to_owned() };
        return end(agent, update.summary(summary), AgentEnd::Stopped, cx);
    }
    let reminder = resources.render("reminder.user.md", &())?;
    Ok(update.messages(Message::user(reminder)).reminded(true))
}

/// Ends the agent. Here only the end of the root is announced; its parent announces any other.
pub(super) fn end(
    agent: &AgentRun,
    update: AgentRunUpdate,
    end: AgentEnd,
    cx: &Cx<ExploreServices>,
) -> NodeResult<AgentRunUpdate> {
    let is_cut_short = matches!(end, AgentEnd::Failed(_));
    let update = update.end(Some(end));
    let update = if is_cut_short { update.summary(last_text(agent)) } else { update };
    tell_root_end(agent, &update, cx)?;
    Ok(update)
}

/// Announces the end of the root agent, if the update ends it.
pub(super) fn tell_root_end(
    agent: &AgentRun,
    update: &AgentRunUpdate,
    cx: &Cx<ExploreServices>,
) -> NodeResult<()> {
    if agent.parent_id.is_some() {
        return Ok(());
    }
    let mut after = agent.clone();
    after.fold(update.clone());
    match after.end {
        Some(_) => cx.services().resources()?.tell_all(cx, record_events(&after.record())),
        None => Ok(()),
    }
}

/// Returns the last text of the model in the conversation; empty if there is none.
fn last_text(agent: &AgentRun) -> String {
    let texts = agent.messages.iter().rev().map(|kept| &kept.message);
    let mut texts =
        texts.filter(|message| message.role == Role::Assistant).map(|message| message.content.trim());
    texts.find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

/// Variables of the system prompt of an agent (EXP-26, EXP-27).
#[derive(Serialize)]
struct AgentPromptVariables<'a> {
    agent_id: String,
    is_root: bool,
    scope: &'a str,
    purpose: &'a str,
    context_packet: &'a str,
    depth: u32,
    max_depth: u32,
    may_delegate: bool,
    agents_left: u32,
    steps: u32,
    tools: Vec<&'a str>,
}

/// Variables of the first user message of an agent (EXP-28).
#[derive(Serialize)]
struct FirstMessageVariables<'a> {
    repo_root: String,
    scope: &'a str,
    files: usize,
    names: Vec<&'a str>,
    more: usize,
}

/// Returns the system prompt and the first message; empty if the conversation has begun.
fn begin_conversation(
    agent: &AgentRun,
    toolbox: &Toolbox,
    resources: &ExploreResources,
) -> NodeResult<Vec<Message>> {
    if !agent.messages.is_empty() {
        return Ok(Vec::new());
    }
    let scope = if agent.scope_path.is_empty() { String::new() } else { scope_name(&agent.scope_path) };
    let agents_left = agent.allowance.agents.saturating_sub(agents_below(agent));
    let system = AgentPromptVariables {
        agent_id: agent.agent_id.to_string(),
        is_root: agent.parent_id.is_none(),
        scope: &scope,
        purpose: &agent.purpose,
        context_packet: &agent.context_packet,
        depth: agent.depth,
        max_depth: agent.max_depth,
        may_delegate: agent.depth < agent.max_depth && agents_left > 0,
        agents_left,
        steps: agent_steps(resources),
        tools: toolbox.specs().iter().map(|tool| tool.name.as_str()).collect(),
    };
    let task = FirstMessageVariables {
        repo_root: agent.repo_root.display().to_string(),
        scope: &scope,
        files: agent.scope_files.len(),
        names: agent.scope_files.iter().take(NAMES).map(String::as_str).collect(),
        more: agent.scope_files.len().saturating_sub(NAMES),
    };
    Ok(vec![
        Message::system(resources.render("agent.system.md", &system)?),
        Message::user(resources.render("agent.user.md", &task)?),
    ])
}
