//! How a run ended well.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::breakpoints::Breakpoint;
use super::commit::encode;
use super::error::RunError;
use super::id::{CheckpointId, QuestionId, ThreadId};
use super::state::State;

/// The end of a run that did not fail.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome<S> {
    /// How it ended.
    pub status: Status,
    /// The state.
    pub state: S,
    /// The thread, if the run had a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The newest checkpoint, if the run had a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointId>,
    /// The supersteps of this run, those before a resume included.
    pub steps: u64,
    /// The questions of the thread that waited for an answer and were dropped, since this run started over (LangGraph F57).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Question>,
}

impl<S: State> Outcome<S> {
    /// The same with the state as JSON.
    pub(crate) fn into_json(self) -> Result<Outcome<Box<RawValue>>, RunError> {
        let Self { status, state, thread, checkpoint, steps, dropped } = self;
        Ok(Outcome { state: encode("the state", &state)?, status, thread, checkpoint, steps, dropped })
    }
}

/// The way in which a run ended. As JSON `"done"`, `{"waiting": [question, …]}`, `"drained"` or `{"paused": breakpoint}`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Nothing is left to run.
    Done,
    /// Tasks wait for answers; resume with them.
    Waiting(Vec<Question>),
    /// It was asked to stop and did so between two supersteps; resume to go on.
    Drained,
    /// It stands at a breakpoint; resume to go on.
    Paused(Breakpoint),
}

/// Why a run stopped that was not asked and did not fail.
#[derive(Debug, Clone)]
pub(crate) enum Stopped {
    Drained,
    Paused(Breakpoint),
}

impl From<Stopped> for Status {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Drained => Self::Drained,
            Stopped::Paused(at) => Self::Paused(at),
        }
    }
}

/// A question that a task waits with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id to answer to.
    pub id: QuestionId,
    /// The node that asks.
    pub node: String,
    /// What it asks, as JSON.
    pub payload: Box<RawValue>,
    /// The JSON Schema of the answer, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
}

impl Status {
    /// `done`, `waiting`, `drained` or `paused`.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Waiting(_) => "waiting",
            Self::Drained => "drained",
            Self::Paused(_) => "paused",
        }
    }

    /// The questions that wait for an answer.
    pub fn questions(&self) -> &[Question] {
        match self {
            Self::Waiting(questions) => questions,
            Self::Done | Self::Drained | Self::Paused(_) => &[],
        }
    }
}

/// A question that waits for an answer.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The id to answer to.
    pub id: QuestionId,
    /// The node that asks.
    pub node: String,
    /// What it asks.
    pub payload: Box<RawValue>,
    /// The JSON Schema of the answer, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
}

impl From<OpenQuestion> for Question {
    fn from(open: OpenQuestion) -> Self {
        Self { id: open.id, node: open.node, payload: open.payload, schema: open.schema }
    }
}
