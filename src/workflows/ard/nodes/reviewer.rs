//! Reviews the draft and says whether the debate goes on (ARD-42 to ARD-51, ARD-9 to ARD-12).

use super::ask::{AfterRefusal, Asked, as_resumed, ask, listed, prompt, protocol, refused};
use super::recall::remembered;
use crate::engine::{Cx, NodeError, NodeResult};
use crate::llm::{AnswerSchema, Asking, Reply};
use crate::workflows::ard::choices::{Verdict, counted, judge};
use crate::workflows::ard::exchange::{Review, ReviewRequest};
use crate::workflows::ard::progress::Reviewed;
use crate::workflows::ard::services::{Agent, Errand, Services};
use crate::workflows::ard::state::{Debate, DebateStatus, DebateUpdate, Spent};

pub(in super::super) async fn reviewer(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let missing = || NodeError::msg("there is no draft to review").permanent();
    let draft = debate.current_draft.clone().ok_or_else(missing)?;
    let (debate, update) = as_resumed(Agent::Reviewer, debate, cx);
    let (debate, (history, update)) = (&*debate, remembered(Agent::Reviewer, &debate, update, cx).await?);
    let settings = &debate.settings;
    let request = ReviewRequest {
        history,
        clarifications: debate.clarifications.clone(),
        severity: settings.severity,
        on_ambiguity: settings.on_ambiguity,
        max_challenges: settings.max_challenges,
        ..ReviewRequest::new(debate.rough_idea.as_str(), draft, debate.round())
    };
    let reply = review(&request, cx).await?;
    let spent = Spent::of(&reply);
    let review = counted(reply.value, &request.draft, settings);
    cx.emit(Reviewed::NAME, &Reviewed::of(debate, &review, reply.usage))?;
    let update = match judge(&review, debate.iteration, request.round, settings) {
        Verdict::Verified => update.status(DebateStatus::Verified),
        Verdict::Exhausted => update.status(DebateStatus::MaxIterationsReached),
        Verdict::Revise | Verdict::Clarify => update.iteration(debate.iteration.saturating_add(1)),
    };
    Ok(update.challenge_history(review).reviewer(spent))
}

async fn review(request: &ReviewRequest, cx: &Cx<Services>) -> NodeResult<Reply<Review>> {
    let mut prompt = prompt(Errand::Review, request, cx)?;
    let schema = Review::schema(request.severity, request.on_ambiguity);
    let sent = Review::sent_schema(&schema, request.max_challenges);
    prompt.answer = Some(AnswerSchema { name: "Review".to_owned(), schema });
    let mut asking = Asking::new(prompt, protocol()).sending(sent);
    let check = |review: &Review| review.check(request.on_ambiguity).map_err(|problems| listed(&problems));
    match ask(Errand::Review, &mut asking, AfterRefusal::AskAgain, check, cx).await? {
        Asked::Accepted(reply) => Ok(reply),
        Asked::Refused(bad) => Err(refused(bad, cx.services().model(Agent::Reviewer))),
    }
}
