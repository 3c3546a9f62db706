//! The file format of a recording: JSON lines, each a model call or another input of a run. `replay` reads it, `record` writes it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{ChatAnswer, ModelName};

/// A line of a recording that is not a model call: an input of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapeMark {
    /// A time that was read, in milliseconds since 1970 (UTC).
    Time(u64),
    /// An id that was assigned.
    Id(String),
    /// The result of a tool, a request or an embedding.
    Effect(TapeEffect),
}

/// The recorded result of work outside the run: a tool, an HTTP request or an embedding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapeEffect {
    /// Name of the work.
    pub(super) name: String,
    /// Input of the work.
    pub(super) input: Value,
    /// Result of the work.
    pub(super) output: Value,
}

/// A line of a recording with a model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapeLine {
    /// Model that received the request.
    pub(super) model: ModelName,
    /// Request as it was sent.
    pub(super) request: ChatRequest,
    /// Streamed pieces, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tokens: Vec<String>,
    /// Outcome of the call.
    pub(super) outcome: TapeOutcome,
}

/// The recorded outcome of a model call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapeOutcome {
    /// An answer.
    Answer(ChatAnswer),
    /// A failure.
    Error {
        /// Kind of the failure.
        kind: ModelErrorKind,
        /// Endpoint of the model; `None` if it has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        endpoint: Option<String>,
    },
}

impl From<Result<ChatAnswer, ModelError>> for TapeOutcome {
    fn from(result: Result<ChatAnswer, ModelError>) -> Self {
        match result {
            Ok(answer) => Self::Answer(answer),
            Err(error) => Self::Error { kind: *error.kind, endpoint: error.place.endpoint },
        }
    }
}

impl TapeOutcome {
    /// Returns the answer, or the failure as an error of `model`.
    pub(super) fn into_result(self, model: &ModelName) -> Result<ChatAnswer, ModelError> {
        match self {
            Self::Answer(answer) => Ok(answer),
            Self::Error { kind, endpoint } => {
                let mut error = ModelError::new(model, kind);
                error.place.endpoint = endpoint;
                Err(error)
            }
        }
    }
}
