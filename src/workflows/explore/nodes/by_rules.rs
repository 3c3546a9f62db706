//! The innermost middleware of a request: the time limit, a slot, and the rules in the place of a model. Stands inside the journal, so an
//! answer that was paid for is used even if the limit is reached meanwhile.

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

/// The error of a tree that took too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the time of {0} seconds for all agents is used up")]
pub(super) struct OutOfTime(u64);

/// Middleware that lets a request through, or answers by rules.
pub(super) struct Gate<'a> {
    pub(super) agent: &'a AgentRun,
    pub(super) resources: &'a ExploreResources,
}

impl Middleware for Gate<'_> {
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
