//! Messages, tools and answers as JSON of the GenAI conventions, for spans. Every text is cleaned: secrets are replaced, long texts are cut.

use serde_json::{Value, json};
use stategraph_trace::{SpanContent, clean_text, is_captured, record_content};
use tracing::Span;

use super::super::message::{ChatRequest, ContentBlock, Message, Role, ToolCall, ToolSpec};
use super::super::model::ChatAnswer;

/// Maximum length of all messages of a span together, in bytes of JSON. Of a longer conversation the first
/// message and the newest ones are kept.
const CONVERSATION_BYTES: usize = 64 << 10;
/// Maximum number of tool definitions of a span.
const TOOLS: usize = 64;

/// Records the messages and tools of a request in a span, if an exporter captures such content.
pub(super) fn record_request(span: &Span, request: &ChatRequest) {
    if !is_captured(span, SpanContent::InputMessages) && !is_captured(span, SpanContent::ToolDefinitions) {
        return;
    }
    record_content(span, SpanContent::InputMessages, || conversation(&request.messages).to_string());
    if !request.tools.is_empty() {
        record_content(span, SpanContent::ToolDefinitions, || {
            let tools: Vec<Value> = request.tools.iter().take(TOOLS).map(tool_json).collect();
            Value::from(tools).to_string()
        });
    }
}

/// Records an answer in a span, if an exporter captures such content.
pub(super) fn record_answer(span: &Span, answer: &ChatAnswer, finish_reason: &str) {
    record_content(span, SpanContent::OutputMessages, || {
        let mut said = message_json(&Message::calling(answer.text.as_str(), answer.tool_calls.clone()));
        // Version 0.1.0 of the conventions has the reasons in an attribute of their own, but Phoenix 20 ignores an answer without one.
        said["finish_reason"] = finish_reason.into();
        Value::from(vec![said]).to_string()
    });
}

/// Returns the messages as a JSON list: the first one, a note about those left out, and the newest ones that
/// fit.
fn conversation(messages: &[Message]) -> Value {
    let Some((first, rest)) = messages.split_first() else { return Value::from(Vec::<Value>::new()) };
    let first = message_json(first);
    let mut left = CONVERSATION_BYTES.saturating_sub(first.to_string().len());
    let mut newest = Vec::new();
    for message in rest.iter().rev() {
        let message = message_json(message);
        let Some(rest) = left.checked_sub(message.to_string().len()) else { break };
        left = rest;
        newest.push(message);
    }
    let omitted = rest.len() - newest.len();
    let note = (omitted > 0).then(|| {
        json!({ "role": "system", "parts": [text_part(&format!("[{omitted} messages left out of the trace]"))] })
    });
    std::iter::once(first).chain(note).chain(newest.into_iter().rev()).collect()
}

/// Returns a message as JSON of the GenAI conventions.
fn message_json(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    if let Some(id) = &message.tool_call_id {
        let part = json!({ "type": "tool_call_response", "id": clean_text(id), "response": clean_text(&message.content) });
        return json!({ "role": role, "parts": [part] });
    }
    let text = (!message.content.is_empty()).then(|| text_part(&message.content));
    let parts = text.into_iter().chain(message.blocks.iter().map(block_part));
    let parts: Vec<Value> = parts.chain(message.tool_calls.iter().map(call_part)).collect();
    json!({ "role": role, "parts": parts })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "content": clean_text(text) })
}

/// Returns a content part as text. The bytes of pictures and recordings are replaced by their size, because
/// no trace needs them.
fn block_part(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text { text } => text_part(text),
        ContentBlock::Image { url } if url.starts_with("data:") => {
            text_part(&format!("[image, {} bytes]", url.len()))
        }
        ContentBlock::Image { url } => text_part(&format!("[image {url}]")),
        ContentBlock::Audio { data, format } => text_part(&format!("[{format} audio, {} bytes]", data.len())),
    }
}

/// Returns a tool call as JSON. Arguments that do not parse are kept as a string.
fn call_part(call: &ToolCall) -> Value {
    let arguments = clean_text(&call.arguments);
    let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
    json!({ "type": "tool_call", "id": clean_text(&call.id), "name": clean_text(&call.name), "arguments": arguments })
}

/// Returns a tool definition as JSON. A schema that is too long becomes `null`.
fn tool_json(tool: &ToolSpec) -> Value {
    let parameters = tool.parameters.to_string();
    // A schema that is cut is no schema.
    let parameters = if parameters.len() <= stategraph_trace::TEXT_BYTES {
        Value::clone(&tool.parameters)
    } else {
        Value::Null
    };
    json!({ "type": "function", "name": tool.name, "description": clean_text(&tool.description), "parameters": parameters })
}
