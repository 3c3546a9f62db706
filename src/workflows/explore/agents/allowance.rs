//! Share of an agent in the limits of the tree of agents (EXP-66). An agent divides its share among its
//! children before they run, and gets the unspent rest back when they have ended. So the sum never
//! exceeds the limits, and no decision depends on the order in which agents run.

use serde::{Deserialize, Serialize};

use crate::agent::Spent;
use crate::llm::Money;
use crate::llm::layer::BudgetLimits;

/// Minimum number of tokens with which an agent can explore: a prompt and an answer.
pub const CHILD_TOKENS_MIN: u64 = 2_000;

/// Share of an agent in the limits of the tree: tokens, money and further agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentAllowance {
    /// Tokens and money for the agent and all agents below it; `None` means no limit.
    pub budget: BudgetLimits,
    /// Number of agents that may run below it.
    pub agents: u32,
}

/// Reason why an agent cannot start another one; the message is the result of the tool call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAllowance {
    /// The limit of agents is used up.
    #[error("no further agent is allowed: the limit of agents is used up; explore the files yourself")]
    Agents,
    /// Too few tokens are left.
    #[error(
        "{left} tokens are left, too few for another agent; explore the most important files yourself and finish"
    )]
    Tokens {
        /// Tokens left.
        left: u64,
    },
    /// No money is left.
    #[error("the money is used up; finish with what is known")]
    Money,
}

impl AgentAllowance {
    /// Returns the allowance that remains after the expense `spent` and `agents` agents below.
    #[must_use]
    pub fn rest(&self, spent: &Spent, agents: u32) -> Self {
        let took = spent.total();
        let tokens = self.budget.tokens.map(|limit| limit.saturating_sub(took.usage.total()));
        let money = self
            .budget
            .money
            .map(|limit| Money::dollars((limit.in_dollars() - took.cost.in_dollars()).max(0.0)));
        Self { budget: BudgetLimits { tokens, money }, agents: self.agents.saturating_sub(agents) }
    }

    /// Checks that the allowance suffices for `children` children; the error names the limit that it
    /// exceeds.
    pub fn check(&self, children: u32) -> Result<(), NoAllowance> {
        if children > self.agents {
            return Err(NoAllowance::Agents);
        }
        let shared = self.budget.tokens.map(for_children);
        if shared.is_some_and(|tokens| tokens / u64::from(children.max(1)) < CHILD_TOKENS_MIN) {
            return Err(NoAllowance::Tokens { left: self.budget.tokens.unwrap_or_default() });
        }
        if self.budget.money == Some(Money::default()) {
            return Err(NoAllowance::Money);
        }
        Ok(())
    }

    /// Divides the allowance among children; `weights` has one number for each child, and the result
    /// one share. A quarter of tokens and money stays with the agent. Each child gets at least
    /// `CHILD_TOKENS_MIN` tokens.
    pub fn divide(&self, weights: &[u64]) -> Vec<Self> {
        let children = weights.len() as u64;
        let total = weights.iter().sum::<u64>().max(1);
        // Each child is an agent itself.
        let below = u64::from(self.agents).saturating_sub(children);
        let shared = self
            .budget
            .tokens
            .map(|tokens| for_children(tokens).saturating_sub(CHILD_TOKENS_MIN.saturating_mul(children)));
        let part = |weight: &u64| Self {
            budget: BudgetLimits {
                tokens: shared.map(|tokens| CHILD_TOKENS_MIN + part_of(tokens, *weight, total)),
                money: self.budget.money.map(|money| part_of_money(money, *weight, total)),
            },
            agents: u32::try_from(part_of(below, *weight, total)).unwrap_or(u32::MAX),
        };
        weights.iter().map(part).collect()
    }
}

/// Returns the tokens that children may get: three quarters.
fn for_children(tokens: u64) -> u64 {
    tokens / 4 * 3
}

/// Returns `whole * weight / total`, rounded down.
fn part_of(whole: u64, weight: u64, total: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(weight) / u128::from(total)).unwrap_or(u64::MAX)
}

/// Returns the share of three quarters of the money for this weight.
#[expect(clippy::cast_precision_loss, reason = "numbers of files are small")]
fn part_of_money(money: Money, weight: u64, total: u64) -> Money {
    Money::dollars(money.in_dollars() * 0.75 * weight as f64 / total as f64)
}
