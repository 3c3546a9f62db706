//! Innermost middleware of a request: time limit, a slot among the parallel agents, and rules in place
//! of a model. Inside the journal, so that a stored answer is used even if the limit has been reached
//! since.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;

use super::plan::agents_below;
use crate::agent::{Middleware, NextModel};
use crate::engine::{NodeError, NodeResult};
use crate::llm::{ChatAnswer, ChatRequest, Finish, ToolCall, Usage, UsageSource};
use crate::workflows::explore::agents::{AgentRun, AgentView};
use crate::workflows::explore::rules::next_answer;
use crate::workflows::explore::services::{ExploreResources, ExploredRepository};

/// Error of a request after the time limit of the tree, which has this many seconds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the time of {0} seconds for all agents is used up")]
pub(super) struct OutOfTime(u64);

/// Middleware that waits for a slot, checks the time limit, and then asks the model or answers by
/// rules.
pub(super) struct LimitedModel<'a> {
    pub(super) agent: &'a AgentRun,
    pub(super) resources: &'a ExploreResources,
}

impl Middleware for LimitedModel<'_> {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        async move {
            let _slot = self.resources.slots.acquire().await?;
            if let Some(seconds) = self.resources.deadline.exceeded() {
                return Err(NodeError::from(OutOfTime(seconds)).permanent());
            }
            if self.resources.is_rules() {
                answer_by_rules(self.agent, self.resources).await
            } else {
                next.ask(request).await
            }
        }
        .boxed()
    }
}

/// Returns the answer of the rules to an agent, through the tape.
async fn answer_by_rules(agent: &AgentRun, resources: &ExploreResources) -> NodeResult<ChatAnswer> {
    let round = agent.rounds + 1;
    let input = json!({ "agent": agent.agent_id, "answer": round });
    let agent = Arc::new(agent.clone());
    let answer = move |repository: &ExploredRepository| {
        let (scope, children) = (agent.scope(), agent.children());
        let answer = next_answer(&AgentView {
            id: &agent.agent_id,
            depth: agent.depth,
            max_depth: agent.max_depth,
            purpose: &agent.purpose,
            context_packet: &agent.context_packet,
            scope: &scope,
            round,
            agents_left: agent.allowance.agents.saturating_sub(agents_below(&agent)),
            children: &children,
            findings: repository.findings(),
        });
        (answer.text, answer.calls)
    };
    let (text, tool_calls): (String, Vec<ToolCall>) = resources.read("rules", input, answer).await?;
    let usage = Usage { prompt_tokens: 0, completion_tokens: 0, source: UsageSource::Estimated };
    let finish = if tool_calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    Ok(ChatAnswer { text, tool_calls, usage, cost: None, model: "rules".to_owned(), finish })
}
