//! Asks the user about what the reviewer finds ambiguous, and keeps what was decided (ARD-72).

use futures_util::future::try_join_all;

use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::ard::exchange::{Answer, Clarification, Question, Review};
use crate::workflows::ard::services::Services;
use crate::workflows::ard::state::{Debate, DebateUpdate};

/// All questions of a review are asked at once, in the order of its challenges, and can be answered in any order.
pub(in super::super) async fn clarify(debate: &Debate, cx: &Cx<Services>) -> NodeResult<DebateUpdate> {
    let round = u32::try_from(debate.challenge_history.len()).unwrap_or(u32::MAX);
    let latest = debate.challenge_history.last();
    let challenges = latest.into_iter().flat_map(Review::ambiguities);
    let questions: Vec<_> = challenges.map(|challenge| Question::of(challenge, round)).collect();
    let answers = try_join_all(questions.iter().map(|question| cx.interrupt::<Answer>(question))).await?;
    let mut decided = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        decided.push(settled(question, answer, debate, cx).await?);
    }
    Ok(Debate::update().extend_clarifications(decided))
}

/// Asks again as long as an answer names an option that there is not.
async fn settled(
    question: &Question,
    mut answer: Answer,
    debate: &Debate,
    cx: &Cx<Services>,
) -> NodeResult<Clarification> {
    // The reviewer counted this iteration already when it sent the debate on.
    let iteration = debate.iteration.saturating_sub(1);
    loop {
        if let Some(clarification) = question.decided(&answer, iteration) {
            return Ok(clarification);
        }
        answer = cx.interrupt(&question.again(&answer)).await?;
    }
}
