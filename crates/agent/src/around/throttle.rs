//! Limits requests and tokens within any minute (CTX-75, CTX-76, CTX-85): a sliding window, shared by all
//! agents that have a clone. Waits; never refuses. Limits of a provider, which hold for every request, are a
//! layer of the model (`llm::layer`).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::Instant;

use crate::{Middleware, NextModel};
use stategraph_core::NodeResult;
use stategraph_llm::{ChatAnswer, ChatRequest};

const WINDOW: Duration = Duration::from_mins(1);

/// Share of the token limit that is used, in percent, because token counts are estimates (CTX-85).
const SAFE_PERCENT: u64 = 85;

/// Middleware that delays requests until the limits per minute have room. A request that is larger than the
/// limit passes when no other was sent within the minute. Clones share the window.
#[derive(Clone, Debug, Default)]
pub struct Throttle {
    tokens: Option<u64>,
    requests: Option<usize>,
    window: Arc<Mutex<Window>>,
}

/// The requests that were sent within the last minute, oldest first.
#[derive(Debug, Default)]
struct Window {
    passed: VecDeque<SentRequest>,
    next: u64,
}

/// A request that was sent.
#[derive(Debug)]
struct SentRequest {
    number: u64,
    at: Instant,
    tokens: u64,
}

impl Throttle {
    /// Makes a throttle without limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Limits the tokens per minute, prompt and completion together. 85 % of them are used.
    pub fn tokens(mut self, per_minute: u64) -> Self {
        self.tokens = Some(per_minute.saturating_mul(SAFE_PERCENT) / 100);
        self
    }

    /// Limits the requests per minute; 0 counts as 1.
    pub fn requests(mut self, per_minute: usize) -> Self {
        self.requests = Some(per_minute.max(1));
        self
    }

    /// Waits until the window has room for `request`, then awaits `ask`, which sends it. Afterwards replaces
    /// the estimate of its tokens by the real number.
    pub async fn pass<E>(
        &self,
        request: &ChatRequest,
        ask: impl Future<Output = Result<ChatAnswer, E>> + Send,
    ) -> Result<ChatAnswer, E> {
        let number = self.enter(request.estimated_tokens()).await;
        let answer = ask.await?;
        self.settle(number, answer.usage.total());
        Ok(answer)
    }

    /// Waits until the window has room for a request of `tokens` tokens and adds it. Returns its number, by
    /// which `settle` finds it.
    async fn enter(&self, tokens: u64) -> u64 {
        loop {
            let wait = match self.try_enter(tokens) {
                Ok(number) => return number,
                Err(until) => until,
            };
            tracing::debug!("waiting for the limit of a minute");
            tokio::time::sleep_until(wait).await;
        }
    }

    /// Adds a request to the window and returns its number, or returns the time when the oldest request
    /// leaves the window.
    fn try_enter(&self, tokens: u64) -> Result<u64, Instant> {
        let now = Instant::now();
        let mut window = self.window();
        while window.passed.front().is_some_and(|passed| now - passed.at >= WINDOW) {
            window.passed.pop_front();
        }
        if let Some(oldest) = window.passed.front() {
            let taken: u64 = window.passed.iter().map(|passed| passed.tokens).sum();
            let crowded = self.requests.is_some_and(|limit| window.passed.len() >= limit);
            let full = self.tokens.is_some_and(|limit| taken.saturating_add(tokens) > limit);
            if crowded || full {
                return Err(oldest.at + WINDOW);
            }
        }
        window.next += 1;
        let number = window.next;
        window.passed.push_back(SentRequest { number, at: now, tokens });
        Ok(number)
    }

    /// Replaces the estimated tokens of a request by the number that it really took. Does nothing if the
    /// request has left the window.
    fn settle(&self, number: u64, tokens: u64) {
        let mut window = self.window();
        if let Some(passed) = window.passed.iter_mut().find(|passed| passed.number == number) {
            passed.tokens = tokens;
        }
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Middleware for Throttle {
    fn around_model<'a>(
        &'a self,
        request: &'a ChatRequest,
        next: NextModel<'a>,
    ) -> BoxFuture<'a, NodeResult<ChatAnswer>> {
        self.pass(request, next.ask(request)).boxed()
    }
}
