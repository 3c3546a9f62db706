//! The loop of agent mode: the middleware, and rounds until the text is there, the model ends, or a limit is reached.

use std::sync::Arc;
use std::time::Duration;

use super::context::{AgentContext, AgentTask};
use super::debug_output::DebugOutput;
use super::effect::Bookkeeping;
use super::hints::BudgetHints;
use super::reading::{CodeReading, OF_A_DESCRIPTION, OF_A_QUESTION};
use super::tools::build_toolbox;
use crate::agent::around::{Announce, Approval, Budget, CallsPerRound, CutOutputs, Journal, Trimming};
use crate::agent::xml::XmlTools;
use crate::agent::{
    Agent, CallPolicy, Conversation, Ended, ForeignTool, Stack, Step, ToolCost, Toolbox, limit::ROUNDS,
};
use crate::engine::{Cx, NodeResult};
use crate::workflows::contextualize::input::{ApprovalMode, ContextSettings};
use crate::workflows::contextualize::nodes::ask::TextLines;
use crate::workflows::contextualize::services::ContextServices;
use crate::workflows::tool_servers::{AgentTools, ServerResults};

/// Name of the agent in events, label of its requests, and key of its journal.
const AGENT: &str = "agent";
/// Most calls of one answer that run.
const CALLS: usize = 8;
/// Longest time of a call: a tool may wait for the limit of tokens per minute and then for a long answer.
const CALL_TIMEOUT: Duration = Duration::from_mins(10);

/// Returns the time limit of a tool call: 10 minutes, or twice the time limit of the model if that is longer,
/// because tools may ask the model.
fn call_timeout(settings: &ContextSettings) -> Duration {
    let model = Duration::try_from_secs_f64(settings.calls.timeout_s * 2.0).unwrap_or(CALL_TIMEOUT);
    CALL_TIMEOUT.max(model)
}

/// Runs rounds of model answers and tool calls, and returns the reason for the end: the model calls no tool,
/// a limit or the budget is reached, or (for a question) the answer is written. A description goes on after
/// its first text, because the model may change it.
pub(super) async fn converse(
    context: &Arc<AgentContext>,
    conversation: &mut Conversation,
    cx: &Cx<ContextServices>,
) -> NodeResult<Ended> {
    let resources = &context.resources;
    // Boxed, because the future of a start of servers is large and part of every future of the run.
    let listing = AgentTools::list(build_toolbox(context)?, resources.foreign.as_ref(), &resources.tape);
    let AgentTools { toolbox, foreign } = Box::pin(listing).await?;
    let settings = &context.run.settings;
    let model = XmlTools::new(resources.model.clone()).offer(settings.tools.into());
    let words = TextLines::new(cx, AGENT);
    // One call after the other, because a text is made of an earlier analysis, and a budget decides in order.
    let timeout = call_timeout(settings).max(ForeignTool::longest_call(&foreign));
    let policy = CallPolicy { at_once: 1, timeout, ..CallPolicy::default() };
    let stack = stack(context, &toolbox, &foreign, cx).with(ServerResults::new(&foreign, &resources.tape));
    let agent = Agent::new(AGENT, &model, &toolbox).stack(stack).calls(policy).sink(&words);
    let agent = match resources.prices {
        Some(prices) => agent.prices(prices),
        None => agent,
    };
    while conversation.rounds < ROUNDS {
        let step = agent.step(conversation).await?;
        conversation.spent += context.ledger().take_calls();
        match step {
            Step::Answered(text) => return Ok(Ended::Answered(text)),
            Step::Halted(halt) => return Ok(Ended::Halted(halt)),
            Step::Called(_) if is_answered(context) => return Ok(Ended::Answered(String::new())),
            Step::Called(_) => {}
        }
    }
    Ok(Ended::RoundsUsedUp { limit: ROUNDS })
}

fn is_answered(context: &AgentContext) -> bool {
    matches!(context.task, AgentTask::Answer { .. }) && context.ledger().draft.is_some()
}

/// Returns the middleware of the conversation, the outermost first. Middleware that decides stands outside
/// the journal; middleware that waits, costs or reports stands inside. The limit of tokens per minute is part
/// of the model, because it holds for the requests of tools too.
fn stack<'a>(
    context: &'a AgentContext,
    toolbox: &Toolbox,
    foreign: &[ForeignTool],
    cx: &'a Cx<ContextServices>,
) -> Stack<'a> {
    let settings = &context.run.settings;
    let input = u64::from(settings.calls.max_input_tokens);
    let input = settings.calls.tokens_per_call.map_or(input, |tokens| input.min(tokens.into()));
    let budget = Budget::new(settings.budget);
    let budget = match context.resources.prices {
        Some(prices) => budget.prices(prices),
        None => budget,
    };
    let (closing, reading) = match &context.task {
        AgentTask::Describe { refined: Some(_), .. } => ("refine_context", OF_A_DESCRIPTION),
        AgentTask::Describe { refined: None, .. } => ("generate_context", OF_A_DESCRIPTION),
        AgentTask::Answer { .. } => ("generate_scoped_context", OF_A_QUESTION),
    };
    let expensive = match settings.approval {
        ApprovalMode::Ask => toolbox.costing(ToolCost::High),
        ApprovalMode::All => Vec::new(),
    };
    // The approvals of a file of servers are its owner's, so `--approve all` does not give them.
    let gated = expensive.into_iter().chain(ForeignTool::approved_by_a_person(foreign));
    Stack::new()
        .with(Trimming::new(input, toolbox.priorities()))
        .with(budget)
        .with(BudgetHints::new(settings.budget.tokens, closing))
        .with(CallsPerRound(CALLS))
        .with(Approval::new(cx, gated).schemas(toolbox.specs()))
        .with(CutOutputs::new(settings.tool_output_chars as usize))
        .with(Bookkeeping(context))
        .with(Journal::new(cx, AGENT))
        .with(Announce::new(cx, AGENT))
        .with(DebugOutput(cx))
        .with(CodeReading::new(context, reading))
}
