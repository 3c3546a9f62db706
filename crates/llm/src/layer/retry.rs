//! Repeats requests after transient errors (ENG-15, CTX-73), with exponential backoff and jitter. Honours `Retry-After` up to a limit and
//! gives up at once above it. Never repeats an answer of which tokens have been shown.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use backon::Retryable;
use futures_util::FutureExt;

use super::super::error::{ModelError, ModelErrorKind, RetryAfter};
use super::super::message::ChatRequest;
use super::super::model::{AnswerFuture, ChatAnswer, ChatModel, ModelName, Restart, TokenDemand, TokenSink};

/// The maximum number of requests to a model, and the delays between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelRetryPolicy {
    /// Maximum number of requests, the first included; at least one is made.
    pub attempts: u32,
    /// Delay before the second request; it doubles before each further one.
    pub base: Duration,
    /// Longest such delay.
    pub max_wait: Duration,
    /// Jitter: the fraction (0 to 1) by which a delay is randomly lengthened or shortened.
    pub jitter: f64,
    /// Longest `Retry-After` that is honoured; a longer one ends the retries, and the error names the time until which to wait.
    pub max_retry_after: Duration,
}

impl Default for ModelRetryPolicy {
    /// Returns three attempts with a delay of 2 s that doubles, ± 25 % (CTX-73).
    fn default() -> Self {
        let minute = Duration::from_mins(1);
        Self {
            attempts: 3,
            base: Duration::from_secs(2),
            max_wait: minute,
            jitter: 0.25,
            max_retry_after: minute,
        }
    }
}

/// A function that returns the time of day, to evaluate a `Retry-After` with a date. Tests pass their own.
pub type WallClock = fn() -> SystemTime;

/// A model whose transient errors are retried.
pub struct Retrying<M> {
    inner: M,
    policy: ModelRetryPolicy,
    dice: SeededRng,
    clock: WallClock,
}

impl<M: ChatModel> Retrying<M> {
    /// Wraps `inner` with retries under `policy`. `seed` fixes the random jitter; `clock` returns the time of
    /// day.
    pub fn new(inner: M, policy: ModelRetryPolicy, seed: u64, clock: WallClock) -> Self {
        Self { inner, policy, dice: SeededRng(AtomicU64::new(seed)), clock }
    }

    /// Sends the request, and again after transient errors, with the delays of the policy. It is not repeated
    /// if tokens were passed to `sink` and the sink refuses to discard them.
    async fn ask(&self, request: &ChatRequest, sink: &dyn TokenSink) -> Result<ChatAnswer, ModelError> {
        let sink = TrackedSink { inner: sink, given: AtomicBool::new(false) };
        (async || self.inner.chat(request, &sink).await.map_err(|error| self.finalize_long_waits(error)))
            .retry(self.waits())
            .sleep(tokio::time::sleep)
            .when(ModelError::is_transient)
            .adjust(|error, wait| wait.filter(|_| sink.may_restart()).map(|wait| self.wait_after(error, wait)))
            .notify(|error, wait| {
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                tracing::warn!(model = %self.inner.name(), label = request.label, wait_ms, %error, "asking again");
            })
            .await
    }

    /// Returns the backoff delays, one per possible retry.
    fn waits(&self) -> impl Iterator<Item = Duration> + Send + Sync + Unpin + '_ {
        (0..self.policy.attempts.saturating_sub(1)).map(|n| {
            let doubled = self.policy.base.saturating_mul(2_u32.saturating_pow(n)).min(self.policy.max_wait);
            doubled.mul_f64(1.0 + self.policy.jitter.clamp(0.0, 1.0) * self.dice.between_minus_one_and_one())
        })
    }

    /// Returns the delay before the next retry: as the endpoint requests, otherwise the backoff delay `wait`.
    fn wait_after(&self, error: &ModelError, wait: Duration) -> Duration {
        self.wish(error).map_or(wait, Duration::from_secs)
    }

    /// Replaces a transient error by the permanent `TryLater` if the endpoint requests a longer delay than
    /// the policy allows. An earlier retry would be refused, and some endpoints then lengthen the delay.
    /// Returns other errors unchanged.
    fn finalize_long_waits(&self, mut error: ModelError) -> ModelError {
        let wish = self.wish(&error).filter(|wish| Duration::from_secs(*wish) > self.policy.max_retry_after);
        if let (Some(wait_s), true) = (wish, error.is_transient())
            && let ModelErrorKind::Status { status, message, .. } = &*error.kind
        {
            let (status, message, limit) = (*status, message.clone(), self.policy.max_retry_after);
            let until = self.now().saturating_add(wait_s);
            *error.kind = ModelErrorKind::TryLater { status, message, wait_s, until, limit };
        }
        error
    }

    /// Returns the delay that the endpoint requests with `Retry-After`, in seconds; `None` without one.
    fn wish(&self, error: &ModelError) -> Option<u64> {
        let ModelErrorKind::Status { retry_after: Some(wish), .. } = &*error.kind else { return None };
        Some(match wish {
            RetryAfter::Seconds(seconds) => *seconds,
            RetryAfter::At(moment) => moment.saturating_sub(self.now()),
        })
    }

    /// Returns the seconds since 1970-01-01 UTC.
    fn now(&self) -> u64 {
        (self.clock)().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

impl<M: ChatModel> ChatModel for Retrying<M> {
    fn name(&self) -> &ModelName {
        self.inner.name()
    }

    fn endpoint(&self) -> Option<&str> {
        self.inner.endpoint()
    }

    fn chat<'a>(&'a self, request: &'a ChatRequest, sink: &'a dyn TokenSink) -> AnswerFuture<'a> {
        self.ask(request, sink).boxed()
    }
}

/// A sink that passes tokens on and remembers that it did.
struct TrackedSink<'a> {
    inner: &'a dyn TokenSink,
    given: AtomicBool,
}

impl TrackedSink<'_> {
    /// Returns true if the request may be repeated: no token was passed on, or the inner sink agrees to
    /// discard them.
    fn may_restart(&self) -> bool {
        if !self.given.load(Ordering::Relaxed) || self.inner.restart() == Restart::Accepted {
            self.given.store(false, Ordering::Relaxed);
            return true;
        }
        false
    }
}

impl TokenSink for TrackedSink<'_> {
    fn token_demand(&self) -> TokenDemand {
        self.inner.token_demand()
    }

    fn token(&self, text: &str) {
        self.given.store(true, Ordering::Relaxed);
        self.inner.token(text);
    }

    fn restart(&self) -> Restart {
        self.inner.restart()
    }
}

/// A seeded random number generator (splitmix64); spreads retries and is reproducible in tests.
struct SeededRng(AtomicU64);

impl SeededRng {
    /// Returns the next random number, from -1 to 1.
    fn between_minus_one_and_one(&self) -> f64 {
        let mut z = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let top = u32::try_from((z ^ (z >> 31)) >> 32).expect("32 bits were shifted out");
        f64::from(top) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}
