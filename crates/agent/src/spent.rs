//! The spent budget of a conversation: tokens and money per operation, calls per tool. Plain data that survives in state and journal, so
//! that every budget counts on exactly after a resume (DOC-53). Refuses nothing; see `around`.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::tool::ToolOutput;
use stategraph_llm::{ChatAnswer, Money, Prices, Usage};

/// The budget that a conversation has spent so far: tokens and money by operation, and the number of calls by
/// tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens and money by operation: the label of the agent that asked.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, AnswerTotals>,
    /// Number of calls by tool; calls that do not [count](ToolOutput::counts) are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, u32>,
}

/// The tokens and money that the answers of a model took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerTotals {
    /// Number of answers of a model.
    pub answers: u64,
    /// Their tokens.
    pub usage: Usage,
    /// Sum of their costs; answers without a known price are not in it.
    pub cost: Money,
    /// Number of answers whose price is not known.
    #[serde(default)]
    pub unpriced: u64,
}

impl AddAssign for AnswerTotals {
    fn add_assign(&mut self, other: Self) {
        self.answers += other.answers;
        self.usage += other.usage;
        self.cost += other.cost;
        self.unpriced += other.unpriced;
    }
}

impl Spent {
    /// Adds an answer to the amounts of `operation` (CTX-87). An answer that does not state its cost is
    /// priced with `prices`, or counted as unpriced without them.
    pub fn answer(&mut self, operation: &str, answer: &ChatAnswer, prices: Option<Prices>) {
        let cost = answer.cost.or(prices.map(|prices| prices.of(answer.usage)));
        let unpriced = u64::from(cost.is_none());
        let took = AnswerTotals { answers: 1, usage: answer.usage, cost: cost.unwrap_or_default(), unpriced };
        *self.operations.entry(operation.to_owned()).or_default() += took;
    }

    /// Counts a call of `tool` if its output [counts](ToolOutput::counts).
    pub fn call(&mut self, tool: &str, output: &ToolOutput) {
        if output.counts() {
            let calls = self.tools.entry(tool.to_owned()).or_default();
            *calls = calls.saturating_add(1);
        }
    }

    /// Returns the number of counted calls of `tool`.
    pub fn calls(&self, tool: &str) -> u32 {
        self.tools.get(tool).copied().unwrap_or(0)
    }

    /// Returns the tokens and money of all operations together.
    pub fn total(&self) -> AnswerTotals {
        self.operations.values().fold(AnswerTotals::default(), |mut sum, took| {
            sum += *took;
            sum
        })
    }
}

/// Adds the amounts of another conversation, for example of a parallel branch of a workflow. The order of
/// additions does not matter.
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
