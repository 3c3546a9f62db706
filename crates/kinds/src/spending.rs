//! Model costs of a run, by model: tokens and money. The state holds them, so a resumed run continues the count and a
//! fork starts with the costs before it. Enforces no budget; see `agent_limits.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use stategraph_llm::{ChatAnswer, ModelName, Money, UsageSource};

/// The answers, tokens and money of one model in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSpending {
    /// Number of answers.
    pub answers: u64,
    /// Prompt tokens.
    pub prompt_tokens: u64,
    /// Completion tokens.
    pub completion_tokens: u64,
    /// Number of answers whose token counts are estimates.
    #[serde(skip_serializing_if = "is_zero")]
    pub estimated: u64,
    /// Money of the answers whose price is known, in 10⁻¹² dollars.
    #[serde(skip_serializing_if = "is_nothing")]
    pub cost: Money,
    /// Number of answers without a known price.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
fn is_nothing(money: &Money) -> bool {
    *money == Money::default()
}

/// The costs of a node by model name, as JSON in the form that the state stores.
#[derive(Debug, Clone, Default)]
pub(super) struct SpendingByModel(Map<String, Value>);

impl SpendingByModel {
    /// Adds the tokens and the cost of an answer to the counts of its model.
    pub(super) fn count_answer(&mut self, model: &ModelName, answer: &ChatAnswer) {
        let spent = ModelSpending {
            answers: 1,
            prompt_tokens: answer.usage.prompt_tokens,
            completion_tokens: answer.usage.completion_tokens,
            estimated: u64::from(answer.usage.source == UsageSource::Estimated),
            cost: answer.cost.unwrap_or_default(),
            unpriced: u64::from(answer.cost.is_none()),
        };
        let spent = serde_json::to_value(spent).expect("numbers are JSON");
        self.add(Map::from_iter([(model.to_string(), spent)]));
    }

    /// Adds costs by model, such as those of a sub-graph.
    pub(super) fn add(&mut self, other: Map<String, Value>) {
        stategraph_core::merge_spent(&mut self.0, other);
    }

    /// Returns the costs as a JSON map by model.
    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

/// Formats the costs of a run for people, one line per model, sorted by name. `spent` is the value in the
/// state; one that does not parse gives no lines.
pub fn format_spending(spent: &Value) -> Vec<String> {
    let by_model: BTreeMap<String, ModelSpending> = serde_json::from_value(spent.clone()).unwrap_or_default();
    by_model.into_iter().map(|(model, spent)| line(&model, spent)).collect()
}

/// Formats the costs of one model.
fn line(model: &str, spent: ModelSpending) -> String {
    let ModelSpending { answers, prompt_tokens, completion_tokens, estimated, cost, unpriced } = spent;
    let about = if estimated > 0 { "~" } else { "" };
    let calls = if answers == 1 { "1 call".to_owned() } else { format!("{answers} calls") };
    let cost = if unpriced == answers { String::new() } else { format!(", {cost}") };
    let more = if unpriced == 0 || unpriced == answers {
        String::new()
    } else {
        format!(" and {unpriced} without a known price")
    };
    format!(
        "{model}: {calls}, {about}{prompt_tokens} tokens read, {about}{completion_tokens} written{cost}{more}"
    )
}
