//! The results of runs that did not fail: outcomes, their status, and open questions.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::breakpoints::Breakpoint;
use super::commit::encode;
use super::error::RunError;
use super::id::{CheckpointId, QuestionId, ThreadId};
use super::state::State;

/// The result of a run that did not fail.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let done = counter().compile()?.run(Count::default()).await?;
/// assert!(matches!(done.status, Status::Done));
/// assert_eq!((done.state.n, done.steps, done.thread), (3, 3, None));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Outcome<S> {
    /// The way in which the run ended.
    pub status: Status,
    /// The state at the end.
    pub state: S,
    /// The thread; `None` without a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The newest checkpoint; `None` without a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointId>,
    /// Number of supersteps since the input, those before a resume included.
    pub steps: u64,
    /// The open questions of the thread that were dropped because this run started over (LangGraph F57).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Question>,
}

impl<S: State> Outcome<S> {
    /// Returns the same outcome with its state as JSON.
    pub(crate) fn into_json(self) -> Result<Outcome<Box<RawValue>>, RunError> {
        let Self { status, state, thread, checkpoint, steps, dropped } = self;
        Ok(Outcome { state: encode("the state", &state)?, status, thread, checkpoint, steps, dropped })
    }
}

/// The way in which a run ended. As JSON `"done"`, `{"waiting": [question, …]}`, `"drained"` or `{"paused": breakpoint}`.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// async fn ask(_: &Count, cx: &Cx) -> NodeResult<CountUpdate> {
///     Ok(Count::update().n(cx.interrupt("how many?").await?))
/// }
/// let graph = StateGraph::new("ask").node("ask", ask).sequence([START, "ask", END]).compile()?;
/// let graph = graph.with_store(Arc::new(MemoryStore::new()));
/// let waiting = graph.run(Count::default()).await?;
/// let Status::Waiting(questions) = &waiting.status else { panic!("it asks") };
/// assert_eq!(questions[0].payload.get(), "\"how many?\"");
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Nothing is left to run.
    Done,
    /// Tasks wait for answers. A resume with answers continues the run.
    Waiting(Vec<Question>),
    /// The run stopped between two supersteps by request. A resume continues it.
    Drained,
    /// The run stopped at a breakpoint. A resume continues it.
    Paused(Breakpoint),
}

/// The reason why a run stopped between two supersteps although tasks are left: a drain or a breakpoint.
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

/// A question that a task waits for, with the id to answer to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The id to answer to.
    pub id: QuestionId,
    /// The node that asks.
    pub node: String,
    /// The question, as JSON.
    pub payload: Box<RawValue>,
    /// The JSON Schema of the answer, if the node gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
}

impl Status {
    /// Returns `done`, `waiting`, `drained` or `paused`.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Waiting(_) => "waiting",
            Self::Drained => "drained",
            Self::Paused(_) => "paused",
        }
    }

    /// Returns the open questions; none unless the run is waiting.
    pub fn questions(&self) -> &[Question] {
        match self {
            Self::Waiting(questions) => questions,
            Self::Done | Self::Drained | Self::Paused(_) => &[],
        }
    }
}

/// An open question of a thread, found by reading the thread.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The id to answer to.
    pub id: QuestionId,
    /// The node that asks.
    pub node: String,
    /// The question, as JSON.
    pub payload: Box<RawValue>,
    /// The JSON Schema of the answer, if the node gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
}

impl From<OpenQuestion> for Question {
    fn from(open: OpenQuestion) -> Self {
        Self { id: open.id, node: open.node, payload: open.payload, schema: open.schema }
    }
}
