//! One call of a tool of a server: its request under time limits, and its result as text and data under limits of size.

use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock, ResourceContents,
    ServerResult,
};
use rmcp::service::ServiceError;
use serde_json::{Map, Value};

use crate::clean::{clean_line, clean_up_to, clean_value};
use crate::connection::Connection;
use crate::limit::{DATA_BYTES, LINE_BYTES, RESULT_BYTES};
use stategraph_agent::{Retryability, ToolFailure, ToolOutput};

/// Calls a tool of an MCP server and returns its output; every failure becomes an output, too. `limit`
/// bounds the silence of the server, `total` the whole call.
pub(crate) async fn call(
    connection: &Connection,
    server: &str,
    tool: &str,
    arguments: Map<String, Value>,
    limit: Duration,
    total: Duration,
) -> ToolOutput {
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    match connection.request(request, limit, total).await {
        Ok(ServerResult::CallToolResult(result)) => output(result),
        Ok(ServerResult::InputRequiredResult(_)) => ToolOutput::failed(format!(
            "the server `{server}` asked for input of a person or of a model, which it does not get"
        ))
        .again(Retryability::Never),
        Ok(ServerResult::CreateTaskResult(_)) => ToolOutput::failed(format!(
            "the server `{server}` began a task instead of answering, and tasks are not supported"
        ))
        .again(Retryability::Never),
        Ok(_) => ToolOutput::failed(format!("the answer of the server `{server}` is no result of a tool"))
            .again(Retryability::Never),
        Err(error) => failure(connection, server, &error, total).await,
    }
}

/// Converts a failed tool call, one without a result, to a failed output. It is marked as not to be
/// repeated automatically, because the call may have had its effect.
async fn failure(connection: &Connection, server: &str, error: &ServiceError, total: Duration) -> ToolOutput {
    let megabytes = LINE_BYTES / (1024 * 1024);
    let output = match error {
        ServiceError::Timeout { timeout } => {
            let reason = if *timeout == total { "did not answer within" } else { "was silent for" };
            let text =
                format!("the server `{server}` {reason} {timeout:?}, or its answer was over {megabytes} MiB");
            let hint = "raise `limit` in its entry of the file of servers, or ask it for less";
            ToolOutput::failure(ToolFailure::TimedOut, text).hint(Some(hint.to_owned()))
        }
        ServiceError::McpError(error) => {
            let message = clean_line(&error.message, 1_000);
            ToolOutput::failed(format!("the server `{server}` refused the call: {message}"))
        }
        ServiceError::TransportClosed => ToolOutput::failed(format!(
            "the server `{server}` ended during the call, which may have had an effect{}",
            connection.last_lines().await
        )),
        other => ToolOutput::failed(format!(
            "the call of the server `{server}` failed: {}",
            clean_line(&stategraph_core::with_causes(other), 1_000)
        )),
    };
    output.again(Retryability::Never)
}

/// Converts the result of a tool call, as the MCP server sent it, to a tool output. Text is cut at
/// [`RESULT_BYTES`], and data above `DATA_BYTES` is left out. Pictures and sounds become a line that names
/// their type and size.
fn output(result: CallToolResult) -> ToolOutput {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    let mut text = String::new();
    for block in content {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block_text(block));
    }
    let data = structured_content.map(|mut data| {
        clean_value(&mut data, RESULT_BYTES);
        data
    });
    if text.is_empty()
        && let Some(data) = &data
    {
        text = data.to_string();
    }
    let text = clean_up_to(&text, RESULT_BYTES);
    if is_error == Some(true) {
        let text =
            if text.trim().is_empty() { "the tool failed and gave no reason".to_owned() } else { text };
        return ToolOutput::failed(text).again(Retryability::Never);
    }
    match data.filter(|data| data.to_string().len() <= DATA_BYTES) {
        Some(data) => ToolOutput::ok(text).data(&data),
        None => ToolOutput::ok(text),
    }
}

/// Returns the text of a content block in a tool's result; for a picture, a sound or a binary resource a
/// line that describes it.
fn block_text(block: ContentBlock) -> String {
    let bytes = |base64: &str| base64.len() / 4 * 3;
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => {
            format!(
                "[a picture, {}, {} bytes, is not shown]",
                clean_line(&image.mime_type, 60),
                bytes(&image.data)
            )
        }
        ContentBlock::Audio(audio) => {
            format!(
                "[a recording, {}, {} bytes, is not shown]",
                clean_line(&audio.mime_type, 60),
                bytes(&audio.data)
            )
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[{}]\n{text}", clean_line(&uri, 300))
            }
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[{}: {} bytes are not shown]", clean_line(&uri, 300), bytes(&blob))
            }
            _ => "[a resource of an unknown kind is not shown]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[a resource: {}]", clean_line(&link.uri, 300)),
        _ => "[content of an unknown kind is not shown]".to_owned(),
    }
}
