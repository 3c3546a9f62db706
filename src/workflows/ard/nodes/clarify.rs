//! The node `clarify`: asks the user about ambiguities and records the decisions (ARD-72).

use futures_util::future::try_join_all;

use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::ard::exchange::{Clarification, ClarificationAnswer, ClarificationQuestion, Review};
use crate::workflows::ard::services::DebateServices;
use crate::workflows::ard::state::{Debate, DebateUpdate};

/// Asks all questions of a review at once, in the order of its challenges, so that the user can answer them in any
/// order.
pub(in super::super) async fn clarify(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<DebateUpdate> {
    let round = u32::try_from(debate.challenge_history.len()).unwrap_or(u32::MAX);
    let latest = debate.challenge_history.last();
    let challenges = latest.into_iter().flat_map(Review::ambiguities);
    let questions: Vec<_> =
        challenges.map(|challenge| ClarificationQuestion::from_challenge(challenge, round)).collect();
    let answers =
        try_join_all(questions.iter().map(|question| cx.interrupt::<ClarificationAnswer>(question))).await?;
    let mut decided = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        decided.push(settle(question, answer, debate, cx).await?);
    }
    Ok(Debate::update().extend_clarifications(decided))
}

/// Asks again until the answer names an existing option or is a text.
async fn settle(
    question: &ClarificationQuestion,
    mut answer: ClarificationAnswer,
    debate: &Debate,
    cx: &Cx<DebateServices>,
) -> NodeResult<Clarification> {
    // Minus one, because the reviewer counted the next iteration already when it ended the round.
    let iteration = debate.iteration.saturating_sub(1);
    loop {
        if let Some(clarification) = question.resolve(&answer, iteration) {
            return Ok(clarification);
        }
        answer = cx.interrupt(&question.with_objection(&answer)).await?;
    }
}
