//! The node `architect`: writes the first draft, or revises the draft after a review (ARD-29 to ARD-41).

use std::sync::atomic::{AtomicU32, Ordering};

use super::ask::{
    REASKS, ask_policy, build_request, check_budget, join_problems, typed_question, with_current_model,
};
use super::by_component;
use super::history::load_history;
use super::material::draft_material;
use crate::agent::TypedQuestion;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{ChatAnswer, RefusedAnswer, Reply, TypedRequest};
use crate::workflows::ard::exchange::{DesignDraft, DraftProblem, DraftRequest};
use crate::workflows::ard::input::settings::{Drafting, OnBadDraft};
use crate::workflows::ard::offline;
use crate::workflows::ard::progress::{DraftedEvent, KeptPreviousEvent};
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{
    AgentUsage, Debate, DebateRemark, DebateStatus, DebateUpdate, Ending, Fallback, FallbackSource,
};

/// Hint of the error after two refused drafts.
const ADVICE: &str = "set `on_bad_draft: fall_back`, which ends with the last accepted draft, or `drafting: by_component` for a \
                      small model, or resume with another `--architect-model`";

/// Asks for a draft and records it with the architect's answer to the latest review. A refused answer
/// is handled as the setting `on_bad_draft` says.
pub(in super::super) async fn architect(
    debate: &Debate,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    check_budget(debate, cx)?;
    let (debate, update) = with_current_model(DebateAgent::Architect, debate, cx);
    let (debate, (history, update)) =
        (&*debate, load_history(DebateAgent::Architect, &debate, update, cx).await?);
    let request = DraftRequest {
        rough_idea: debate.rough_idea.as_str().to_owned(),
        material: draft_material(debate, &history),
        history,
        clarifications: debate.clarifications.clone(),
        previous: debate.current_draft.clone(),
        max_components: debate.settings.max_components,
    };
    let is_offline = cx.services().is_offline(DebateAgent::Architect);
    let update = if debate.settings.drafting == Drafting::ByComponent && !is_offline {
        match by_component::draft(debate, &request, cx).await? {
            Ok((reply, remarks)) => accept(debate, update, reply, cx)?.extend_remarks(remarks),
            Err(refused) if ends_in_error(debate) => {
                let model = cx.services().model(DebateAgent::Architect);
                return Err(NodeError::from(refused.by(model)).with_hint(ADVICE).permanent());
            }
            Err(refused) => replace(debate, update, &request, refused, cx)?,
        }
    } else {
        match ask_for_draft(debate, &request, cx).await? {
            Ok(reply) => accept(debate, update, reply, cx)?,
            Err(refused) => replace(debate, update, &request, refused, cx)?,
        }
    };
    Ok(update)
}

/// Records an accepted draft and emits its event. Components of one name that survived a re-ask are
/// merged, with a remark (ARD-39).
fn accept(
    debate: &Debate,
    update: DebateUpdate,
    reply: Reply<DesignDraft>,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let spent = AgentUsage::from_reply(&reply);
    let mut draft = reply.value;
    let merged = draft.merge_duplicates();
    cx.emit(DraftedEvent::NAME, &DraftedEvent::new(debate, &draft, reply.usage))?;
    let update = record_rationale(debate, update, Some(draft.design_rationale.clone()));
    let remarks = merged.into_iter().map(|name| DebateRemark {
        round: debate.round(),
        text: format!(
            "The architect named {name} more than once, also when asked again; these components were merged."
        ),
    });
    Ok(update.current_draft(draft).architect(spent).extend_remarks(remarks))
}

/// Continues after a refused answer: with the earlier draft (`keep_previous`), or by ending the debate
/// with the earlier draft or one by rules. Emits the event.
fn replace(
    debate: &Debate,
    update: DebateUpdate,
    request: &DraftRequest,
    refused: RefusedAnswer,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let update = record_rationale(debate, update, None).architect(AgentUsage::from_refused(&refused));
    if debate.settings.on_bad_draft == OnBadDraft::KeepPrevious {
        cx.emit(KeptPreviousEvent::NAME, &KeptPreviousEvent::new(debate, refused))?;
        return Ok(update);
    }
    let source =
        if debate.current_draft.is_some() { FallbackSource::LastDraft } else { FallbackSource::Rules };
    let fallback = Fallback { agent: DebateAgent::Architect, source, problems: refused.problems.clone() };
    cx.emit(KeptPreviousEvent::NAME, &KeptPreviousEvent::new(debate, refused))?;
    let update =
        update.fallback(fallback).status(DebateStatus::MaxIterationsReached).ending(Ending::Fallback);
    Ok(match source {
        FallbackSource::LastDraft => update,
        FallbackSource::Rules => update.current_draft(offline::draft(request)),
    })
}

/// Records the architect's answer to the latest review. Records nothing for the first draft, which answers no review.
fn record_rationale(debate: &Debate, update: DebateUpdate, rationale: Option<String>) -> DebateUpdate {
    if debate.challenge_history.is_empty() { update } else { update.rationales(rationale) }
}

/// Returns true if the settings make a refused draft an error of the run.
fn ends_in_error(debate: &Debate) -> bool {
    match debate.settings.on_bad_draft {
        OnBadDraft::Error => true,
        OnBadDraft::KeepPrevious => debate.current_draft.is_none(),
        OnBadDraft::FallBack => false,
    }
}

/// Asks for the whole draft. Returns the refused answer in the inner `Err` if the settings allow the
/// debate to handle it; else a refusal is an error.
async fn ask_for_draft(
    debate: &Debate,
    request: &DraftRequest,
    cx: &Cx<DebateServices>,
) -> NodeResult<Result<Reply<DesignDraft>, RefusedAnswer>> {
    let latest = request.history.latest();
    let answers = AtomicU32::new(0);
    let count = |_: &ChatAnswer| {
        answers.fetch_add(1, Ordering::Relaxed);
    };
    let check = |draft: &DesignDraft| {
        let mut problems = draft.check(latest).err().unwrap_or_default();
        // Duplicates are worth one re-ask, not an error: they are merged.
        if answers.load(Ordering::Relaxed) > REASKS {
            problems.retain(|problem| !matches!(problem, DraftProblem::Duplicate { .. }));
        }
        if problems.is_empty() { Ok(()) } else { Err(join_problems(&problems)) }
    };
    let question = draft_question(request, cx)?.on_answer(&count);
    if ends_in_error(debate) {
        return question.advice(ADVICE).ask(check).await.map(Ok);
    }
    question.try_ask(check).await
}

/// Makes the question for a draft: prompts, schema to send, and a smaller schema for the re-ask.
fn draft_question<'a>(
    request: &DraftRequest,
    cx: &'a Cx<DebateServices>,
) -> NodeResult<TypedQuestion<'a, DesignDraft, DebateServices>> {
    let latest = request.history.latest();
    let mend = if latest.is_none() { DesignDraft::normalise_first } else { DesignDraft::normalise_revision };
    let asking = TypedRequest::new(build_request(DebateTask::Draft, request, cx)?, ask_policy().mend(mend));
    let asking = asking
        .sending(DesignDraft::sent_schema(latest, request.max_components))
        .with_optional_fields()
        .resending(DesignDraft::small_schema(latest, request.max_components));
    Ok(typed_question(DebateTask::Draft, asking, cx))
}
