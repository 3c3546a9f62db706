//! Tells subscribers of the run each tool call with its arguments and its result (EXP-38, EXP-45). Place it
//! inside the journal, so that a call taken from the journal is not announced again.

use futures_util::future::{BoxFuture, FutureExt};
use serde::Serialize;

use crate::{Middleware, Next, ToolOutput};
use stategraph_base::cut;
use stategraph_core::{Cx, NodeResult};
use stategraph_llm::ToolCall;

/// Maximum length of the input and output in an event, in characters (EXP-42).
const TOLD: usize = 500;

/// Maximum length of the error in an event, in characters (EXP-42).
const ERROR_TOLD: usize = 300;

/// Middleware that emits the event `tool_start` before each call and `tool_end` or `tool_error` after it.
pub struct Announce<'a, D> {
    cx: &'a Cx<D>,
    agent: String,
}

/// The content of the event `tool_start`.
#[derive(Serialize)]
struct Start<'a> {
    agent_id: &'a str,
    id: &'a str,
    tool: &'a str,
    input: &'a str,
}

/// The content of the events `tool_end` and `tool_error`.
#[derive(Serialize)]
struct End<'a> {
    agent_id: &'a str,
    id: &'a str,
    tool: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a, D> Announce<'a, D> {
    /// Makes the middleware. `agent` is the `agent_id` of its events.
    pub fn new(cx: &'a Cx<D>, agent: impl Into<String>) -> Self {
        Self { cx, agent: agent.into() }
    }

    /// Emits `tool_end` or `tool_error` for a finished call, with the output cut to its maximum length.
    fn announce_end(&self, call: &ToolCall, output: &ToolOutput) -> NodeResult<()> {
        let (agent_id, id, tool) = (&*self.agent, &*call.id, &*call.name);
        let end = End { agent_id, id, tool, output: None, error: None };
        if output.is_success() {
            let told = cut(&output.content, TOLD).kept;
            return self.cx.emit("tool_end", &End { output: Some(told), ..end });
        }
        let told = cut(&output.content, ERROR_TOLD).kept;
        self.cx.emit("tool_error", &End { error: Some(told), ..end })
    }
}

impl<D: Send + Sync> Middleware for Announce<'_, D> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        async move {
            let input = cut(&call.arguments, TOLD).kept;
            let start = Start { agent_id: &self.agent, id: &call.id, tool: &call.name, input };
            self.cx.emit("tool_start", &start)?;
            let output = next.run(call.clone()).await?;
            self.announce_end(&call, &output)?;
            Ok(output)
        }
        .boxed()
    }
}
