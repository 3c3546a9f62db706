//! The node `reviewer`: reviews the draft and decides the verdict (ARD-42 to ARD-51, ARD-9 to ARD-12).

use super::ask::{ask_policy, build_request, join_problems, typed_question, with_current_model};
use super::history::load_history;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{AnswerSchema, Asking, Reply};
use crate::workflows::ard::analysis::IdeaAnalysis;
use crate::workflows::ard::choices::{Judgement, ending, judge, with_buildability, with_gates};
use crate::workflows::ard::exchange::{DesignDraft, Review, ReviewRequest};
use crate::workflows::ard::gates::{self, GateFinding};
use crate::workflows::ard::progress::ReviewedEvent;
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateStatus, DebateUpdate, Ending};

/// Reviews the current draft and records the review with its verdict. Fails without a draft.
pub(in super::super) async fn reviewer(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<DebateUpdate> {
    let missing = || NodeError::msg("there is no draft to review").permanent();
    let draft = debate.current_draft.clone().ok_or_else(missing)?;
    let (debate, update) = with_current_model(DebateAgent::Reviewer, debate, cx);
    let (debate, (history, update)) =
        (&*debate, load_history(DebateAgent::Reviewer, &debate, update, cx).await?);
    let settings = &debate.settings;
    let request = ReviewRequest {
        history,
        clarifications: debate.clarifications.clone(),
        severity: settings.severity,
        on_ambiguity: settings.on_ambiguity,
        max_challenges: settings.max_challenges,
        ..ReviewRequest::new(debate.rough_idea.as_str(), draft, debate.round())
    };
    let reply = ask_for_review(&request, cx).await?;
    let spent = AgentUsage::from_reply(&reply);
    let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
    let findings = find_faults(debate, &request.draft, &analysis, cx);
    let review = with_buildability(reply.value, &request.draft, settings);
    let review = with_gates(review, &findings, settings);
    cx.emit(ReviewedEvent::NAME, &ReviewedEvent::new(debate, &review, reply.usage))?;
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

/// Returns the findings of the gates. A revision that the settings allow to stay as it was is no repetition: the
/// minimum of rounds sends verified drafts back, and a refused revision keeps the earlier draft.
fn find_faults(
    debate: &Debate,
    draft: &DesignDraft,
    analysis: &IdeaAnalysis,
    cx: &Cx<DebateServices>,
) -> Vec<GateFinding> {
    let challenged = debate.challenge_history.last().is_some_and(|review| !review.challenges.is_empty());
    let is_kept = debate.rationales.last().is_some_and(Option::is_none);
    let earlier = if challenged && !is_kept { debate.drafts.as_slice() } else { &[] };
    // The rules write what they were told to; text of their own is no copy of a prompt.
    let prompts = if cx.services().is_offline(DebateAgent::Architect) {
        ""
    } else {
        DebateServices::architect_prompt()
    };
    gates::check(draft, earlier, analysis, prompts)
}

fn judgement(debate: &Debate, analysis: &IdeaAnalysis, cx: &Cx<DebateServices>) -> Judgement {
    let is_offline = |agent| cx.services().is_offline(agent);
    let by_rules = is_offline(DebateAgent::Architect) || is_offline(DebateAgent::Reviewer);
    Judgement {
        is_by_model: !is_offline(DebateAgent::Reviewer),
        has_contradiction: analysis.questions.iter().any(|question| question.is_contradiction)
            && debate.clarifications.is_empty(),
        is_read_in_part: by_rules && analysis.unread_bytes > 0,
    }
}

async fn ask_for_review(request: &ReviewRequest, cx: &Cx<DebateServices>) -> NodeResult<Reply<Review>> {
    let mut prompt = build_request(DebateTask::Review, request, cx)?;
    let schema = Review::answer_schema(request.severity, request.on_ambiguity);
    let sent = Review::sent_schema(&schema, request.max_challenges);
    prompt.answer = Some(AnswerSchema { name: "Review".to_owned(), schema });
    let asking = Asking::new(prompt, ask_policy()).sending(sent);
    let check =
        |review: &Review| review.check(request.on_ambiguity).map_err(|problems| join_problems(&problems));
    typed_question(DebateTask::Review, asking, cx).ask(check).await
}
