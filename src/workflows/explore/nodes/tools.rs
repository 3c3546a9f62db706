//! Node `tools`: runs the calls of an answer. Several delegations of one answer run in parallel, up to
//! the limit of the settings; results keep the order of the calls (EXP-24).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};

use super::actions::Actions;
use super::agent::{LABEL, enter, next_round, tell_root_end};
use super::announce::Announcer;
use super::effect::{ActionEffect, ChildResult};
use super::plan::{CallPlanner, RoundPlan};
use super::target::normalise;
use crate::agent::around::{Approval, CallsPerRound, Journal, off_the_tape};
use crate::agent::{
    Agent, CallPolicy, CallResult, ForeignTool, Middleware, Next, Stack, ToolFailure, ToolOutput, ToolTurn,
};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::{Message, MessageChange, Offline, ToolCall};
use crate::workflows::explore::agents::{AgentEnd, AgentRun, AgentRunUpdate};
use crate::workflows::explore::services::{ExploreResources, ExploreServices};
use crate::workflows::explore::tools::{READING_FILES, READING_NOTES};
use crate::workflows::foreign_text::without_secrets;
use crate::workflows::tool_servers::AgentTools;

/// Maximum number of calls of one answer that run.
const CALLS: usize = 32;
/// Time limit of a call that reads.
const READ_TIMEOUT: Duration = Duration::from_mins(2);
/// Maximum length of a result, in characters: `read_file` returns up to 12,000 and a line about the
/// rest.
const OUTPUT_CHARS: usize = 13_000;

/// Runs the calls of the last answer and returns the update with their results and effects.
pub(in super::super) async fn run_tools(
    agent: &AgentRun,
    cx: &Cx<ExploreServices>,
) -> NodeResult<AgentRunUpdate> {
    let resources = cx.services().resources()?;
    enter(agent, resources, cx)?;
    let AgentTools { toolbox, foreign } = resources.tools().await?;
    let approve = ForeignTool::approved_by_a_person(foreign);
    let called = agent.messages.last().map(|last| last.message.tool_calls.clone()).unwrap_or_default();
    let at = agent.messages.len();
    let mut round = next_round(agent, resources, at);
    round.number = agent.rounds;
    let plan = RoundPlan::default();
    let announcer = || Announcer { agent, plan: &plan, resources, cx };
    let stack = Stack::new()
        .with(CallsPerRound(CALLS))
        .with(CallPlanner { agent, toolbox, plan: &plan })
        .with(Approval::new(cx, approve).schemas(toolbox.specs()))
        .with(announcer())
        .with(Journal::new(cx, LABEL))
        .with(Actions { plan: &plan, resources, cx })
        .with(ReadToolLayer { agent, resources, foreign });
    // The calls ask no model, and an agent without one is never asked here.
    let model = Offline::builder().build();
    let policy = CallPolicy {
        at_once: resources.settings.parallel.max(1) as usize,
        timeout: READ_TIMEOUT.max(ForeignTool::longest_call(foreign)),
        output_chars: OUTPUT_CHARS,
    };
    let runner = Agent::new(LABEL, &model, toolbox).stack(stack).calls(policy);
    let ToolTurn { calls, results, .. } = runner.run(&mut round, called, None).await?;
    announcer().tell_refused(at, &calls, &results)?;
    let update = collect(agent, &calls, results, resources);
    tell_root_end(agent, &update, cx)?;
    Ok(update)
}

/// Returns the update for the results, in the order of the calls: messages, notes, children, the end of
/// the agent.
fn collect(
    agent: &AgentRun,
    calls: &[ToolCall],
    results: Vec<CallResult>,
    resources: &ExploreResources,
) -> AgentRunUpdate {
    let mut collected = ToolTotals::default();
    let mut update = edit_calls(agent, calls);
    for (call, result) in calls.iter().zip(results) {
        *collected.calls.entry(result.tool.clone()).or_default() += 1;
        update = update.messages(result.message());
        if let Some(path) = read_path(agent, call, &result) {
            collected.read.insert(path);
        }
        match ActionEffect::of(&result.output) {
            Some(ActionEffect::Noted { note, unknown_citations }) => {
                collected.unknown.extend(unknown_citations);
                update = update.notes(note).own_notes(1);
            }
            Some(ActionEffect::Explored(child)) => {
                collected.delegated.extend(child.agents[0].scope.files.iter().cloned());
                update = add_child(update, *child);
            }
            Some(ActionEffect::Finished { summary, unknown_citations }) => {
                collected.unknown.extend(unknown_citations);
                update = update.summary(summary).end(Some(AgentEnd::Finished));
                collected.is_finished = true;
            }
            None => {}
        }
    }
    if collected.is_finished && resources.is_rules() {
        // Rules read all files of their scope through the facts.
        let of_children: BTreeSet<&String> =
            agent.children().iter().flat_map(|child| &child.scope.files).collect();
        let is_own = |file: &&String| !of_children.contains(file) && !collected.delegated.contains(*file);
        let own: Vec<String> = agent.scope_files.iter().filter(is_own).cloned().collect();
        collected.read.extend(own);
    }
    update.calls(collected.calls).read(collected.read).unknown_citations(collected.unknown)
}

/// Returns an update that replaces the calls in the conversation by those that ran, if the plan changed
/// them.
fn edit_calls(agent: &AgentRun, calls: &[ToolCall]) -> AgentRunUpdate {
    let edited = agent.messages.last().filter(|last| last.message.tool_calls != calls);
    let Some(last) = edited else { return AgentRun::update() };
    let message = Message { tool_calls: calls.to_vec(), ..last.message.clone() };
    AgentRun::update().messages(MessageChange::put(&last.id, message))
}

/// Sums over the results of one answer.
#[derive(Default)]
struct ToolTotals {
    calls: BTreeMap<String, u32>,
    read: BTreeSet<String>,
    unknown: BTreeSet<String>,
    /// Files of the children that this answer delegated to.
    delegated: BTreeSet<String>,
    is_finished: bool,
}

/// Adds the result of a child to an update.
fn add_child(update: AgentRunUpdate, child: ChildResult) -> AgentRunUpdate {
    let ChildResult { agents, notes, spent } = child;
    update.children(1).extend_agents(agents).extend_notes(notes).spent_below(spent)
}

/// Returns the path, relative to the repository, of the file that a successful call read; `None` for
/// other calls.
fn read_path(agent: &AgentRun, call: &ToolCall, result: &CallResult) -> Option<String> {
    if !result.output.is_success() || !READING_FILES.contains(&call.name.as_str()) {
        return None;
    }
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    normalise(arguments.get("path")?.as_str()?, &agent.repo_root.to_string_lossy())
}

/// Middleware for tools that only read. It adds a time limit, removes secrets from the results, and
/// passes them through the tape, so that a replay reads no file.
struct ReadToolLayer<'a> {
    agent: &'a AgentRun,
    resources: &'a ExploreResources,
    foreign: &'a [ForeignTool],
}

impl Middleware for ReadToolLayer<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let name = format!("tool {}", call.name);
            let mut input = json!({ "arguments": call.arguments });
            if READING_NOTES.contains(&call.name.as_str()) {
                // The notes change, so the place of the call is part of its name.
                let place = next.place();
                input["agent"] = json!(self.agent.agent_id);
                input["call"] = json!(format!("{}.{}", place.at, place.index));
            }
            let foreign = self.foreign.iter().find(|tool| tool.spec.name == call.name);
            let limit =
                foreign.map_or(READ_TIMEOUT, |tool| ForeignTool::longest_call(std::slice::from_ref(tool)));
            let read = async {
                let mut output = tokio::time::timeout(limit, next.run(call)).await.unwrap_or_else(|_| {
                    let reason = format!("the tool did not answer within {limit:?}");
                    Ok(ToolOutput::failure(ToolFailure::TimedOut, reason))
                })?;
                if foreign.is_some() {
                    // A server must not pretend an effect on the state of the agent; see `ActionEffect`.
                    output.data = None;
                }
                let content = without_secrets(&output.content).trim_end().to_owned();
                Ok(ToolOutput { content, ..output })
            };
            self.resources.tape.effect(&name, input, off_the_tape, read).await
        }
        .boxed()
    }
}
