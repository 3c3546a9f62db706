//! The tools of the code catalogue over the repository of the run: `facts`, and those of a question (CTX-37). Their results are data of
//! strangers, so the values of secrets are replaced.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use serde_json::json;
use stategraph_code_tools::CodeTools;
use tokio::sync::OnceCell;

use super::context::AgentContext;
use crate::agent::around::off_the_tape;
use crate::agent::{Middleware, Next, ToolFailure, ToolOutput, Toolbox};
use crate::engine::{NodeError, NodeResult};
use crate::llm::ToolCall;
use crate::repo::Root;
use crate::workflows::foreign_text::without_secrets;

/// Longest time of a call.
const CALL_TIMEOUT: std::time::Duration = std::time::Duration::from_mins(2);

/// Tools of the catalogue for a question (CTX-37), and `facts`.
pub(super) const OF_A_QUESTION: &[&str] = &[
    "facts",
    "search_for_files",
    "grep_in_files",
    "get_file_outline",
    "read_symbol",
    "read_lines",
    "find_references",
    "read_file",
];

/// Tools of the catalogue for a description.
pub(super) const OF_A_DESCRIPTION: &[&str] = &["facts"];

/// Returns a toolbox with the named tools of the code catalogue, for their descriptions only. [`CodeReading`]
/// runs their calls, because a replay has no repository.
pub(super) fn offered(names: &[&str], context: &AgentContext) -> NodeResult<Toolbox> {
    let folder = &context.resources.folder;
    let here = std::path::Path::new(".");
    let root =
        Root::open(if folder.as_os_str().is_empty() { here } else { folder }).map_err(NodeError::from)?;
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Ok(CodeTools::new(root).toolbox().only(&names))
}

/// Middleware that runs calls of code catalogue tools on the repository, which the first call opens. Results
/// pass through the tape, so that a replay reads no file. It stands inside the journal.
pub(super) struct CodeReading<'a> {
    context: &'a AgentContext,
    names: &'static [&'static str],
    tools: OnceCell<Arc<Toolbox>>,
}

impl<'a> CodeReading<'a> {
    pub(super) fn new(context: &'a AgentContext, names: &'static [&'static str]) -> Self {
        Self { context, names, tools: OnceCell::new() }
    }

    async fn tools(&self) -> NodeResult<Arc<Toolbox>> {
        let open = async {
            let repository = self.context.resources.repository(self.context.place()).await?;
            Ok::<_, NodeError>(Arc::new(repository.tools().toolbox()))
        };
        Box::pin(self.tools.get_or_try_init(|| open)).await.cloned()
    }

    async fn run(&self, call: &ToolCall) -> NodeResult<ToolOutput> {
        let tools = self.tools().await?;
        let output = tokio::time::timeout(CALL_TIMEOUT, tools.call(call)).await.unwrap_or_else(|_| {
            let reason = format!("`{}` did not answer within {CALL_TIMEOUT:?}", call.name);
            ToolOutput::failure(ToolFailure::TimedOut, reason)
        });
        let content = without_secrets(&output.content).trim_end().to_owned();
        Ok(ToolOutput { content, ..output })
    }
}

impl Middleware for CodeReading<'_> {
    fn around_call<'a>(&'a self, call: ToolCall, next: Next<'a>) -> BoxFuture<'a, NodeResult<ToolOutput>> {
        if !self.names.contains(&call.name.as_str()) {
            return next.run(call);
        }
        async move {
            let name = format!("tool {}", call.name);
            let input = json!({ "arguments": call.arguments });
            self.context.resources.tape.effect(&name, input, off_the_tape, Box::pin(self.run(&call))).await
        }
        .boxed()
    }
}
