//! The catalogue of tools that our server offers to clients. A call gets its arguments and a handle,
//! through which the tool reports progress and learns that the client cancelled.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::limit::SERVED_LIMIT;
use stategraph_agent::{ToolFailure, ToolOutput, Toolbox};
use stategraph_llm::{ToolCall, ToolSpec};

/// A tool that our own MCP server offers to clients.
pub trait ServedTool: Send + Sync {
    /// Returns the name, description and parameters of the tool; the parameters are the JSON Schema of an
    /// object.
    fn spec(&self) -> &ToolSpec;

    /// Returns the effects that a call of this tool may have.
    fn access(&self) -> ToolAccess;

    /// Runs a call. It should end soon after [`ServedCall::cancelled`] returns.
    fn call<'a>(&'a self, arguments: Map<String, Value>, call: &'a ServedCall) -> BoxFuture<'a, ToolOutput>;
}

/// Effects that calls of a served tool may have. Clients use them to decide whether to ask their users
/// before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAccess {
    /// It reads and changes nothing.
    Reads,
    /// It may write files, call models or send requests.
    Acts,
}

/// Handle of a running tool call, made by the session and passed to the tool.
#[derive(Debug, Clone)]
pub struct ServedCall {
    pub(super) progress: mpsc::Sender<String>,
    pub(super) cancelled: CancellationToken,
}

impl ServedCall {
    /// Sends a line of progress to the client. A line that the client does not read in time is dropped,
    /// because a run must not wait for its spectators.
    pub fn tell_progress(&self, line: impl Into<String>) {
        drop(self.progress.try_send(line.into()));
    }

    /// Waits until the client cancels the call or the session ends.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}

/// The tools that our own MCP server offers, by name.
#[derive(Clone, Default)]
pub struct ServedTools {
    tools: BTreeMap<String, Arc<dyn ServedTool>>,
}

impl ServedTools {
    /// Makes an empty catalogue of served tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. A tool of the same name is replaced.
    #[must_use]
    pub fn with(mut self, tool: impl ServedTool + 'static) -> Self {
        self.tools.insert(tool.spec().name.clone(), Arc::new(tool));
        self
    }

    /// Adds all tools of a toolbox. They must be tools that only read, because they are announced as such.
    #[must_use]
    pub fn with_toolbox(self, toolbox: &Toolbox) -> Self {
        let tools =
            toolbox.specs().iter().map(|spec| ReadingTool { toolbox: toolbox.clone(), spec: spec.clone() });
        tools.fold(self, Self::with)
    }

    /// Returns the tool of this name; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn ServedTool>> {
        self.tools.get(name)
    }

    /// Returns the tools in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn ServedTool>> {
        self.tools.values()
    }
}

/// Adapter that serves one tool of a toolbox, with a time limit; the tool must only read.
struct ReadingTool {
    toolbox: Toolbox,
    spec: ToolSpec,
}

impl ServedTool for ReadingTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn access(&self) -> ToolAccess {
        ToolAccess::Reads
    }

    fn call<'a>(&'a self, arguments: Map<String, Value>, _: &'a ServedCall) -> BoxFuture<'a, ToolOutput> {
        let arguments = Value::Object(arguments).to_string();
        let call = ToolCall { id: "1".to_owned(), name: self.spec.name.clone(), arguments };
        async move {
            tokio::time::timeout(SERVED_LIMIT, self.toolbox.call(&call)).await.unwrap_or_else(|_| {
                let reason = format!("the tool did not answer within {SERVED_LIMIT:?}");
                ToolOutput::failure(ToolFailure::TimedOut, reason)
            })
        }
        .boxed()
    }
}
