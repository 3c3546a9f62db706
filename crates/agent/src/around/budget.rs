//! Limits for tokens and money of a conversation (CTX-86 to 92): the run ends, in good order, before a request that would exceed them.
//! Counts nothing; the round has the spent amounts.

use futures_util::future::{self, FutureExt};
use thiserror::Error;

use crate::{Halt, Hook, Middleware, Round, Spent};
use stategraph_llm::layer::BudgetLimits;
use stategraph_llm::{ChatAnswer, ChatRequest, Money, Prices, Usage, UsageSource};

/// From which part of a limit on there is a warning, in percent (CTX-92).
const WARN_PERCENT: u64 = 80;

/// The limits of a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    limits: BudgetLimits,
    prices: Option<Prices>,
}

/// More was, or would be, spent than allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverBudget {
    /// Of tokens.
    #[error("budget exceeded: {used} tokens of {limit} allowed, {cost} spent")]
    Tokens {
        /// Spent, with what the next request is estimated to take.
        used: u64,
        /// Allowed.
        limit: u64,
        /// The cost so far.
        cost: Money,
    },
    /// Of money.
    #[error("budget exceeded: {used} of {limit} allowed, {tokens} tokens spent")]
    Money {
        /// Spent, with what the next request is estimated to cost.
        used: Money,
        /// Allowed.
        limit: Money,
        /// The tokens so far.
        tokens: u64,
    },
}

impl OverBudget {
    /// Returns the hint: the next step for the user.
    pub fn hint(&self) -> &'static str {
        "raise the budget and resume, or give it less to do"
    }
}

impl Budget {
    /// Makes a budget with these limits.
    pub fn new(limits: BudgetLimits) -> Self {
        Self { limits, prices: None }
    }

    /// Sets the prices, for the cost of the prompt before a request (CTX-140).
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Returns true if more was spent than allowed: strictly more (CTX-88, CTX-92).
    pub fn is_over(&self, spent: &Spent) -> bool {
        self.check(spent).is_err()
    }

    /// Returns an error if more was spent than allowed (CTX-89).
    pub fn check(&self, spent: &Spent) -> Result<(), OverBudget> {
        self.with_estimate(spent, 0)
    }

    /// Like [`check`](Self::check), with the estimated tokens of a further request.
    pub fn with_estimate(&self, spent: &Spent, tokens: u64) -> Result<(), OverBudget> {
        let total = spent.total();
        let used = total.usage.total().saturating_add(tokens);
        if let Some(limit) = self.limits.tokens.filter(|limit| used > *limit) {
            return Err(OverBudget::Tokens { used, limit, cost: total.cost });
        }
        let mut cost = total.cost;
        let next = Usage { prompt_tokens: tokens, completion_tokens: 0, source: UsageSource::Estimated };
        cost += self.prices.map(|prices| prices.of(next)).unwrap_or_default();
        if let Some(limit) = self.limits.money.filter(|limit| cost > *limit) {
            return Err(OverBudget::Money { used: cost, limit, tokens: total.usage.total() });
        }
        Ok(())
    }

    /// Returns the warning for the model from 80 % of a limit on.
    pub fn warning(&self, spent: &Spent) -> Option<String> {
        let total = spent.total();
        let tokens = total.usage.total();
        if let Some(limit) = self.limits.tokens.filter(|limit| is_most(tokens.into(), (*limit).into())) {
            return Some(format!("WARNING: {tokens} of {limit} tokens are spent."));
        }
        let limit = self.limits.money.filter(|limit| total.cost.in_dollars() >= limit.in_dollars() * 0.8)?;
        Some(format!("WARNING: {} of {limit} are spent.", total.cost))
    }
}

fn is_most(used: u128, limit: u128) -> bool {
    used * 100 >= limit * u128::from(WARN_PERCENT)
}

impl Middleware for Budget {
    fn before_model<'a>(&'a self, round: &'a Round, request: &'a mut ChatRequest) -> Hook<'a> {
        let allowed = self.with_estimate(&round.spent, request.estimated_tokens());
        future::ready(allowed.map_err(|over| Halt::new(over.to_string()).into())).boxed()
    }

    fn after_model<'a>(&'a self, round: &'a Round, _: &'a mut ChatAnswer) -> Hook<'a> {
        if let Some(warning) = self.warning(&round.spent) {
            tracing::warn!(round = round.number, "{warning}");
        }
        future::ready(Ok(())).boxed()
    }
}
