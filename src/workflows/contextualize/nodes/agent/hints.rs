//! The part of the budget that is reserved for the text and its facts: warnings before it is reached, then refusals of other calls. Each
//! request sends the whole conversation again, so that a few late rounds cost as much as the text. The limit itself is that of
//! `agent::around::Budget`.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{self, FutureExt};

use crate::agent::{Hook, Middleware, PlannedCall, Round, ToolOutput};
use crate::llm::ChatRequest;

/// Fewest tokens of the request that writes the text.
const TEXT: u64 = 6_000;
/// Most tokens that are reserved for it.
const TEXT_MOST: u64 = 16_000;
/// Part of the budget that is reserved for it, in percent.
const TEXT_PERCENT: u64 = 30;
/// Rounds before the reserved part at which the first warning is given.
const WARNED_ROUNDS: u64 = 3;

/// Middleware that reserves tokens for the final text. When few are left it warns the model; when only the
/// reserve is left it refuses all calls except to the tool that writes the text.
pub(super) struct BudgetHints {
    /// Tokens of the run.
    limit: Option<u64>,
    /// The tool that writes the text.
    closing: &'static str,
    /// Tokens of the newest request.
    request: AtomicU64,
}

impl BudgetHints {
    pub(super) fn new(limit: Option<u64>, closing: &'static str) -> Self {
        Self { limit, closing, request: AtomicU64::new(0) }
    }
}

impl Middleware for BudgetHints {
    fn before_model<'a>(&'a self, _: &'a Round, request: &'a mut ChatRequest) -> Hook<'a> {
        self.request.store(request.estimated_tokens(), Ordering::Relaxed);
        future::ready(Ok(())).boxed()
    }

    fn before_calls<'a>(&'a self, round: &'a Round, calls: &'a mut [PlannedCall]) -> Hook<'a> {
        let Some(limit) = self.limit else { return future::ready(Ok(())).boxed() };
        let left = limit.saturating_sub(round.spent.total().usage.total());
        let reserved = (limit / 100 * TEXT_PERCENT).clamp(TEXT, TEXT_MOST);
        // The next request has this one and the results of its calls.
        let request = self.request.load(Ordering::Relaxed);
        let others = calls.iter_mut().filter(|call| call.is_open() && call.call().name != self.closing);
        let closing = self.closing;
        if left < request.saturating_add(reserved) {
            let words = format!(
                "{left} tokens are left, the rest for the text: call `{closing}` now, with what you know."
            );
            others.for_each(|call| {
                call.warn(words.clone());
                call.refuse(ToolOutput::refused(words.clone()));
            });
        } else if left < request.saturating_mul(WARNED_ROUNDS).saturating_add(reserved) {
            let words = format!(
                "{left} tokens are left, {reserved} of them for the text: a few more rounds, then call `{closing}`."
            );
            others.for_each(|call| call.warn(words.clone()));
        }
        future::ready(Ok(())).boxed()
    }
}
