//! The node `clarify`: asks the user about ambiguities and records the decisions (ARD-72).

use futures_util::future::try_join_all;

use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::ard::analysis::{IdeaAnalysis, OpenQuestion};
use crate::workflows::ard::exchange::{
    Category, Challenge, Clarification, ClarificationAnswer, ClarificationQuestion, Proposal,
};
use crate::workflows::ard::services::DebateServices;
use crate::workflows::ard::state::{Debate, DebateUpdate};

/// Interrupts the run with all questions of the latest review at once, and records the user's answers
/// in their order. Before the first review, the questions are about contradictions in the idea.
pub(in super::super) async fn clarify(debate: &Debate, cx: &Cx<DebateServices>) -> NodeResult<DebateUpdate> {
    let questions = questions(debate);
    let schemas: Vec<_> = questions.iter().map(ClarificationQuestion::answer_schema).collect();
    let asked = questions.iter().zip(&schemas).map(|(question, schema)| cx.interrupt_with(question, schema));
    let answers: Vec<ClarificationAnswer> = try_join_all(asked).await?;
    let mut decided = Vec::new();
    for (question, answer) in questions.iter().zip(answers) {
        decided.push(settle(question, answer, debate, cx).await?);
    }
    Ok(Debate::update().extend_clarifications(decided))
}

/// Returns the questions about the latest review; before the first one, about contradictions in the idea.
fn questions(debate: &Debate) -> Vec<ClarificationQuestion> {
    let round = u32::try_from(debate.challenge_history.len()).unwrap_or(u32::MAX);
    let Some(latest) = debate.challenge_history.last() else {
        let analysis = IdeaAnalysis::of(debate.rough_idea.as_str());
        return contradictions(&analysis);
    };
    latest.ambiguities().map(|challenge| ClarificationQuestion::from_challenge(challenge, round)).collect()
}

/// Returns a question for each contradiction in the idea, with the two statements as options; the later
/// one is recommended.
fn contradictions(analysis: &IdeaAnalysis) -> Vec<ClarificationQuestion> {
    let option = |number: Option<usize>, recommended: bool| {
        let statement = number.and_then(|number| analysis.statement(number))?;
        Some(Proposal { text: format!("S{} holds: {}", statement.number, statement.text), recommended })
    };
    let numbered = (1..).zip(analysis.contradictions());
    let question = |(number, question): (u32, &OpenQuestion)| {
        // The later statement is the default, because authors correct themselves later.
        let options = [option(question.statement, true), option(question.contradicts, false)];
        let challenge = Challenge::new(number, Category::Ambiguity, &question.text);
        let options = options.into_iter().flatten().collect();
        ClarificationQuestion::from_challenge(&Challenge { options, ..challenge }, 0)
    };
    numbered.map(question).collect()
}

/// Turns an answer into a decision. Interrupts the run again while the answer is the number of an
/// option that does not exist.
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
