//! Refuses a call once enough was spent. Asks the meter; counts nothing itself.

use futures_util::FutureExt;
use futures_util::future;
use serde::{Deserialize, Serialize};

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};
use super::super::money::Money;
use super::meter::{Meter, Tally};

/// What may be spent over all that a meter counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetLimits {
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// Money, as far as prices are known.
    pub money: Option<Money>,
}

impl BudgetLimits {
    /// The error of a call that would be made after `spent`. What a call will take is not known before it, so
    /// the last one allowed may go over the limit; of calls at the same time, each may.
    fn check(&self, spent: &Tally) -> Result<(), ModelErrorKind> {
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

/// A model that is not asked any more once the budget is used up.
pub struct Budgeted<M> {
    inner: M,
    meter: Meter,
    limits: BudgetLimits,
}

impl<M: ChatModel> Budgeted<M> {
    /// `inner`, as long as what `meter` has counted is below `limits`.
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
