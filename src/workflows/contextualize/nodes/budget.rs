//! The budget of a run in tokens and money (CTX-86), and the part of it that one request may use. Decides before a request, from the
//! state alone, so that a resumed run decides the same.

use crate::agent::Spent;
use crate::agent::around::{Budget, OverBudget};
use crate::llm::{CHARACTERS_PER_TOKEN, ChatRequest};
use crate::workflows::contextualize::input::ContextSettings;
use crate::workflows::contextualize::services::ContextResources;

/// Tokens of a prompt besides its material: instructions, names, lists.
const INSTRUCTIONS: u64 = 1_500;
/// Fewest tokens of material with which a request is worth its price.
const LEAST: u64 = 500;
/// Part of the remaining tokens that is kept for the answer, in percent.
const ANSWER_PERCENT: u64 = 20;

/// The limits of a run in tokens and money, and the spending so far. Nodes and tools ask it before each
/// request.
pub(super) struct RunBudget<'a> {
    settings: &'a ContextSettings,
    spent: &'a Spent,
    budget: Budget,
}

impl<'a> RunBudget<'a> {
    pub(super) fn new(settings: &'a ContextSettings, spent: &'a Spent, resources: &ContextResources) -> Self {
        let budget = Budget::new(settings.budget);
        let budget = match resources.prices {
            Some(prices) => budget.prices(prices),
            None => budget,
        };
        Self { settings, spent, budget }
    }

    /// Returns the maximum of characters from the repository in the next request, which may use `percent` of
    /// the remaining tokens. Instructions and the answer are deducted; at least 500 tokens remain.
    pub(super) fn material_chars(&self, percent: u64) -> usize {
        let calls = &self.settings.calls;
        let limit = self.settings.budget.tokens.unwrap_or(u64::MAX);
        let left = limit.saturating_sub(self.spent.total().usage.total());
        let part =
            (left / 100).saturating_mul(percent).min(calls.tokens_per_call.map_or(u64::MAX, u64::from));
        let prompt = (part - part / 100 * ANSWER_PERCENT).min(calls.max_input_tokens.into());
        let tokens = prompt.saturating_sub(INSTRUCTIONS).max(LEAST);
        usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(CHARACTERS_PER_TOKEN)
    }

    /// Returns an error if the estimated tokens of a request would exceed the budget (CTX-140).
    pub(super) fn check(&self, chat: &ChatRequest) -> Result<(), OverBudget> {
        self.budget.with_estimate(self.spent, chat.estimated_tokens())
    }
}
