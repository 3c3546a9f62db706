//! Amounts of money and prices of tokens. Whole numbers inside, so that sums do not depend on their order.

use std::fmt;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::model::Usage;

/// An amount of US dollars, as a whole number of 10⁻¹² dollars. A token costs between 10 and 100,000,000 of
/// these units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    /// Converts from dollars; negative values and NaN become zero.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
    pub fn dollars(dollars: f64) -> Self {
        Self((dollars * 1e12).round() as u64)
    }

    /// Converts to dollars, for display and comparison with limits.
    #[expect(clippy::cast_precision_loss, reason = "15 digits of a dollar amount are enough to show")]
    pub fn in_dollars(self) -> f64 {
        self.0 as f64 / 1e12
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${:.4}", self.in_dollars())
    }
}

/// The token prices of a model.
///
/// ```
/// use stategraph_llm::{Prices, Usage, UsageSource};
///
/// let prices = Prices { input: 2.0, output: 8.0 };
/// let usage = Usage { prompt_tokens: 1_000, completion_tokens: 500, source: UsageSource::Reported };
/// assert_eq!(prices.of(usage).to_string(), "$0.0060");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Dollars per million prompt tokens.
    pub input: f64,
    /// Dollars per million completion tokens.
    pub output: f64,
}

impl Prices {
    /// Returns the cost of `usage`.
    pub fn of(&self, usage: Usage) -> Money {
        let mut cost = per_token(self.input, usage.prompt_tokens);
        cost += per_token(self.output, usage.completion_tokens);
        cost
    }
}

/// Returns the cost of `tokens` tokens at a price in dollars per million tokens.
fn per_token(per_million: f64, tokens: u64) -> Money {
    Money(Money::dollars(per_million / 1e6).0.saturating_mul(tokens))
}
