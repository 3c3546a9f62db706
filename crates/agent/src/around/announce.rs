//! Tells subscribers of the run each tool call with its arguments and its result (EXP-38, EXP-45). It stands inside a journal, because a
//! call that is not repeated is not told again.

use futures_util::future::{BoxFuture, FutureExt};
use serde::Serialize;

use crate::{Middleware, Next, ToolOutput};
use stategraph_base::cut;
use stategraph_core::{Cx, NodeResult};
use stategraph_llm::ToolCall;

/// Longest input and output that is told, in characters (EXP-42).
const TOLD: usize = 500;

/// Longest error that is told, in characters (EXP-42).
const ERROR_TOLD: usize = 300;

/// Emits `tool_start`, and then `tool_end` or `tool_error`: one of them per call.
pub struct Announce<'a, D> {
    cx: &'a Cx<D>,
    agent: String,
}

#[derive(Serialize)]
struct Start<'a> {
    agent_id: &'a str,
    id: &'a str,
    tool: &'a str,
    input: &'a str,
}

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
    /// Makes the middleware in the name of `agent`.
    pub fn new(cx: &'a Cx<D>, agent: impl Into<String>) -> Self {
        Self { cx, agent: agent.into() }
    }

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
