//! The rules that explore without a model: registered with the model layer, asked by the typed question of a round, under the same
//! budgets as a model. What they decide is in `rules/`.

use super::phase::{Answer, Round};
use crate::llm::{Offline, RuleError, ToolCall, Turn};

/// The name of a round's typed question.
pub(super) const TASK: &str = "doc-phases.round";

/// The rules.
pub(super) fn rules() -> Offline {
    Offline::builder()
        .turn(TASK, |_, task| {
            let round: Round = serde_json::from_value(task.input.clone())
                .map_err(|error| RuleError::new(format!("the round is of another type: {error}")))?;
            Ok(to_turn(&round, super::rules::next(&round)))
        })
        .build()
}

/// An answer as a model gives it.
fn to_turn(round: &Round, answer: Answer) -> Turn {
    match answer {
        Answer::Complete(completion) => {
            Turn { text: completion.to_markup(round.phase), tool_calls: Vec::new() }
        }
        Answer::Call(calls) => {
            let calls = (1..).zip(calls);
            let call = |(number, call): (usize, super::phase::Call)| ToolCall {
                id: format!("r{}_{number}", round.number),
                name: call.tool.to_owned(),
                arguments: call.arguments.to_string(),
            };
            Turn { text: String::new(), tool_calls: calls.map(call).collect() }
        }
    }
}
