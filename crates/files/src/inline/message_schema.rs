//! The JSON Schemas of messages and conversations. They describe the messages of `stategraph_llm`.

use serde_json::{Value, json};

/// Returns the JSON Schema of one message of a conversation.
pub(super) fn message_schema() -> Value {
    let text = json!({ "type": "string" });
    let call = json!({
        "type": "object", "required": ["id", "name", "arguments"], "additionalProperties": false,
        "properties": { "id": text, "name": text, "arguments": text },
    });
    json!({
        "type": "object", "required": ["role", "content"], "additionalProperties": false,
        "properties": {
            "id": { "type": "string", "minLength": 1 },
            "role": { "enum": ["system", "user", "assistant", "tool"] },
            "content": text,
            "blocks": { "type": "array", "items": { "type": "object", "required": ["type"] } },
            "tool_calls": { "type": "array", "items": call },
            "tool_call_id": text,
            "usage": { "type": "object" },
        },
    })
}

/// Returns the JSON Schema of a conversation: a list of messages.
pub(super) fn conversation_schema() -> Value {
    json!({ "type": "array", "items": message_schema() })
}
