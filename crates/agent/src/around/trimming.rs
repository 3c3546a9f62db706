//! Shortens the requests of a long conversation to the context of the model (CTX-74). The stored conversation
//! stays whole; `trim` chooses the messages.

use std::collections::BTreeMap;

use futures_util::future::{self, FutureExt};

use super::trim::trim;
use crate::{Hook, Middleware, Priority, Round};
use stategraph_llm::ChatRequest;

/// Middleware that shortens each request to about a number of tokens, as far as possible.
#[derive(Clone, Debug)]
pub struct Trimming {
    tokens: u64,
    priorities: BTreeMap<String, Priority>,
}

impl Trimming {
    /// Makes the middleware. `tokens` bounds the request with its tool definitions. `priorities` has the
    /// priority of each tool's results, from [`Toolbox::priorities`](crate::Toolbox::priorities); low ones
    /// are removed first.
    pub fn new(tokens: u64, priorities: BTreeMap<String, Priority>) -> Self {
        Self { tokens, priorities }
    }
}

impl Middleware for Trimming {
    fn before_model<'a>(&'a self, _: &'a Round, request: &'a mut ChatRequest) -> Hook<'a> {
        let messages = std::mem::take(&mut request.messages);
        let offered = request.estimated_tokens();
        let priority = |tool: &str| self.priorities.get(tool).copied().unwrap_or_default();
        request.messages = trim(messages, self.tokens.saturating_sub(offered), priority);
        future::ready(Ok(())).boxed()
    }
}
