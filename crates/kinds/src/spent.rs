//! What the models of a run took, by model: tokens and money. Kept in the state, so that a resumed run counts on and a fork begins with
//! what was spent before it. Refuses nothing; see `limits.rs` for budgets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use stategraph_llm::{ChatAnswer, ModelName, Money, UsageSource};

/// What one model took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Answers.
    pub answers: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Answers whose tokens are an estimate.
    #[serde(skip_serializing_if = "is_zero")]
    pub estimated: u64,
    /// Money, as far as prices are known: in millionths of a millionth of a dollar.
    #[serde(skip_serializing_if = "is_nothing")]
    pub cost: Money,
    /// Answers whose price is not known.
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

/// What a piece of work took, by model, as the state adds it up.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally(Map<String, Value>);

impl Tally {
    /// Counts an answer.
    pub(super) fn answer(&mut self, model: &ModelName, answer: &ChatAnswer) {
        let spent = Spent {
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

    /// Adds what other work took, such as that of a sub-graph.
    pub(super) fn add(&mut self, other: Map<String, Value>) {
        stategraph_files::inline::add_spent(&mut self.0, other);
    }

    pub(super) fn into_map(self) -> Map<String, Value> {
        self.0
    }
}

/// Returns what a run took as lines for people, a model each, by name.
pub fn spent_lines(spent: &Value) -> Vec<String> {
    let by_model: BTreeMap<String, Spent> = serde_json::from_value(spent.clone()).unwrap_or_default();
    by_model.into_iter().map(|(model, spent)| line(&model, spent)).collect()
}

fn line(model: &str, spent: Spent) -> String {
    let Spent { answers, prompt_tokens, completion_tokens, estimated, cost, unpriced } = spent;
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
