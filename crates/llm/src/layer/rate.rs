//! Rate limits in requests and tokens per minute (CTX-69): two token buckets, shared by all models of a provider. Delays
//! requests, never refuses one.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatModel, ModelName, TokenSink};

/// The rate limits of a provider; `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatePolicy {
    /// Average requests per minute.
    pub requests_per_minute: Option<NonZeroU32>,
    /// Requests that may start at once; a tenth of the requests per minute, at least one, unless set.
    pub burst: Option<NonZeroU32>,
    /// Tokens per minute, prompt and completion together. The burst is one minute's tokens.
    pub tokens_per_minute: Option<NonZeroU32>,
}

/// The token buckets of one provider, shared by all of its models.
#[derive(Debug, Default)]
pub struct RateLimit {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

impl RateLimit {
    /// Makes full token buckets for a policy.
    pub fn new(policy: RatePolicy) -> Self {
        let burst =
            |per_minute: NonZeroU32| policy.burst.map_or((per_minute.get() / 10).max(1), NonZeroU32::get);
        Self {
            requests: policy.requests_per_minute.map(|rate| Bucket::new(rate, burst(rate))),
            tokens: policy.tokens_per_minute.map(|rate| Bucket::new(rate, rate.get())),
        }
    }

    /// Reserves one request and `tokens` tokens, and waits until both buckets have room for them. An
    /// abandoned wait keeps its reservation, so that requests stay in order.
    async fn enter(&self, tokens: u64) {
        let now = Instant::now();
        let wait =
            |bucket: &Option<Bucket>, amount| bucket.as_ref().map_or(Duration::ZERO, |b| b.take(amount, now));
        let longest = wait(&self.requests, 1.0).max(wait(&self.tokens, as_amount(tokens)));
        if !longest.is_zero() {
            tracing::debug!(?longest, "waiting for the rate limit");
            tokio::time::sleep(longest).await;
        }
    }

    /// Replaces the token estimate of the reservation by the actual usage.
    fn settle(&self, estimated: u64, actual: u64) {
        if let Some(bucket) = &self.tokens {
            bucket.take(as_amount(actual) - as_amount(estimated), Instant::now());
        }
    }
}

/// A model with a rate limit.
pub struct RateLimited<M> {
    inner: M,
    limit: Arc<RateLimit>,
}

impl<M: ChatModel> RateLimited<M> {
    /// Wraps `inner` with a limit that it may share with other models.
    pub fn new(inner: M, limit: Arc<RateLimit>) -> Self {
        Self { inner, limit }
    }
}

impl<M: ChatModel> ChatModel for RateLimited<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        async move {
            let estimated = request.estimated_tokens();
            self.limit.enter(estimated).await;
            let answer = self.inner.chat(request, sink).await;
            if let Ok(answer) = &answer {
                self.limit.settle(estimated, answer.usage.total());
            }
            answer
        }
        .boxed()
    }
}

/// A token bucket that fills at a constant rate. Taking more than its content leaves a debt, and the caller
/// waits until it is paid.
#[derive(Debug)]
struct Bucket {
    /// Rate at which it fills.
    per_second: f64,
    capacity: f64,
    /// The content (negative for a debt), and the time at which it was computed.
    level: Mutex<(f64, Instant)>,
}

impl Bucket {
    /// Makes a full bucket.
    fn new(per_minute: NonZeroU32, capacity: u32) -> Self {
        let (per_second, capacity) = (f64::from(per_minute.get()) / 60.0, f64::from(capacity));
        Self { per_second, capacity, level: Mutex::new((capacity, Instant::now())) }
    }

    /// Takes `amount` from the bucket and returns the time that the caller must wait until the debt is paid;
    /// zero without one. A negative amount is given back.
    fn take(&self, amount: f64, now: Instant) -> Duration {
        let mut level = self.level.lock().expect("no holder of this lock panics");
        let (content, since) = *level;
        let grown = (now - since).as_secs_f64() * self.per_second;
        let rest = (content + grown).min(self.capacity) - amount;
        *level = (rest.min(self.capacity), now);
        Duration::try_from_secs_f64(-rest / self.per_second).unwrap_or(Duration::ZERO)
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 tokens")]
fn as_amount(tokens: u64) -> f64 {
    tokens as f64
}
