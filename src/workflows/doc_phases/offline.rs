//! Registers the rules as the offline model: they answer the typed question of a round, under the same budgets as a model. Their
//! decisions are in `rules/`.

use super::phase::{RoundDecision, RoundQuestion};
use crate::llm::{Offline, RuleError, ToolCall, Turn};

/// Task name of a round's typed question.
pub(super) const TASK: &str = "doc-phases.round";

/// Returns the model `offline`: it needs no network and answers each round of a phase with the decision of
/// `rules::next`.
pub(super) fn rules() -> Offline {
    Offline::builder()
        .turn(TASK, |_, task| {
            let round: RoundQuestion = serde_json::from_value(task.input.clone())
                .map_err(|error| RuleError::new(format!("the round is of another type: {error}")))?;
            Ok(to_turn(&round, super::rules::next(&round)))
        })
        .build()
}

/// Converts a decision of the rules to a model answer: a completion becomes text with the completion markup,
/// requested calls become tool calls with the ids `r<round>_<number>`.
fn to_turn(round: &RoundQuestion, answer: RoundDecision) -> Turn {
    match answer {
        RoundDecision::Complete(completion) => {
            Turn { text: completion.to_markup(round.phase), tool_calls: Vec::new() }
        }
        RoundDecision::Call(calls) => {
            let calls = (1..).zip(calls);
            let call = |(number, call): (usize, super::phase::ToolRequest)| ToolCall {
                id: format!("r{}_{number}", round.number),
                name: call.tool.to_owned(),
                arguments: call.arguments.to_string(),
            };
            Turn { text: String::new(), tool_calls: calls.map(call).collect() }
        }
    }
}
