//! The spent budget of a conversation: tokens and money per operation, calls per tool. Plain data that survives in state and journal, so
//! that every budget counts on exactly after a resume (DOC-53). Refuses nothing; see `around`.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::tool::ToolOutput;
use stategraph_llm::{ChatAnswer, Money, Prices, Usage};

/// The tokens, money and calls spent so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// By operation: the label of the agent that asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, Took>,
    /// Calls by tool, as far as they [count](ToolOutput::counts).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, u32>,
}

/// The tokens and money that an operation used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Took {
    /// Answers of a model.
    pub answers: u64,
    /// Their tokens.
    pub usage: Usage,
    /// Their cost, as far as prices are known.
    pub cost: Money,
    /// Answers whose price is not known.
    #[serde(default)]
    pub unpriced: u64,
}

impl AddAssign for Took {
    fn add_assign(&mut self, other: Self) {
        self.answers += other.answers;
        self.usage += other.usage;
        self.cost += other.cost;
        self.unpriced += other.unpriced;
    }
}

impl Spent {
    /// Counts an answer for `operation` (CTX-87). One without a price of its own is counted at `prices`.
    pub fn answer(&mut self, operation: &str, answer: &ChatAnswer, prices: Option<Prices>) {
        let cost = answer.cost.or(prices.map(|prices| prices.of(answer.usage)));
        let unpriced = u64::from(cost.is_none());
        let took = Took { answers: 1, usage: answer.usage, cost: cost.unwrap_or_default(), unpriced };
        *self.operations.entry(operation.to_owned()).or_default() += took;
    }

    /// Counts a call of `tool`, if its output counts.
    pub fn call(&mut self, tool: &str, output: &ToolOutput) {
        if output.counts() {
            let calls = self.tools.entry(tool.to_owned()).or_default();
            *calls = calls.saturating_add(1);
        }
    }

    /// Calls of `tool` so far.
    pub fn calls(&self, tool: &str) -> u32 {
        self.tools.get(tool).copied().unwrap_or(0)
    }

    /// Returns the sum over all operations.
    pub fn total(&self) -> Took {
        self.operations.values().fold(Took::default(), |mut sum, took| {
            sum += *took;
            sum
        })
    }
}

/// The sum of two conversations, as of parallel parts of a workflow; the order does not matter.
impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        for (operation, took) in other.operations {
            *self.operations.entry(operation).or_default() += took;
        }
        for (tool, calls) in other.tools {
            let sum = self.tools.entry(tool).or_default();
            *sum = sum.saturating_add(calls);
        }
    }
}
