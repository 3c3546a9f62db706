//! The node `architect`: writes the first draft, or revises the draft after a review (ARD-29 to ARD-41).

use super::ask::{
    AfterRefusal, AskOutcome, ask, ask_policy, build_request, join_problems, refusal_error,
    with_current_model,
};
use super::history::load_history;
use crate::engine::{Cx, NodeResult};
use crate::llm::Asking;
use crate::workflows::ard::exchange::{DesignDraft, DraftRequest};
use crate::workflows::ard::input::settings::OnBadDraft;
use crate::workflows::ard::progress::{DraftedEvent, KeptPreviousEvent};
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateUpdate};

pub(in super::super) async fn architect(
    debate: &Debate,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let (debate, update) = with_current_model(DebateAgent::Architect, debate, cx);
    let (debate, (history, update)) =
        (&*debate, load_history(DebateAgent::Architect, &debate, update, cx).await?);
    let request = DraftRequest {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        history,
        clarifications: debate.clarifications.clone(),
        previous: debate.current_draft.clone(),
        max_components: debate.settings.max_components,
    };
    match ask_for_draft(debate, &request, cx).await? {
        AskOutcome::Accepted(reply) => {
            let spent = AgentUsage::from_reply(&reply);
            let draft = reply.value;
            cx.emit(DraftedEvent::NAME, &DraftedEvent::new(debate, &draft, reply.usage))?;
            let update = record_rationale(debate, update, Some(draft.design_rationale.clone()));
            Ok(update.current_draft(draft).architect(spent))
        }
        AskOutcome::Refused(refused) if keeps_previous_draft(debate) => {
            let spent = AgentUsage::from_refused(&refused);
            let model = debate.settings.architect_model.clone();
            let kept = KeptPreviousEvent {
                round: debate.round(),
                model,
                usage: refused.usage,
                problems: refused.problems,
            };
            cx.emit(KeptPreviousEvent::NAME, &kept)?;
            Ok(record_rationale(debate, update, None).architect(spent))
        }
        AskOutcome::Refused(refused) => {
            Err(refusal_error(refused, cx.services().model(DebateAgent::Architect)))
        }
    }
}

/// Records the architect's answer to the latest review. Records nothing for the first draft, which answers no review.
fn record_rationale(debate: &Debate, update: DebateUpdate, rationale: Option<String>) -> DebateUpdate {
    if debate.challenge_history.is_empty() { update } else { update.rationales(rationale) }
}

/// Returns true if a revision that is refused twice leaves the earlier draft in place (ARD-41).
fn keeps_previous_draft(debate: &Debate) -> bool {
    debate.settings.on_bad_draft == OnBadDraft::KeepPrevious && debate.current_draft.is_some()
}

async fn ask_for_draft(
    debate: &Debate,
    request: &DraftRequest,
    cx: &Cx<DebateServices>,
) -> NodeResult<AskOutcome<DesignDraft>> {
    let latest = request.history.latest();
    let mend = if latest.is_none() { DesignDraft::normalise_first } else { DesignDraft::normalise };
    let mut asking = Asking::new(build_request(DebateTask::Draft, request, cx)?, ask_policy().mend(mend))
        .sending(DesignDraft::sent_schema(latest, request.max_components));
    let check = |draft: &DesignDraft| draft.check(latest).map_err(|problems| join_problems(&problems));
    let after_refusal =
        if keeps_previous_draft(debate) { AfterRefusal::Settle } else { AfterRefusal::AskAgain };
    ask(DebateTask::Draft, &mut asking, after_refusal, check, cx).await
}
