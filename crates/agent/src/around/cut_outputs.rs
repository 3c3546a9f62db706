//! Cuts long results by the priority of their tool (CTX-78, CTX-79). Never silently: the last line says how much is missing.

use futures_util::future::{BoxFuture, FutureExt};

use crate::{Middleware, Next, Priority, ToolOutput};
use stategraph_base::cut;
use stategraph_core::NodeResult;
use stategraph_llm::ToolCall;

/// Default maximum length of a tool result, in characters (CTX-85).
const CHARS: usize = 6_000;

/// Middleware that cuts long results of tools. Results of tools with low priority are cut to half of the
/// maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOutputs {
    chars: usize,
}

impl Default for CutOutputs {
    fn default() -> Self {
        Self::new(CHARS)
    }
}

impl CutOutputs {
    /// Makes the middleware with a maximum of `chars` characters per result.
    pub fn new(chars: usize) -> Self {
        Self { chars }
    }
}

impl Middleware for CutOutputs {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let limit = match next.priority(&call.name) {
                Priority::Low => self.chars / 2,
                Priority::Medium | Priority::High => self.chars,
            };
            let mut output = next.run(call).await?;
            if cut(&output.content, limit).left_out > 0 {
                output.content = cut(&output.content, limit).to_string();
            }
            Ok(output)
        }
        .boxed()
    }
}
