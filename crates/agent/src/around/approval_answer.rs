//! The answer of a person to a call (CTX-95), as a word or an object. Decides nothing; see `approval`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The answer to an [`ApprovalQuestion`](super::ApprovalQuestion): `"approve"`, `"reject"`, or an object such as
/// `{"decision": "edit", "args": {"path": "a.rs"}}` or `{"decision": "reject", "reason": "too dear"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub enum ApprovalAnswer {
    /// Run it.
    Approve,
    /// Run it with other arguments.
    Edit {
        /// The arguments.
        args: Map<String, Value>,
    },
    /// Do not run it.
    Reject {
        /// The reason, for the model.
        reason: Option<String>,
    },
}

impl ApprovalAnswer {
    /// Returns the JSON Schema of the answers. An answer that does not fit is rejected when it is given.
    pub fn schema() -> Value {
        let object = |decision: &str, more: Value, required: Value| {
            let mut properties = json!({ "decision": { "const": decision } });
            if let (Value::Object(properties), Value::Object(more)) = (&mut properties, more) {
                properties.extend(more);
            }
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        };
        json!({ "anyOf": [
            { "enum": ["approve", "reject"] },
            object("approve", json!({}), json!(["decision"])),
            object("edit", json!({ "args": { "type": "object" } }), json!(["decision", "args"])),
            object("reject", json!({ "reason": { "type": ["string", "null"] } }), json!(["decision"])),
        ] })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    AnswerWord(AnswerWord),
    Object(Decision),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerWord {
    Approve,
    Reject,
}

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

impl From<Wire> for ApprovalAnswer {
    fn from(wire: Wire) -> Self {
        match wire {
            Wire::AnswerWord(AnswerWord::Approve) | Wire::Object(Decision::Approve) => Self::Approve,
            Wire::AnswerWord(AnswerWord::Reject) => Self::Reject { reason: None },
            Wire::Object(Decision::Edit { args }) => Self::Edit { args },
            Wire::Object(Decision::Reject { reason }) => Self::Reject { reason },
        }
    }
}

impl From<ApprovalAnswer> for Wire {
    fn from(answer: ApprovalAnswer) -> Self {
        match answer {
            ApprovalAnswer::Approve => Self::AnswerWord(AnswerWord::Approve),
            ApprovalAnswer::Edit { args } => Self::Object(Decision::Edit { args }),
            ApprovalAnswer::Reject { reason: None } => Self::AnswerWord(AnswerWord::Reject),
            ApprovalAnswer::Reject { reason } => Self::Object(Decision::Reject { reason }),
        }
    }
}
