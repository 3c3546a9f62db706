//! Drafts, or revises the draft after a review (ARD-29 to ARD-41).

use super::ask::{AfterRefusal, Asked, as_resumed, ask, listed, prompt, protocol, refused};
use super::recall::remembered;
use crate::engine::{Cx, NodeResult};
use crate::llm::Asking;
use crate::workflows::ard::exchange::{Draft, DraftRequest};
use crate::workflows::ard::input::settings::OnBadDraft;
use crate::workflows::ard::progress::{Drafted, KeptPrevious};
use crate::workflows::ard::services::{Agent, Errand, Services};
use crate::workflows::ard::state::{Debate, DebateUpdate, Spent};

pub(in super::super) async fn architect(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let (debate, update) = as_resumed(Agent::Architect, debate, cx);
    let (debate, (history, update)) = (&*debate, remembered(Agent::Architect, &debate, update, cx).await?);
    let request = DraftRequest {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        history,
        clarifications: debate.clarifications.clone(),
        previous: debate.current_draft.clone(),
        max_components: debate.settings.max_components,
    };
    match draft(debate, &request, cx).await? {
        Asked::Accepted(reply) => {
            let spent = Spent::of(&reply);
            let draft = reply.value;
            cx.emit(Drafted::NAME, &Drafted::of(debate, &draft, reply.usage))?;
            let update = answered(debate, update, Some(draft.design_rationale.clone()));
            Ok(update.current_draft(draft).architect(spent))
        }
        Asked::Refused(bad) if keeps_previous(debate) => {
            let spent = Spent::of_refused(&bad);
            let model = debate.settings.architect_model.clone();
            let kept =
                KeptPrevious { round: debate.round(), model, usage: bad.usage, problems: bad.problems };
            cx.emit(KeptPrevious::NAME, &kept)?;
            Ok(answered(debate, update, None).architect(spent))
        }
        Asked::Refused(bad) => Err(refused(bad, cx.services().model(Agent::Architect))),
    }
}

/// Notes what was said to the latest review; the first draft answers none.
fn answered(debate: &Debate, update: DebateUpdate, rationale: Option<String>) -> DebateUpdate {
    if debate.challenge_history.is_empty() { update } else { update.rationales(rationale) }
}

/// Whether a revision that is refused twice leaves the earlier draft in place (ARD-41).
fn keeps_previous(debate: &Debate) -> bool {
    debate.settings.on_bad_draft == OnBadDraft::KeepPrevious && debate.current_draft.is_some()
}

async fn draft(debate: &Debate, request: &DraftRequest, cx: &Cx<Services>) -> NodeResult<Asked<Draft>> {
    let latest = request.history.latest();
    let mend = if latest.is_none() { Draft::normalise_first } else { Draft::normalise };
    let mut asking = Asking::new(prompt(Errand::Draft, request, cx)?, protocol().mend(mend))
        .sending(Draft::sent_schema(latest, request.max_components));
    let check = |draft: &Draft| draft.check(latest).map_err(|problems| listed(&problems));
    let after_refusal = if keeps_previous(debate) { AfterRefusal::Settle } else { AfterRefusal::AskAgain };
    ask(Errand::Draft, &mut asking, after_refusal, check, cx).await
}
