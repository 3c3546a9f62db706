//! How a node is run: how often it is tried again, how long it may take. Decisions only; `attempt.rs` waits.

use std::time::Duration;

use super::context::Cx;
use super::id::{TaskId, ThreadId};
use super::node_error::{NodeError, Retryable};
use super::pulse::Signs;

/// How a node is run. The default: one attempt, no limit of time.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NodePolicy {
    /// How often it is tried again: of several the first that takes the error.
    pub retry: Vec<RetryPolicy>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How long one attempt may go without a sign of life.
    pub idle: Option<IdleLimit>,
}

/// How long an attempt may go without a sign of life (LangGraph F35).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdleLimit {
    /// How long.
    pub limit: Duration,
    /// What counts as a sign.
    pub signs: Signs,
}

impl NodePolicy {
    /// One attempt, no limit of time.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tries again after errors. Said several times, the first policy whose filter takes an error counts for it (F32).
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.retry.push(retry);
        self
    }

    /// Limits the time of one attempt; what it wrote is then discarded.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Limits the time of an attempt without a sign of life.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle = Some(IdleLimit { limit, signs: Signs::All });
        self
    }

    /// Limits the time of an attempt without a [`heartbeat`](super::Cx::heartbeat); nothing else counts.
    #[must_use]
    pub fn heartbeat_timeout(mut self, limit: Duration) -> Self {
        self.idle = Some(IdleLimit { limit, signs: Signs::Heartbeats });
        self
    }

    /// What it does not say, as `defaults` say it (F7).
    pub(crate) fn or(self, defaults: &Self) -> Self {
        Self {
            retry: if self.retry.is_empty() { defaults.retry.clone() } else { self.retry },
            timeout: self.timeout.or(defaults.timeout),
            idle: self.idle.or(defaults.idle),
        }
    }

    /// Returns the wait after attempt number `attempt` (from 1) failed with this error; none when it is final. The seed is that of
    /// [`Cx::jitter_seed`].
    pub(crate) fn wait(&self, attempt: u32, error: &NodeError, seed: u64) -> Option<Duration> {
        let retry = self.retry.iter().find(|retry| retry.takes(error))?;
        let wait = retry.wait(attempt, seed)?;
        match error.retryable() {
            // A server that asks for more patience than the policy has would only refuse again.
            Retryable::Passing { after: Some(after) } if after > retry.longest_wait => None,
            Retryable::Passing { after: Some(after) } => Some(wait.max(after)),
            _ => Some(wait),
        }
    }

    /// Returns the reason why it cannot work, such as a timeout of 0.
    pub fn problem(&self) -> Option<String> {
        if let Some(problem) = self.retry.iter().find_map(RetryPolicy::problem) {
            Some(problem)
        } else if self.timeout.is_some_and(|limit| limit.is_zero()) {
            Some("the timeout is 0".to_owned())
        } else if self.idle.is_some_and(|idle| idle.limit.is_zero()) {
            Some("the idle timeout is 0".to_owned())
        } else {
            None
        }
    }
}

/// How often, and after what wait, a failed attempt is repeated (LangGraph F32). Interrupts are never retried.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Attempts in all, the first included; at least 1.
    pub attempts: u32,
    /// The wait before the second attempt.
    pub first_wait: Duration,
    /// What the wait is multiplied with after each attempt; at least 1.
    pub factor: f64,
    /// The longest wait, without the jitter of up to a quarter that is added to every wait.
    pub longest_wait: Duration,
    /// Decides by the error, besides [`Retryable`].
    pub filter: Option<fn(&NodeError) -> bool>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::attempts(1)
    }
}

impl RetryPolicy {
    /// So many attempts, with waits of 0.5 s, 1 s, 2 s … up to 128 s (LangGraph's numbers).
    pub fn attempts(attempts: u32) -> Self {
        Self {
            attempts,
            first_wait: Duration::from_millis(500),
            factor: 2.0,
            longest_wait: Duration::from_secs(128),
            filter: None,
        }
    }

    /// Sets the wait before the second attempt.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets what the wait is multiplied with after each attempt.
    #[must_use]
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Sets the longest wait.
    #[must_use]
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// Retries only errors for which this holds.
    #[must_use]
    pub fn only_if(mut self, filter: fn(&NodeError) -> bool) -> Self {
        self.filter = Some(filter);
        self
    }

    fn problem(&self) -> Option<String> {
        if self.attempts == 0 {
            Some("`attempts` is 0: the node would never run".to_owned())
        } else if !(self.factor.is_finite() && self.factor >= 1.0) {
            Some(format!("the back-off factor is {}, at least 1 is needed", self.factor))
        } else {
            None
        }
    }

    fn takes(&self, error: &NodeError) -> bool {
        error.retryable() != Retryable::Never && self.filter.is_none_or(|takes| takes(error))
    }

    fn wait(&self, attempt: u32, seed: u64) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        if self.first_wait.is_zero() {
            return Some(Duration::ZERO);
        }
        let exponent = i32::try_from(attempt - 1).unwrap_or(i32::MAX);
        let wait = self.first_wait.as_secs_f64() * self.factor.powi(exponent);
        let capped = wait.min(self.longest_wait.as_secs_f64());
        let wait = Duration::try_from_secs_f64(capped * (1.0 + 0.25 * jitter(seed, attempt)));
        Some(wait.unwrap_or(self.longest_wait))
    }
}

impl<D> Cx<D> {
    /// Returns the seed of the jitter of the task's waits. It is the same whenever the task runs, and another for each task, sub-graph
    /// and thread, so that threads which failed at one moment do not try again at one moment.
    pub(crate) fn jitter_seed(&self) -> u64 {
        self.jitter_seed_of("")
    }

    /// Returns the seed of the jitter of the waits of one part of the task.
    pub(crate) fn jitter_seed_of(&self, part: &str) -> u64 {
        let TaskId { base, index } = self.task.id;
        let place = (base.0 << 24) ^ (u64::from(index) << 8);
        let thread = self.run.thread().map_or("", ThreadId::as_str);
        let name = format!("{thread} {}{part}", self.run.namespace());
        name.bytes().fold(place, |seed, byte| scrambled(seed ^ u64::from(byte)))
    }
}

/// Returns a number in 0..1, equal for equal seeds and attempts.
fn jitter(seed: u64, attempt: u32) -> f64 {
    let x = (0..3).fold(seed ^ u64::from(attempt), |x, _| scrambled(x));
    f64::from(u32::try_from(x >> 32).expect("32 bits are left")) / f64::from(u32::MAX)
}

fn scrambled(x: u64) -> u64 {
    (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
