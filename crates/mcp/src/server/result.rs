//! Tools and outputs in the form of the protocol.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::catalogue::{ServedTool, ToolAccess};
use crate::clean::clean_up_to;
use crate::limit::RESULT_BYTES;
use stategraph_agent::ToolOutput;
use stategraph_base::redact_secrets;

/// Converts a served tool to the form in which MCP announces it to clients, with hints about its effects.
pub(super) fn describe(tool: &dyn ServedTool) -> Tool {
    let spec = tool.spec();
    let parameters = match &*spec.parameters {
        Value::Object(parameters) => parameters.clone(),
        _ => Map::new(),
    };
    let reads = tool.access() == ToolAccess::Reads;
    let hints = ToolAnnotations::new().read_only(reads).destructive(false).open_world(!reads);
    Tool::new(spec.name.clone(), spec.description.clone(), Arc::new(parameters)).with_annotations(hints)
}

/// Converts the output of a tool call to a result of the MCP protocol. Cuts the text and replaces keys and
/// passwords in it.
pub(super) fn to_result(output: &ToolOutput) -> CallToolResult {
    let hint = output.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let text = clean_up_to(&format!("{}{hint}", output.content), RESULT_BYTES);
    let content = vec![ContentBlock::text(redact_secrets(&text).into_owned())];
    // A failure is a result, not an error of the protocol: only results are shown to the model of the client.
    if output.is_success() { CallToolResult::success(content) } else { CallToolResult::error(content) }
}
