//! Prepares the reviews so far for a prompt: condenses earlier rounds to a paragraph when they exceed
//! the token limit of the model (ARD-52 to ARD-54).

use super::ask::{ask_policy, build_request, typed_question};
use crate::engine::{Cx, NodeResult};
use crate::llm::{RefusedAnswer, Reply, TypedRequest};
use crate::workflows::ard::exchange::{HistoryPlan, PromptHistory, Summary, SummaryRequest, plan_history};
use crate::workflows::ard::input::settings::OnBadDraft;
use crate::workflows::ard::offline;
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateRemark, DebateUpdate};

/// Returns the history for the prompt of an agent, and `update`. If rounds had to be condensed, a model
/// (or rules, if its answer was refused) writes the paragraph, and the update stores it with the usage,
/// so that no round is condensed twice.
pub(super) async fn load_history(
    agent: DebateAgent,
    debate: &Debate,
    update: DebateUpdate,
    cx: &Cx<DebateServices>,
) -> NodeResult<(PromptHistory, DebateUpdate)> {
    let history = &debate.challenge_history;
    let limit = debate.settings.history.limit_of(debate.settings.model(agent));
    let request = match plan_history(history, debate.condensed.as_ref(), limit) {
        HistoryPlan::Ready(recalled) => return Ok((recalled, update)),
        HistoryPlan::Summarise(request) => request,
    };
    let (summary, spent, remark) = match summarise(agent, &request, debate.settings.on_bad_draft, cx).await? {
        Ok(reply) => (reply.value.clone(), AgentUsage::from_reply(&reply), None),
        Err(refused) => {
            let text = "The summary of earlier rounds was written by rules, because the model's was refused.";
            let remark = DebateRemark { round: debate.round(), text: text.to_owned() };
            (offline::summarise(&request), AgentUsage::from_refused(&refused), Some(remark))
        }
    };
    let condensed = request.condense(&summary);
    let rounds = history[condensed.rounds_covered..].to_vec();
    let update = update.condensed(condensed.clone()).add_usage(agent, spent).extend_remarks(remark);
    Ok((PromptHistory { earlier: Some(condensed), rounds }, update))
}

/// Asks the agent's model to condense rounds. The inner `Err` is a refused answer, unless the settings
/// make that an error.
async fn summarise(
    agent: DebateAgent,
    request: &SummaryRequest,
    on_bad_answer: OnBadDraft,
    cx: &Cx<DebateServices>,
) -> NodeResult<Result<Reply<Summary>, RefusedAnswer>> {
    let task = DebateTask::Summarise(agent);
    let asking = TypedRequest::new(build_request(task, request, cx)?, ask_policy());
    let check = |summary: &Summary| match summary.paragraph.trim() {
        "" => Err("`paragraph` is blank".to_owned()),
        _ => Ok(()),
    };
    let question = typed_question(task, asking, cx);
    match on_bad_answer {
        OnBadDraft::Error => question.ask(check).await.map(Ok),
        OnBadDraft::KeepPrevious | OnBadDraft::FallBack => question.try_ask(check).await,
    }
}
