//! Helpers by which the nodes ask a model: prompts, re-asks, budget, and the model after a resume.
//! Answers are journaled by [`TypedQuestion`], so that no answer is requested twice after a crash
//! (ARD-75).

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent::TypedQuestion;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::{AskPolicy, ChatRequest, Money, TypedRequest};
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateUpdate};

/// Number of re-asks after an invalid answer (ARD-35, ARD-49).
pub(super) const REASKS: u32 = 1;

/// Makes a question to the model of the task's agent. Its answers are journaled under the name of the
/// task.
pub(super) fn typed_question<T: DeserializeOwned + JsonSchema>(
    task: DebateTask,
    asking: TypedRequest<T>,
    cx: &Cx<DebateServices>,
) -> TypedQuestion<'_, T, DebateServices> {
    TypedQuestion::new(cx, cx.services().model(task.agent()), task.name(), asking)
}

/// Returns the debate with the agent's present model, and the update that stores that model. Both are
/// unchanged unless the user named another model on a resume.
pub(super) fn with_current_model<'a>(
    agent: DebateAgent,
    debate: &'a Debate,
    cx: &Cx<DebateServices>,
) -> (Cow<'a, Debate>, DebateUpdate) {
    let settings = &debate.settings;
    match cx.services().settings().filter(|now| now.model(agent) != settings.model(agent)) {
        None => (Cow::Borrowed(debate), Debate::update()),
        Some(now) => {
            let settings = settings.clone().with_model_of(agent, now);
            let update = Debate::update().settings(settings.clone());
            (Cow::Owned(Debate { settings, ..debate.clone() }), update)
        }
    }
}

/// Fails if the usage of both agents has reached a limit of the command line. The thread stays as it
/// is, so that a resume with a higher limit continues.
pub(super) fn check_budget(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<()> {
    let budget = cx.services().budget();
    let mut spent = AgentUsage::default();
    for agent in [DebateAgent::Architect, DebateAgent::Reviewer] {
        let mut usage = debate.usage(agent);
        if cx.services().is_offline(agent) {
            // Rules cost nothing.
            usage.cost = Some(Money::default());
        }
        spent.add(usage);
    }
    let used = spent.prompt_tokens + spent.completion_tokens;
    let exceeded = |used: String, limit: String, option: &str| {
        let error = NodeError::msg(format!("the debate has used {used}, the limit is {limit} (--{option})"));
        error
            .with_hint(format!("resume with a higher --{option}, or without it; nothing is lost"))
            .permanent()
    };
    if let Some(limit) = budget.tokens.filter(|limit| used >= *limit) {
        return Err(exceeded(format!("{used} tokens"), format!("{limit} tokens"), "max-tokens"));
    }
    let Some(limit) = budget.dollars else { return Ok(()) };
    match spent.cost {
        Some(cost) if cost.in_dollars() >= limit => {
            Err(exceeded(cost.to_string(), format!("${limit}"), "max-cost"))
        }
        None if spent.calls > 0 => Err(NodeError::msg(
            "the cost of the debate is not known, so --max-cost cannot hold",
        )
        .with_hint("give the prices of the model under `providers` in the configuration, or use --max-tokens")
        .permanent()),
        _ => Ok(()),
    }
}

/// Returns the policy with [`REASKS`] re-asks.
pub(super) fn ask_policy() -> AskPolicy {
    AskPolicy::reasks(REASKS)
}

/// Renders the prompts of a task. An error is permanent, because a retry renders the same prompt.
pub(super) fn build_request(
    task: DebateTask,
    request: &impl Serialize,
    cx: &Cx<DebateServices>,
) -> NodeResult<ChatRequest> {
    cx.services().build_request(task, request).map_err(|error| {
        let hint = error.hint();
        let error = NodeError::from(error).permanent();
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    })
}

/// Joins the problems of an answer to one text for the re-ask, separated by `; `.
pub(super) fn join_problems<P: std::fmt::Display>(problems: &[P]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
