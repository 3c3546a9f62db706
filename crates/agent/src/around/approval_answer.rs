//! The answer of a person to the question about a tool call (CTX-95), as a word or an object. Asks nothing;
//! see `approval`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The answer to an [`ApprovalQuestion`](super::ApprovalQuestion): `"approve"`, `"reject"`, or an object such as
/// `{"decision": "edit", "args": {"path": "a.rs"}}` or `{"decision": "reject", "reason": "too dear"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "AnswerJson", into = "AnswerJson")]
pub enum ApprovalAnswer {
    /// Run the call.
    Approve,
    /// Run the call with other arguments.
    Edit {
        /// The new arguments.
        args: Map<String, Value>,
    },
    /// Do not run the call.
    Reject {
        /// The reason, for the model.
        reason: Option<String>,
    },
}

impl ApprovalAnswer {
    /// The forms of an answer, as shown to a person.
    pub const FORMS: [&str; 4] = [
        "approve",
        "reject",
        r#"{"decision": "reject", "reason": "…"}"#,
        r#"{"decision": "edit", "args": {…}}"#,
    ];

    /// Returns the JSON Schema of the valid answers about one call. `arguments` is the schema of the tool's
    /// arguments, for edited ones; `None` accepts any object. An answer that does not fit is rejected when it
    /// is given.
    pub fn schema(arguments: Option<&Value>) -> Value {
        let mut arguments = arguments.cloned().unwrap_or_else(|| json!({ "type": "object" }));
        // References begin at the root of a schema.
        let definitions = arguments.as_object_mut().and_then(|schema| schema.remove("$defs"));
        let decides = |decision: &str| json!({ "properties": { "decision": { "const": decision } } });
        // A condition instead of alternatives, because the message about a wrong answer then names the wrong part.
        let mut schema = json!({
            "if": { "type": "object" },
            "then": {
                "properties": {
                    "decision": { "enum": ["approve", "edit", "reject"] },
                    "args": {},
                    "reason": { "type": ["string", "null"] },
                },
                "required": ["decision"],
                "additionalProperties": false,
                "allOf": [
                    { "if": decides("edit"), "then": { "properties": { "args": arguments }, "required": ["args"] },
                      "else": { "properties": { "args": false } } },
                    { "if": decides("reject"), "then": true, "else": { "properties": { "reason": false } } },
                ],
            },
            "else": { "enum": ["approve", "reject"] },
        });
        if let Some(definitions) = definitions {
            schema["$defs"] = definitions;
        }
        schema
    }
}

/// The JSON form of an [`ApprovalAnswer`].
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum AnswerJson {
    AnswerWord(AnswerWord),
    Object(Decision),
}

/// An answer as a string.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerWord {
    Approve,
    Reject,
}

/// An answer as an object.
#[derive(Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
enum Decision {
    Approve,
    Edit {
        args: Map<String, Value>,
    },
    Reject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl From<AnswerJson> for ApprovalAnswer {
    fn from(wire: AnswerJson) -> Self {
        match wire {
            AnswerJson::AnswerWord(AnswerWord::Approve) | AnswerJson::Object(Decision::Approve) => {
                Self::Approve
            }
            AnswerJson::AnswerWord(AnswerWord::Reject) => Self::Reject { reason: None },
            AnswerJson::Object(Decision::Edit { args }) => Self::Edit { args },
            AnswerJson::Object(Decision::Reject { reason }) => Self::Reject { reason },
        }
    }
}

impl From<ApprovalAnswer> for AnswerJson {
    fn from(answer: ApprovalAnswer) -> Self {
        match answer {
            ApprovalAnswer::Approve => Self::AnswerWord(AnswerWord::Approve),
            ApprovalAnswer::Edit { args } => Self::Object(Decision::Edit { args }),
            ApprovalAnswer::Reject { reason: None } => Self::AnswerWord(AnswerWord::Reject),
            ApprovalAnswer::Reject { reason } => Self::Object(Decision::Reject { reason }),
        }
    }
}
