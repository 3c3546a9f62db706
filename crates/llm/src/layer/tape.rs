//! The file of a recording: JSON lines, each a call of a model or something else that a run took from outside. Read by `replay`,
//! written by `record`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::error::{ModelError, ModelErrorKind};
use super::super::message::ChatRequest;
use super::super::model::{ChatAnswer, ModelName};

/// A line that is no call of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapeMark {
    /// A time that was read, in milliseconds since 1970 (UTC).
    Time(u64),
    /// An id that was given.
    Id(String),
    /// The result of a tool, a request, vectors.
    Effect(TapeEffect),
}

/// The result of work outside of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapeEffect {
    /// The name of the work.
    pub(super) name: String,
    /// What it was asked for.
    pub(super) input: Value,
    /// What came of it.
    pub(super) output: Value,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapeLine {
    /// Who was asked.
    pub(super) model: ModelName,
    /// What.
    pub(super) request: ChatRequest,
    /// The pieces that were streamed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tokens: Vec<String>,
    /// What came of it.
    pub(super) outcome: TapeOutcome,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TapeOutcome {
    /// An answer.
    Answer(ChatAnswer),
    /// None.
    Error {
        /// What went wrong.
        kind: ModelErrorKind,
        /// Where, if there is a where.
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
