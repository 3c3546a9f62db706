//! The node `architect`: writes the first draft, or revises the draft after a review (ARD-29 to ARD-41).

use super::ask::{ask_policy, build_request, join_problems, typed_question, with_current_model};
use super::history::load_history;
use crate::agent::TypedQuestion;
use crate::engine::{Cx, NodeResult};
use crate::llm::Asking;
use crate::workflows::ard::exchange::{DesignDraft, DraftRequest};
use crate::workflows::ard::input::settings::OnBadDraft;
use crate::workflows::ard::progress::{DraftedEvent, KeptPreviousEvent};
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateUpdate};

/// Writes a draft and records it with the architect's answer to the latest review.
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
    let latest = request.history.latest();
    let check = |draft: &DesignDraft| draft.check(latest).map_err(|problems| join_problems(&problems));
    let question = draft_question(&request, cx)?;
    let reply = if keeps_previous_draft(debate) {
        match question.try_ask(check).await? {
            Ok(reply) => reply,
            Err(refused) => {
                let update =
                    record_rationale(debate, update, None).architect(AgentUsage::from_refused(&refused));
                cx.emit(KeptPreviousEvent::NAME, &KeptPreviousEvent::new(debate, refused))?;
                return Ok(update);
            }
        }
    } else {
        question.ask(check).await?
    };
    let spent = AgentUsage::from_reply(&reply);
    let draft = reply.value;
    cx.emit(DraftedEvent::NAME, &DraftedEvent::new(debate, &draft, reply.usage))?;
    let update = record_rationale(debate, update, Some(draft.design_rationale.clone()));
    Ok(update.current_draft(draft).architect(spent))
}

/// Records the architect's answer to the latest review. Records nothing for the first draft, which answers no review.
fn record_rationale(debate: &Debate, update: DebateUpdate, rationale: Option<String>) -> DebateUpdate {
    if debate.challenge_history.is_empty() { update } else { update.rationales(rationale) }
}

/// Returns true if a revision that is refused twice leaves the earlier draft in place (ARD-41).
fn keeps_previous_draft(debate: &Debate) -> bool {
    debate.settings.on_bad_draft == OnBadDraft::KeepPrevious && debate.current_draft.is_some()
}

fn draft_question<'a>(
    request: &DraftRequest,
    cx: &'a Cx<DebateServices>,
) -> NodeResult<TypedQuestion<'a, DesignDraft, DebateServices>> {
    let latest = request.history.latest();
    let mend = if latest.is_none() { DesignDraft::normalise_first } else { DesignDraft::normalise };
    let asking = Asking::new(build_request(DebateTask::Draft, request, cx)?, ask_policy().mend(mend));
    let asking = asking.sending(DesignDraft::sent_schema(latest, request.max_components));
    Ok(typed_question(DebateTask::Draft, asking, cx))
}
