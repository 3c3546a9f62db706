//! Encodes the request as JSON. Pure.

use serde_json::{Value, json};

use super::super::message::{AnswerSchema, ChatRequest, ContentBlock, Message, Role, ToolCall, ToolSpec};
use super::endpoint::{Endpoint, LimitField, Structured};
use super::form::{RequestForm, Streaming};
use super::strict::{self, Dialect, Strictness};

/// Builds the JSON body of `POST /chat/completions` for the model name that the endpoint knows. Sets `stream`
/// itself, because async-openai omits it for custom types, and a server would then answer with plain JSON.
pub(super) fn of(request: &ChatRequest, model: &str, form: RequestForm, endpoint: &Endpoint) -> Value {
    let RequestForm { structured, streaming } = form;
    let mut body = json!({ "model": model, "messages": messages(request, structured) });
    body["stream"] = (streaming != Streaming::Off).into();
    if streaming == Streaming::WithUsage {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(limit) = request.max_tokens.or(endpoint.max_tokens()) {
        let field = match endpoint.limit_field() {
            LimitField::MaxTokens => "max_tokens",
            LimitField::MaxCompletionTokens => "max_completion_tokens",
        };
        body[field] = limit.into();
    }
    if let Some(format) = request.answer.as_ref().and_then(|answer| response_format(answer, structured)) {
        body["response_format"] = format;
    }
    body
}

/// Returns the field `response_format`; `None` if only the prompt requests JSON.
fn response_format(answer: &AnswerSchema, form: Structured) -> Option<Value> {
    match form {
        Structured::Grammar => Some(json_schema(answer, Dialect::Full)),
        Structured::JsonSchema => Some(json_schema(answer, Dialect::Portable)),
        Structured::JsonObject => Some(json!({ "type": "json_object" })),
        Structured::Prompt => None,
    }
}

/// Returns a `response_format` with the schema, adapted to the endpoint.
fn json_schema(answer: &AnswerSchema, dialect: Dialect) -> Value {
    let (schema, strictness) = strict::fit(answer.schema.as_value(), dialect, answer.optional);
    let strict = strictness == Strictness::Strict;
    let name = schema_name(&answer.name);
    json!({ "type": "json_schema", "json_schema": { "name": name, "strict": strict, "schema": schema } })
}

/// Replaces characters of a schema name that endpoints refuse by `_` and cuts it to 64:
/// `[A-Za-z0-9_-]{1,64}`.
fn schema_name(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.chars().map(fit).take(64).collect()
}

/// Returns the messages as JSON. Where the endpoint is not sent the schema, it is added to the system message
/// as text.
fn messages(request: &ChatRequest, form: Structured) -> Vec<Value> {
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    let in_prompt = matches!(form, Structured::JsonObject | Structured::Prompt);
    let Some(answer) = request.answer.as_ref().filter(|_| in_prompt) else { return messages };
    let wish = format!(
        "Answer with one JSON value that matches this JSON Schema, and with nothing else: no code fence, no comment.\n{}",
        answer.schema.as_value()
    );
    // The instructions go into one system message at the start, because models follow it best and some endpoints reject several.
    match messages.first_mut().filter(|first| first["role"] == "system") {
        Some(first) => {
            first["content"] = format!("{}\n\n{wish}", first["content"].as_str().unwrap_or_default()).into();
        }
        None => messages.insert(0, json!({ "role": "system", "content": wish })),
    }
    messages
}

fn message(message: &Message) -> Value {
    let mut value = json!({ "role": message.role, "content": message.content });
    if !message.blocks.is_empty() {
        let text = (!message.content.is_empty()).then(|| json!({ "type": "text", "text": message.content }));
        value["content"] = text.into_iter().chain(message.blocks.iter().map(block)).collect();
    }
    if !message.tool_calls.is_empty() {
        value["tool_calls"] = message.tool_calls.iter().map(tool_call).collect();
        if message.content.is_empty() && message.blocks.is_empty() {
            value["content"] = Value::Null;
        }
    }
    if message.role == Role::Tool {
        value["tool_call_id"] = message.tool_call_id.clone().unwrap_or_default().into();
    }
    value
}

fn block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text { text } => json!({ "type": "text", "text": text }),
        ContentBlock::Image { url } => json!({ "type": "image_url", "image_url": { "url": url } }),
        ContentBlock::Audio { data, format } => {
            json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } })
        }
    }
}

fn tool_call(call: &ToolCall) -> Value {
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": call.arguments } })
}

fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}
