//! The node `judge` of `ard-review`: checks a specification that a person wrote, and asks the model.

use super::ask::{ask_policy, build_request, join_problems, typed_question};
use crate::engine::{Cx, NodeResult, State as _};
use crate::llm::{AnswerSchema, TypedRequest};
use crate::workflows::ard::exchange::{Review, SchemaLimits};
use crate::workflows::ard::input::Idea;
use crate::workflows::ard::input::settings::OnAmbiguity;
use crate::workflows::ard::services::{DebateAgent, DebateServices, DebateTask};
use crate::workflows::ard::spec_review::{self, JudgeRequest, SpecReview, SpecReviewUpdate};
use crate::workflows::ard::state::AgentUsage;

/// Reviews the specification by rules and, unless the reviewer is offline, by a model. Challenges of
/// the rules come first.
pub(in super::super) async fn judge(
    state: &SpecReview,
    cx: &Cx<DebateServices>,
) -> NodeResult<SpecReviewUpdate> {
    let idea = state.rough_idea.as_ref().map(Idea::as_str);
    let findings = spec_review::check(&state.text, idea);
    let by_rules = Review::from_challenges(findings.challenges.clone());
    let update = SpecReview::update().questions(findings.questions);
    if cx.services().is_offline(DebateAgent::Reviewer) {
        return Ok(update.review(by_rules));
    }
    let max_challenges = state.settings.max_challenges;
    let request = JudgeRequest {
        rough_idea: idea,
        text: &state.text,
        findings: findings.challenges.iter().map(|(_, text)| text.as_str()).collect(),
        limits: SchemaLimits::new(None, max_challenges),
    };
    let mut prompt = build_request(DebateTask::Judge, &request, cx)?;
    let schema = Review::answer_schema(OnAmbiguity::Revise);
    let sent = Review::sent_schema(&schema, max_challenges);
    prompt.answer = Some(AnswerSchema::new("Review", schema));
    let check =
        |review: &Review| review.check(OnAmbiguity::Revise).map_err(|problems| join_problems(&problems));
    let asking = TypedRequest::new(prompt, ask_policy()).sending(sent).with_optional_fields();
    let reply = typed_question::<Review>(DebateTask::Judge, asking, cx).ask(check).await?;
    let usage = AgentUsage::from_reply(&reply);
    let mut review = by_rules;
    review.status = if review.challenges.is_empty() { reply.value.status } else { review.status };
    review.extend(reply.value.challenges);
    review.notes = reply.value.notes;
    Ok(update.review(review).is_by_model(true).usage(usage))
}
