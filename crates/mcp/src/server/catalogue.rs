//! The tools that a server offers. A tool of the catalogue gets the arguments, and a handle by which it tells its progress and notices
//! that the client gave up.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::limit::SERVED_LIMIT;
use stategraph_agent::{ToolFailure, ToolOutput, Toolbox};
use stategraph_llm::{ToolCall, ToolSpec};

/// A tool that our server offers.
pub trait ServedTool: Send + Sync {
    /// Returns the description of the tool; its parameters are an object.
    fn spec(&self) -> &ToolSpec;

    /// Returns the effects that a call may have.
    fn access(&self) -> ToolAccess;

    /// Runs a call. It should end soon after [`ServedCall::cancelled`].
    fn call<'a>(&'a self, arguments: Map<String, Value>, call: &'a ServedCall) -> BoxFuture<'a, ToolOutput>;
}

/// The effects of a tool, which clients use to decide about questions to their users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolAccess {
    /// It reads and changes nothing.
    Reads,
    /// It may write files, call models or send requests.
    Acts,
}

/// A call under way.
#[derive(Debug, Clone)]
pub struct ServedCall {
    pub(super) progress: mpsc::Sender<String>,
    pub(super) cancelled: CancellationToken,
}

impl ServedCall {
    /// Tells the client about progress, in one line. Lines that the client does not read in time are left out, because a run must not wait
    /// for its spectators.
    pub fn tell_progress(&self, line: impl Into<String>) {
        drop(self.progress.try_send(line.into()));
    }

    /// Waits until the client cancels the call, or is gone.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}

/// The tools of a server, by name.
#[derive(Clone, Default)]
pub struct ServedTools {
    tools: BTreeMap<String, Arc<dyn ServedTool>>,
}

impl ServedTools {
    /// Makes an empty catalogue.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. A tool of the same name is replaced.
    #[must_use]
    pub fn with(mut self, tool: impl ServedTool + 'static) -> Self {
        self.tools.insert(tool.spec().name.clone(), Arc::new(tool));
        self
    }

    /// Adds all tools of a toolbox. They must be tools that read.
    #[must_use]
    pub fn with_toolbox(self, toolbox: &Toolbox) -> Self {
        let tools =
            toolbox.specs().iter().map(|spec| ReadingTool { toolbox: toolbox.clone(), spec: spec.clone() });
        tools.fold(self, Self::with)
    }

    /// Returns the tool of this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn ServedTool>> {
        self.tools.get(name)
    }

    /// Returns the tools in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn ServedTool>> {
        self.tools.values()
    }
}

/// A tool of a toolbox that only reads.
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
