//! Words to the model when its budget comes to an end: the last requests are for the text. Refuses nothing; see `agent::around::Budget`.

use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::{self, FutureExt};

use crate::agent::{Hook, Middleware, PlannedCall, Round};
use crate::llm::ChatRequest;

/// Tokens of the request that writes the text.
const TEXT: u64 = 6_000;

/// Middleware that warns while there is room for one more round and for the text.
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
        let left = self.limit.map(|limit| limit.saturating_sub(round.spent.total().usage.total()));
        // The next request has this one and the results of its calls; the one after it would be the last.
        let needed = self.request.load(Ordering::Relaxed).saturating_mul(2).saturating_add(TEXT);
        if let Some(left) = left.filter(|left| *left < needed) {
            let words = format!("{left} tokens are left: call `{}` now, with what you know.", self.closing);
            let others = calls.iter_mut().filter(|call| call.is_open() && call.call().name != self.closing);
            others.for_each(|call| call.warn(words.clone()));
        }
        future::ready(Ok(())).boxed()
    }
}
