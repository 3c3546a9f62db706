//! Counts calls, tokens, cost and time per label and model (ENG-13, ARD-73). Refuses no request; see `budget`.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::super::error::ModelError;
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatAnswer, ChatModel, ModelName, TokenSink, Usage};
use super::super::money::{Money, Prices};
use super::super::request_notice::spent;

/// A set of counters by label and model. Clones share the counters.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<BTreeMap<MeterKey, UsageTally>>>);

/// The key of a counter: the label of the requests and the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MeterKey {
    /// Label of the requests: a node or an agent.
    pub label: String,
    /// Name of the model.
    pub model: ModelName,
}

/// The counts of the requests with one label to one model, or a sum of such counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageTally {
    /// Number of answers received.
    pub calls: u64,
    /// Number of requests that failed after all retries.
    pub failures: u64,
    /// Tokens of the answers received.
    pub usage: Usage,
    /// Cost of the answers whose price is known.
    pub cost: Money,
    /// Number of answers whose price is unknown.
    pub unpriced: u64,
    /// Time spent waiting, retries included.
    pub duration: Duration,
}

impl AddAssign for UsageTally {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.failures += other.failures;
        self.usage += other.usage;
        self.cost += other.cost;
        self.unpriced += other.unpriced;
        self.duration += other.duration;
    }
}

impl Meter {
    /// Returns all counts, by label and model.
    pub fn snapshot(&self) -> BTreeMap<MeterKey, UsageTally> {
        self.lock().clone()
    }

    /// Returns the sum over labels and models.
    pub fn total(&self) -> UsageTally {
        self.lock().values().fold(UsageTally::default(), |mut sum, tally| {
            sum += *tally;
            sum
        })
    }

    /// Adds counts, such as those of an earlier process whose run is resumed.
    pub fn add(&self, key: MeterKey, tally: UsageTally) {
        *self.lock().entry(key).or_default() += tally;
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<MeterKey, UsageTally>> {
        self.0.lock().expect("no holder of this lock panics")
    }
}

/// A model whose calls are counted by a meter. It sets the cost of its answers where the price is known.
pub struct Metered<M> {
    inner: M,
    meter: Meter,
    prices: Option<Prices>,
}

impl<M: ChatModel> Metered<M> {
    /// Wraps `inner`. `prices` apply to answers that do not state their cost.
    pub fn new(inner: M, meter: Meter, prices: Option<Prices>) -> Self {
        Self { inner, meter, prices }
    }

    /// Returns the counts of one call that took `duration`, and sets the cost of its answer.
    fn tally(&self, answer: &mut Result<ChatAnswer, ModelError>, duration: Duration) -> UsageTally {
        let Ok(answer) = answer else { return UsageTally { failures: 1, duration, ..UsageTally::default() } };
        answer.cost = answer.cost.or(self.prices.map(|prices| prices.of(answer.usage)));
        spent(answer.usage, answer.cost);
        UsageTally {
            calls: 1,
            failures: 0,
            usage: answer.usage,
            cost: answer.cost.unwrap_or_default(),
            unpriced: u64::from(answer.cost.is_none()),
            duration,
        }
    }
}

impl<M: ChatModel> ChatModel for Metered<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let start = Instant::now();
            let mut answer = self.inner.chat(request, sink).await;
            let tally = self.tally(&mut answer, start.elapsed());
            self.meter.add(MeterKey { label: request.label.clone(), model: self.name().clone() }, tally);
            answer
        }
        .boxed()
    }
}
