//! The node `reviewer`: reviews the draft and decides the verdict (ARD-42 to ARD-51, ARD-9 to ARD-12).

use super::ask::{ask_policy, build_request, join_problems, typed_question, with_current_model};
use super::history::load_history;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{AnswerSchema, Asking, Reply};
use crate::workflows::ard::choices::{Verdict, judge, with_buildability};
use crate::workflows::ard::exchange::{Review, ReviewRequest};
use crate::workflows::ard::progress::ReviewedEvent;
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::state::{AgentUsage, Debate, DebateStatus, DebateUpdate};

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
    let review = with_buildability(reply.value, &request.draft, settings);
    cx.emit(ReviewedEvent::NAME, &ReviewedEvent::new(debate, &review, reply.usage))?;
    let update = match judge(&review, debate.iteration, request.round, settings) {
        Verdict::Verified => update.status(DebateStatus::Verified),
        Verdict::Exhausted => update.status(DebateStatus::MaxIterationsReached),
        Verdict::Revise | Verdict::Clarify => update.iteration(debate.iteration.saturating_add(1)),
    };
    Ok(update.challenge_history(review).reviewer(spent))
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
