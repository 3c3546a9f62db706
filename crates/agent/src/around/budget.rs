//! Limits for tokens and money of a conversation (CTX-86 to 92): the run ends, in good order, before a
//! request that would exceed them. Counts nothing; the round has the spent amounts.

use futures_util::future::{self, FutureExt};
use thiserror::Error;

use crate::{Halt, Hook, Middleware, Round, Spent};
use stategraph_llm::layer::BudgetLimits;
use stategraph_llm::{ChatAnswer, ChatRequest, Money, Prices, Usage, UsageSource};

/// Share of a limit from which on there is a warning, in percent (CTX-92).
const WARN_PERCENT: u64 = 80;

/// Middleware with limits for the tokens and the money of a conversation. It halts the run before a request
/// that would exceed one, and logs a warning when an answer comes near one.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    limits: BudgetLimits,
    prices: Option<Prices>,
}

/// The error of a conversation that spent more than allowed, or would do so with its next request.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OverBudget {
    /// The limit of tokens is exceeded.
    #[error("budget exceeded: {used} tokens of {limit} allowed, {cost} spent")]
    Tokens {
        /// Tokens spent, with the estimate for the next request.
        used: u64,
        /// Tokens allowed.
        limit: u64,
        /// The cost so far.
        cost: Money,
    },
    /// The limit of money is exceeded.
    #[error("budget exceeded: {used} of {limit} allowed, {tokens} tokens spent")]
    Money {
        /// Money spent, with the estimate for the next request.
        used: Money,
        /// Money allowed.
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

    /// Sets the prices with which the cost of the next prompt is estimated (CTX-140). Without them it counts
    /// as free.
    pub fn prices(mut self, prices: Prices) -> Self {
        self.prices = Some(prices);
        self
    }

    /// Returns true if strictly more was spent than allowed (CTX-88, CTX-92).
    pub fn is_over(&self, spent: &Spent) -> bool {
        self.check(spent).is_err()
    }

    /// Returns an error if more was spent than allowed (CTX-89).
    pub fn check(&self, spent: &Spent) -> Result<(), OverBudget> {
        self.with_estimate(spent, 0)
    }

    /// Returns an error if `spent` and a further request of `tokens` estimated tokens exceed a limit.
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

    /// Returns a warning text if 80 % of the token or money limit, or more, are spent; otherwise `None`.
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

/// Returns true if `used` is at least 80 % of `limit`.
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
