//! The policies of nodes: retries and time limits. Only decides; `attempt.rs` waits.

use std::time::Duration;

use super::context::Cx;
use super::id::{TaskId, ThreadId};
use super::node_error::{NodeError, Retryable};
use super::pulse::ActivityKind;

/// The policy that a node runs under: retries and time limits. The default is one attempt without a time limit.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::time::Duration;
///
/// # fn main() { show(async {
/// let policy = NodePolicy::new().retry(RetryPolicy::attempts(3)).timeout(Duration::from_secs(5));
/// let graph = StateGraph::<Count>::new("slow").node_with("slow", policy, async |_: &Count| {});
/// assert!(graph.sequence([START, "slow", END]).compile()?.run(Count::default()).await.is_ok());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct NodePolicy {
    /// The retry policies. The first whose filter accepts the error applies; empty for no retries.
    pub retry: Vec<RetryPolicy>,
    /// Maximum duration of one attempt; `None` for no limit.
    pub timeout: Option<Duration>,
    /// Maximum duration between signs of life of an attempt; `None` for no limit.
    pub idle: Option<IdleLimit>,
}

/// The limit of an attempt's idle time (LangGraph F35).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdleLimit {
    /// Maximum duration between two signs of life.
    pub limit: Duration,
    /// The actions of a node that count as signs of life.
    pub signs: ActivityKind,
}

impl NodePolicy {
    /// Makes a policy of one attempt without a time limit.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a retry policy. The first one whose filter accepts the error applies (F32).
    #[must_use]
    pub fn retry(mut self, retry: RetryPolicy) -> Self {
        self.retry.push(retry);
        self
    }

    /// Limits the duration of one attempt. The result of an attempt that exceeds it is discarded.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// Limits the duration between signs of life of an attempt: events, pieces of messages, journaled results, heartbeats, and the supersteps
    /// of a graph inside the node.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle = Some(IdleLimit { limit, signs: ActivityKind::All });
        self
    }

    /// Limits the duration between [heartbeats](super::Cx::heartbeat) of an attempt; nothing else counts.
    #[must_use]
    pub fn heartbeat_timeout(mut self, limit: Duration) -> Self {
        self.idle = Some(IdleLimit { limit, signs: ActivityKind::Heartbeats });
        self
    }

    /// Returns the policy with the settings that it leaves open taken from `defaults`: retries, timeout and
    /// idle limit, each separately (F7).
    pub(crate) fn or_defaults(self, defaults: &Self) -> Self {
        Self {
            retry: if self.retry.is_empty() { defaults.retry.clone() } else { self.retry },
            timeout: self.timeout.or(defaults.timeout),
            idle: self.idle.or(defaults.idle),
        }
    }

    /// Returns the wait after attempt number `attempt` (from 1) failed with this error; `None` when no other attempt follows. The seed
    /// comes from [`Cx::jitter_seed`].
    pub(crate) fn wait(&self, attempt: u32, error: &NodeError, seed: u64) -> Option<Duration> {
        let retry = self.retry.iter().find(|retry| retry.accepts(error))?;
        let wait = retry.wait(attempt, seed)?;
        match error.retryable() {
            // No other attempt, because a server that asks for a longer wait would only refuse again.
            Retryable::Temporary { after: Some(after) } if after > retry.longest_wait => None,
            Retryable::Temporary { after: Some(after) } => Some(wait.max(after)),
            _ => Some(wait),
        }
    }

    /// Returns the reason why the policy cannot work, such as a timeout of 0; `None` for a valid one.
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

/// The number of attempts and the waits between them (LangGraph F32). The wait doubles after each attempt by default, and up to a quarter
/// of random jitter is added. Interrupts are no errors and are never retried.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::time::Duration;
///
/// # fn main() { show(async {
/// async fn flaky(_: &Count, cx: &Cx) -> NodeResult<CountUpdate> {
///     if cx.attempt() < 3 { Err(NodeError::msg("busy").temporary(None)) } else { Ok(Count::update().n(cx.attempt())) }
/// }
/// let retry = RetryPolicy::attempts(3).first_wait(Duration::from_millis(1)).only_if(NodeError::is_temporary);
/// let graph = StateGraph::new("flaky").node_with("flaky", NodePolicy::new().retry(retry), flaky);
/// assert_eq!(graph.sequence([START, "flaky", END]).compile()?.run(Count::default()).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Maximum number of attempts, including the first; at least 1.
    pub attempts: u32,
    /// Wait before the second attempt; 0.5 s by default.
    pub first_wait: Duration,
    /// Factor between two waits, at least 1; 2 by default.
    pub factor: f64,
    /// Upper bound of the wait without jitter; 128 s by default.
    pub longest_wait: Duration,
    /// Accepts or rejects errors; `None` accepts all. [Permanent](NodeError::permanent) errors are rejected before.
    pub filter: Option<fn(&NodeError) -> bool>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::attempts(1)
    }
}

impl RetryPolicy {
    /// Makes a policy of this many attempts, with waits of 0.5 s, 1 s, 2 s … up to 128 s (LangGraph's numbers).
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

    /// Sets the factor between two waits.
    #[must_use]
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = factor;
        self
    }

    /// Sets the upper bound of the wait.
    #[must_use]
    pub fn longest_wait(mut self, wait: Duration) -> Self {
        self.longest_wait = wait;
        self
    }

    /// Retries only errors for which `filter` returns true.
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

    fn accepts(&self, error: &NodeError) -> bool {
        error.retryable() != Retryable::Never && self.filter.is_none_or(|accepts| accepts(error))
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
    /// Returns the seed for the jitter of the task's waits. It is the same in every run of the task and differs between tasks, sub-graphs
    /// and threads, so that threads that failed together do not retry together.
    pub(crate) fn jitter_seed(&self) -> u64 {
        self.jitter_seed_of("")
    }

    /// Returns the seed for the jitter of one part of the task; `part` is its key in [`Cx::retried`], empty
    /// for the task as a whole.
    pub(crate) fn jitter_seed_of(&self, part: &str) -> u64 {
        let TaskId { base, index } = self.task.id;
        let place = (base.0 << 24) ^ (u64::from(index) << 8);
        let thread = self.run.thread().map_or("", ThreadId::as_str);
        let name = format!("{thread} {}{part}", self.run.namespace());
        name.bytes().fold(place, |seed, byte| scramble(seed ^ u64::from(byte)))
    }
}

/// Returns a number in 0..1 that depends on seed and attempt only.
fn jitter(seed: u64, attempt: u32) -> f64 {
    let x = (0..3).fold(seed ^ u64::from(attempt), |x, _| scramble(x));
    f64::from(u32::try_from(x >> 32).expect("32 bits are left")) / f64::from(u32::MAX)
}

fn scramble(x: u64) -> u64 {
    (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
