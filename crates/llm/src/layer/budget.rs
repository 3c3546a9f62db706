//! Refuses a call once the budget is spent. Reads the meter; counts nothing itself.

use futures_util::FutureExt;
use futures_util::future;
use serde::{Deserialize, Serialize};

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};
use super::super::money::Money;
use super::meter::{Meter, UsageTally};

/// The limits of what may be spent: by all calls that a meter counts, or by one conversation of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetLimits {
    /// Maximum tokens, prompt and completion together.
    pub tokens: Option<u64>,
    /// Maximum cost, as far as prices are known.
    pub money: Option<Money>,
}

impl BudgetLimits {
    /// Returns an error if `spent` has reached a limit, so that no further call may start. The cost of a call
    /// is unknown before it, so the last allowed call may exceed the limit; of concurrent calls, each may.
    fn check(&self, spent: &UsageTally) -> Result<(), ModelErrorKind> {
        let tokens = spent.usage.total();
        if let Some(limit) = self.tokens.filter(|limit| tokens >= *limit) {
            return Err(ModelErrorKind::Budget {
                spent: format!("{tokens} tokens"),
                limit: format!("{limit} tokens"),
            });
        }
        if let Some(limit) = self.money.filter(|limit| spent.cost >= *limit) {
            return Err(ModelErrorKind::Budget { spent: spent.cost.to_string(), limit: limit.to_string() });
        }
        Ok(())
    }
}

/// A model that refuses calls once the budget is spent. Another layer, [`Metered`](super::Metered), counts.
pub struct Budgeted<M> {
    inner: M,
    meter: Meter,
    limits: BudgetLimits,
}

impl<M: ChatModel> Budgeted<M> {
    /// Wraps `inner` with `limits` on the counts of `meter`.
    pub fn new(inner: M, meter: Meter, limits: BudgetLimits) -> Self {
        Self { inner, meter, limits }
    }
}

impl<M: ChatModel> ChatModel for Budgeted<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        match self.limits.check(&self.meter.total()) {
            Ok(()) => self.inner.chat(request, sink),
            Err(kind) => future::ready(Err(ModelError::of(self, kind))).boxed(),
        }
    }
}
