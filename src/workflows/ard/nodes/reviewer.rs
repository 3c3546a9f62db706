//! The node `reviewer`: reviews the draft and decides the verdict (ARD-42 to ARD-51, ARD-9 to ARD-12).

use super::ask::{
    ask_policy, build_request, check_budget, join_problems, typed_question, with_current_model,
};
use super::history::load_history;
use super::material::review_material;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{AnswerSchema, RefusedAnswer, Reply, TypedRequest};
use crate::workflows::ard::analysis::IdeaAnalysis;
use crate::workflows::ard::choices::{
    Judgement, ending, has_open_contradiction, judge, with_buildability, with_gates,
};
use crate::workflows::ard::exchange::{DesignDraft, Review, ReviewRequest};
use crate::workflows::ard::gates::{self, GateFinding, GateInput};
use crate::workflows::ard::input::settings::OnBadDraft;
use crate::workflows::ard::offline;
use crate::workflows::ard::progress::ReviewedEvent;
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{
    AgentUsage, Debate, DebateStatus, DebateUpdate, Ending, Fallback, FallbackSource,
};

/// Reviews the current draft with the gates and the model, emits the review, and records it with the
/// verdict. Fails without a draft.
pub(in super::super) async fn reviewer(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<DebateUpdate> {
    let missing = || NodeError::msg("there is no draft to review").permanent();
    let draft = debate.current_draft.clone().ok_or_else(missing)?;
    check_budget(debate, cx)?;
    let (debate, update) = with_current_model(DebateAgent::Reviewer, debate, cx);
    let (debate, (history, update)) =
        (&*debate, load_history(DebateAgent::Reviewer, &debate, update, cx).await?);
    let settings = &debate.settings;
    let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
    let findings = find_faults(debate, &draft, &analysis, cx);
    let request = ReviewRequest {
        material: review_material(debate, &history, &draft, &analysis, &findings),
        history,
        clarifications: debate.clarifications.clone(),
        severity: settings.severity,
        on_ambiguity: settings.on_ambiguity,
        max_challenges: settings.max_challenges,
        ..ReviewRequest::new(debate.rough_idea.as_str(), draft, debate.round())
    };
    let reply = match ask_for_review(&request, settings.on_bad_draft, cx).await? {
        Ok(reply) => reply,
        Err(refused) => return replace(debate, update, request, &findings, refused, cx),
    };
    let spent = AgentUsage::from_reply(&reply);
    let review = with_buildability(reply.value, &request.draft, settings);
    let review = with_gates(review, &findings, settings);
    let event = ReviewedEvent::new(debate, &review, reply.usage).found_by_checks(findings.len());
    cx.emit(ReviewedEvent::NAME, &event)?;
    let verdict = judge(&review, debate.iteration, request.round, settings);
    let is_circle = findings.iter().any(|finding| matches!(finding, GateFinding::Circle { .. }));
    let ending =
        if is_circle { Some(Ending::Circle) } else { ending(verdict, judgement(debate, &analysis, cx)) };
    let update = match ending {
        None => update.iteration(debate.iteration.saturating_add(1)),
        Some(Ending::Verified) => update.status(DebateStatus::Verified).ending(Ending::Verified),
        Some(ending) => update.status(DebateStatus::MaxIterationsReached).ending(ending),
    };
    Ok(update.challenge_history(review).drafts(request.draft).reviewer(spent))
}

/// Ends the debate after a review that was refused twice. A review by rules takes its place.
fn replace(
    debate: &Debate,
    update: DebateUpdate,
    request: ReviewRequest,
    findings: &[GateFinding],
    refused: RefusedAnswer,
    cx: &Cx<DebateServices>,
) -> NodeResult<DebateUpdate> {
    let spent = AgentUsage::from_refused(&refused);
    let review = with_gates(offline::review(&request), findings, &debate.settings);
    let event = ReviewedEvent::new(debate, &review, refused.usage).found_by_checks(findings.len()).by_rules();
    cx.emit(ReviewedEvent::NAME, &event)?;
    let (agent, source) = (DebateAgent::Reviewer, FallbackSource::Rules);
    Ok(update
        .fallback(Fallback { agent, source, problems: refused.problems })
        .status(DebateStatus::MaxIterationsReached)
        .ending(Ending::Fallback)
        .challenge_history(review)
        .drafts(request.draft)
        .reviewer(spent))
}

/// Runs the gates on the current draft. Repetition of an earlier draft is checked only if the last
/// review had challenges and its revision was not refused, because otherwise an equal draft is no
/// fault.
fn find_faults(
    debate: &Debate,
    draft: &DesignDraft,
    analysis: &IdeaAnalysis,
    cx: &Cx<DebateServices>,
) -> Vec<GateFinding> {
    let challenged = debate.challenge_history.last().is_some_and(|review| !review.challenges.is_empty());
    let is_kept = debate.rationales.last().is_some_and(Option::is_none);
    let earlier = if challenged && !is_kept { debate.drafts.as_slice() } else { &[] };
    // The rules follow their templates; text of their own is no copy of a prompt.
    let prompts = if cx.services().is_offline(DebateAgent::Architect) {
        ""
    } else {
        DebateServices::architect_prompts()
    };
    gates::check(&GateInput {
        draft,
        earlier,
        latest: debate.challenge_history.last().filter(|_| !is_kept),
        clarifications: &debate.clarifications,
        analysis,
        prompts,
    })
}

/// Returns the facts that decide the ending: the author of the review, contradictions, unread parts.
fn judgement(debate: &Debate, analysis: &IdeaAnalysis, cx: &Cx<DebateServices>) -> Judgement {
    let is_offline = |agent| cx.services().is_offline(agent);
    let by_rules = is_offline(DebateAgent::Architect) || is_offline(DebateAgent::Reviewer);
    Judgement {
        is_by_model: !is_offline(DebateAgent::Reviewer),
        has_contradiction: has_open_contradiction(debate, analysis),
        is_read_in_part: by_rules && analysis.unread_bytes > 0,
    }
}

/// Asks for the review. The inner `Err` is an answer that was refused, if the settings let the debate
/// end with it; else a refusal is an error.
async fn ask_for_review(
    request: &ReviewRequest,
    on_bad_answer: OnBadDraft,
    cx: &Cx<DebateServices>,
) -> NodeResult<Result<Reply<Review>, RefusedAnswer>> {
    let mut prompt = build_request(DebateTask::Review, request, cx)?;
    let schema = Review::answer_schema(request.on_ambiguity);
    let sent = Review::sent_schema(&schema, request.max_challenges);
    prompt.answer = Some(AnswerSchema::new("Review", schema));
    let asking = TypedRequest::new(prompt, ask_policy()).sending(sent).with_optional_fields();
    let check =
        |review: &Review| review.check(request.on_ambiguity).map_err(|problems| join_problems(&problems));
    let question = typed_question(DebateTask::Review, asking, cx);
    match on_bad_answer {
        OnBadDraft::FallBack => question.try_ask(check).await,
        OnBadDraft::Error | OnBadDraft::KeepPrevious => question.ask(check).await.map(Ok),
    }
}
