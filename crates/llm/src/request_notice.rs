//! Notices about requests in progress, for live views: `tracing` events under a target of their own, so that no log shows them
//! unasked and no store or tape has them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::model::Usage;
use super::money::Money;
use super::openai::AnswerTimeouts;

/// Target of the events. Their messages are `asked`, `piece`, `ended` (each with the number of the request) and `spent`.
pub const REQUEST_TARGET: &str = "live::request";

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A request in progress, as live views see it. Dropping it emits the event `ended`.
pub(crate) struct RequestNotice {
    request: u64,
}

impl RequestNotice {
    /// Emits the event `asked`: a request is sent. It has the label, the model, the endpoint and the timeouts
    /// for the first token and between tokens, in milliseconds.
    pub(crate) fn asked(label: &str, model: &str, endpoint: &str, limits: AnswerTimeouts) -> Self {
        let request = NEXT.fetch_add(1, Ordering::Relaxed);
        let millis = |limit: std::time::Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let (first_ms, idle_ms) = (millis(limits.first_token), millis(limits.idle));
        tracing::trace!(target: REQUEST_TARGET, request, label, model, endpoint, first_ms, idle_ms, "asked");
        Self { request }
    }

    /// Emits the event `piece`: a piece of the answer has arrived, about one token.
    pub(crate) fn piece(&self) {
        tracing::trace!(target: REQUEST_TARGET, request = self.request, "piece");
    }
}

impl Drop for RequestNotice {
    fn drop(&mut self) {
        tracing::trace!(target: REQUEST_TARGET, request = self.request, "ended");
    }
}

/// Emits the event `spent`: the tokens and the cost of an answer, in dollars. The cost is -1 if it is not
/// known.
pub(crate) fn spent(usage: Usage, cost: Option<Money>) {
    let dollars = cost.map_or(-1.0, Money::in_dollars);
    tracing::trace!(target: REQUEST_TARGET, tokens = usage.total(), dollars, "spent");
}
