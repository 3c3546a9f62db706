//! The errors of runs, resumes and reads of threads. Each names the node, thread or checkpoint concerned; [`RunError::hint`] has advice.

use std::error::Error;
use std::time::Duration;

use super::bad_route::BadRoute;
use super::closure::{ClosurePanic, UserClosure};
use super::id::{CheckpointId, QuestionId, TaskId, ThreadId};
use super::nesting::NESTING_MAX;
use super::node_error::{NodeError, NodePanic, NodeTimeout, Retryable};
use super::store_error::StoreError;

/// The form in which the author wrote a graph: Rust code or a graph file. Hints use it to name the thing that
/// the author can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authoring {
    /// Rust: fields with attributes.
    Rust,
    /// A graph file: channels with keys.
    File,
}

/// The error of a run, of a resume, or of reading a thread.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let error = counter().compile()?.run(Count::default()).step_limit(2).await.err().ok_or("three steps are needed")?;
/// assert_eq!((error.kind(), error.is_conflict()), ("step_limit", false));
/// println!("{error}; {}", error.hint().unwrap_or_default());
/// # Ok(()) }) }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A node failed after its last attempt (ENG-29). The results of its siblings are kept; a resume runs this task again.
    #[error("node `{node}`{} failed in step {step}{}", item_suffix(item.as_deref()), attempts_suffix(*attempts))]
    Node {
        /// The node.
        node: String,
        /// The item of a fan-out that the task got; `None` for a task without an item.
        item: Option<Box<FailedItem>>,
        /// The superstep, from 1.
        step: u64,
        /// The task.
        task: TaskId,
        /// Number of attempts.
        attempts: u32,
        /// The node's error.
        #[source]
        source: NodeFailure,
    },
    /// Two tasks of one superstep wrote a channel that takes one write. No update of that superstep is in the state.
    #[error(
        "`{first}` and `{second}` both wrote `{channel}` in step {step}, and it can take only one write a step"
    )]
    WriteConflict {
        /// The channel.
        channel: String,
        /// The node that comes first.
        first: String,
        /// The other node.
        second: String,
        /// The superstep, from 1.
        step: u64,
        /// The form in which the graph is written.
        authoring: Authoring,
    },
    /// An update, or a branch, has made a state that cannot be stored (parity D10). Nothing of that superstep is kept.
    #[error("{reason}")]
    BadState {
        /// The problem, with its channel or branch.
        reason: String,
    },
    /// A closure of the graph panicked: a branch, a fan-out, a reducer or a hook. Nothing of that superstep is kept,
    /// unless the closure is a hook.
    #[error(transparent)]
    ClosurePanic(#[from] Box<ClosurePanic>),
    /// A node calls a graph that would be nested too deep. Nothing of that graph is written.
    #[error("the graph `{graph}` would make {depth} graphs inside each other, the most is {NESTING_MAX}")]
    NestingLimit {
        /// The called graph.
        graph: String,
        /// Number of nested graphs with the called one, including those in its own nodes.
        depth: usize,
    },
    /// The run has used all its supersteps (ENG-4). The state so far is saved.
    #[error("the run reached its limit of {limit} steps; `{}` would run next", next.join("`, `"))]
    StepLimit {
        /// The limit.
        limit: u64,
        /// The nodes that would run next.
        next: Vec<String>,
        /// The newest checkpoint; `None` without a store.
        checkpoint: Option<CheckpointId>,
    },
    /// A superstep took longer than the run allows (F36). The results of its finished tasks are kept; a resume runs the others.
    #[error("step {step} took longer than {limit:?}")]
    StepTimeout {
        /// The superstep, from 1.
        step: u64,
        /// The limit.
        limit: Duration,
        /// The newest checkpoint; `None` without a store.
        checkpoint: Option<CheckpointId>,
    },
    /// The run was cancelled by its [`Stop`](super::Stop).
    #[error("the run was stopped in step {step}")]
    Cancelled {
        /// The superstep in progress, from 1.
        step: u64,
        /// The newest checkpoint; `None` without a store.
        checkpoint: Option<CheckpointId>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A checkpointed run was requested of a graph without a store.
    #[error("the graph `{graph}` has no checkpoint store")]
    NoStore {
        /// The graph.
        graph: String,
    },
    /// The thread was written by another graph.
    #[error("thread `{thread}` belongs to the graph `{found}`, not `{expected}`")]
    ForeignThread {
        /// The thread.
        thread: ThreadId,
        /// The name of the graph that wrote it.
        found: String,
        /// The graph that was to continue it.
        expected: String,
    },
    /// The checkpoint plans a node that the graph does not have (D9).
    #[error("checkpoint {checkpoint} runs `{node}` next, and the graph `{graph}` has no such node any more")]
    MissingNode {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The node.
        node: String,
        /// The graph.
        graph: String,
        /// The most similar existing name; `None` when none is similar.
        nearest: Option<String>,
    },
    /// The stored state does not match the state's type.
    #[error("checkpoint {checkpoint} does not fit the state of the graph `{graph}`: {detail}")]
    StateMismatch {
        /// The checkpoint.
        checkpoint: CheckpointId,
        /// The graph.
        graph: String,
        /// The field and the reason.
        detail: String,
        /// The form in which the graph is written.
        authoring: Authoring,
    },
    /// The state or an update cannot be written as JSON.
    #[error("{what} cannot be stored: {detail}")]
    Encoding {
        /// The value, such as ``the update of `a` ``.
        what: String,
        /// The reason.
        detail: String,
    },
    /// An answer names a question that is not open (D6).
    #[error("there is no open question {question}")]
    NotAsked {
        /// The question that was answered.
        question: QuestionId,
        /// The open questions.
        open: Vec<QuestionId>,
    },
    /// An answer does not match the schema of its question (D6). The question stays open, and the other answers of the same call are not
    /// accepted either.
    #[error("the answer to question {question} does not fit: {reason}")]
    AnswerRefused {
        /// The question.
        question: QuestionId,
        /// The mismatch, with its place in the answer.
        reason: String,
    },
    /// A fork was requested inside a task in which no graph ran, or whose graph has no such checkpoint.
    #[error("no graph ran inside that task of checkpoint {checkpoint} up to the checkpoint asked for")]
    NothingInside {
        /// The checkpoint that planned the task.
        checkpoint: CheckpointId,
    },
    /// Two answers to one question (D6).
    #[error("question {question} was answered twice")]
    AnsweredTwice {
        /// The question.
        question: QuestionId,
    },
    /// An update was to be written as the last writer, but the last writer is not a single node (F47).
    #[error("the last writer of thread `{thread}` is not one node: {}", list_candidates(candidates))]
    AmbiguousWriter {
        /// The thread.
        thread: ThreadId,
        /// The possible nodes, sorted.
        candidates: Vec<String>,
    },
    /// A command from outside leads to a node that takes items, but has no item of its type.
    #[error("`{node}` takes items, and it is sent none of its type")]
    NeedsItem {
        /// The node.
        node: String,
    },
    /// A breakpoint of a run names a node that neither the graph nor one of its sub-graphs has.
    #[error("there can be no breakpoint at `{node}`: the graph `{graph}` has no such node")]
    UnknownBreakpoint {
        /// The name.
        node: String,
        /// The graph.
        graph: String,
        /// The most similar existing node, with the path of a node of a sub-graph; `None` when none is similar.
        nearest: Option<String>,
    },
    /// A value that was written from outside makes a state that cannot be stored (parity D10). Nothing was written.
    #[error("{reason}")]
    BadUpdate {
        /// The problem, with its channel or branch.
        reason: String,
    },
    /// An update from outside names a node that does not exist.
    #[error("the graph `{graph}` has no node `{node}`")]
    UnknownNode {
        /// The name.
        node: String,
        /// The graph.
        graph: String,
        /// The most similar existing name; `None` when none is similar.
        nearest: Option<String>,
    },
}

/// The item of a failed fan-out task, for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedItem {
    /// The position among the items of the node in the superstep, from 0: that in the list of the fan-out.
    pub index: usize,
    /// The beginning of the item as JSON.
    pub text: String,
}

/// The error of a node, as a cause in a chain of errors. It displays the node's own error.
#[derive(Debug)]
pub struct NodeFailure {
    error: Box<dyn Error + Send + Sync>,
    retry: Retryable,
    /// The advice that the node gave; `None` when it gave none.
    pub hint: Option<String>,
}

impl NodeFailure {
    /// Returns the effect that the node gave this error on retries.
    pub fn retryable(&self) -> Retryable {
        self.retry
    }

    /// Returns the node's error if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.error.downcast_ref()
    }
}

impl std::fmt::Display for NodeFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for NodeFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl From<NodeError> for NodeFailure {
    fn from(error: NodeError) -> Self {
        let hint = error.hint().map(str::to_owned);
        let retry = error.retryable();
        Self { error: error.into_source(), retry, hint }
    }
}

impl RunError {
    /// Sets the newest checkpoint in the errors that have such a field; returns other errors unchanged. For
    /// runs that are saved only after they have ended.
    pub(crate) fn with_checkpoint(mut self, newest: Option<CheckpointId>) -> Self {
        if let Self::StepLimit { checkpoint, .. }
        | Self::StepTimeout { checkpoint, .. }
        | Self::Cancelled { checkpoint, .. } = &mut self
        {
            *checkpoint = newest;
        }
        self
    }

    /// Turns `BadState` into `BadUpdate`, because the values were written from outside and no step ran;
    /// returns other errors unchanged.
    pub(crate) fn of_outside_write(self) -> Self {
        match self {
            Self::BadState { reason } => Self::BadUpdate { reason },
            error => error,
        }
    }

    /// Returns true when the state in memory must not be saved after this error, because it is not the result
    /// of a whole and valid superstep.
    pub(crate) fn spoils_state(&self) -> bool {
        match self {
            Self::BadState { .. } => true,
            Self::ClosurePanic(panic) => !matches!(panic.closure, UserClosure::Hook { .. }),
            _ => false,
        }
    }

    /// Returns a stable name for the kind of error, such as `step_limit`, for programs that read `--json`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Node { source, .. } if source.downcast_ref::<NodeTimeout>().is_some() => "node_timeout",
            Self::Node { source, .. } if source.downcast_ref::<NodePanic>().is_some() => "node_panic",
            Self::Node { .. } => "node",
            Self::WriteConflict { .. } => "write_conflict",
            Self::BadState { .. } | Self::BadUpdate { .. } => "bad_state",
            Self::ClosurePanic(_) => "closure_panic",
            Self::NestingLimit { .. } => "nesting_limit",
            Self::StepLimit { .. } => "step_limit",
            Self::StepTimeout { .. } => "step_timeout",
            Self::Cancelled { .. } => "cancelled",
            Self::Store(_) | Self::NoStore { .. } => "store",
            Self::ForeignThread { .. } => "foreign_thread",
            Self::MissingNode { .. } | Self::UnknownNode { .. } | Self::UnknownBreakpoint { .. } => {
                "unknown_node"
            }
            Self::StateMismatch { .. } => "state_mismatch",
            Self::Encoding { .. } => "encoding",
            Self::NotAsked { .. } => "not_asked",
            Self::AnswerRefused { .. } => "answer_refused",
            Self::AnsweredTwice { .. } => "answered_twice",
            Self::NothingInside { .. } => "nothing_inside",
            Self::AmbiguousWriter { .. } => "ambiguous_writer",
            Self::NeedsItem { .. } => "needs_item",
        }
    }

    /// Returns true when the error names a thread, checkpoint, node or question that does not exist: 404 in a service.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::NotAsked { .. }
            | Self::UnknownNode { .. }
            | Self::UnknownBreakpoint { .. }
            | Self::NothingInside { .. } => true,
            Self::Store(error) => {
                matches!(error, StoreError::NoThread { .. } | StoreError::NoCheckpoint { .. })
            }
            _ => false,
        }
    }

    /// Returns true when another writer or another answer is in the way: 409 in a service.
    pub fn is_conflict(&self) -> bool {
        match self {
            Self::AnsweredTwice { .. } => true,
            Self::Store(error) => matches!(
                error,
                StoreError::Busy { .. } | StoreError::Conflict { .. } | StoreError::Exists { .. }
            ),
            _ => false,
        }
    }

    /// Returns advice for the user, in terms of the form that the graph is written in.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Node { source, .. } => {
                source.hint.clone().or_else(|| Some(source.downcast_ref::<BadRoute>()?.hint()))
            }
            Self::WriteConflict { channel, authoring, .. } => Some(match authoring {
                Authoring::Rust => {
                    format!("give `{channel}` a reducer such as `#[state(append)]`, or let one node write it")
                }
                Authoring::File => format!(
                    "give `{channel}` a `reducer` such as `append` in the file, or let one node write it"
                ),
            }),
            Self::BadState { .. } => {
                Some("nothing of that step was kept; mend the graph and resume to run it again".to_owned())
            }
            Self::BadUpdate { .. } => Some("nothing was written; give other values".to_owned()),
            Self::UnknownBreakpoint { nearest: Some(name), .. } => Some(format!("did you mean `{name}`?")),
            Self::UnknownBreakpoint { nearest: None, .. } => Some(
                "`graph draw` shows the nodes; one of a sub-graph is named `outer/inner`, and those of a graph that a tool runs cannot be named"
                    .to_owned(),
            ),
            Self::ClosurePanic(panic) => Some(match panic.closure {
                UserClosure::Hook { .. } => "mend the hook; what the run saved stands".to_owned(),
                _ => "nothing of that step was kept; mend the closure and resume to run it again".to_owned(),
            }),
            Self::NestingLimit { .. } => {
                Some("end the recursion sooner: pass the depth along in the state and stop at a limit".to_owned())
            }
            Self::StepLimit { .. } => {
                Some("resume to go on with a new budget, or raise the limit; a cycle may lack an exit".to_owned())
            }
            Self::StepTimeout { .. } => Some("resume to run again what had not finished, or allow more time".to_owned()),
            Self::Cancelled { .. } => Some("resume to go on from the newest checkpoint".to_owned()),
            Self::Store(error) => Some(error.hint()),
            Self::NoStore { .. } => Some("give the graph one with `with_store`".to_owned()),
            Self::ForeignThread { found, .. } => Some(format!("continue it with the graph `{found}`")),
            Self::MissingNode { nearest, .. } | Self::UnknownNode { nearest, .. } => match nearest {
                Some(name) => Some(format!("did you mean `{name}`?")),
                None => Some("`graph draw` shows the nodes; an older version of the graph can still continue the thread".to_owned()),
            },
            Self::StateMismatch { authoring, .. } => Some(match authoring {
                Authoring::Rust => {
                    "give new fields `#[serde(default)]`, say with `migrate` what the older state becomes, or continue the thread with the version that wrote it"
                }
                Authoring::File => {
                    "declare the channels as they were, or continue the thread with the file that it began with"
                }
            }.to_owned()),
            Self::Encoding { .. } => Some("change the value, or the type of its channel".to_owned()),
            Self::NotAsked { open, .. } if open.is_empty() => Some("nothing waits for an answer".to_owned()),
            Self::NotAsked { open, .. } => {
                let open: Vec<String> = open.iter().map(ToString::to_string).collect();
                Some(format!("open: {}", open.join(", ")))
            }
            Self::AmbiguousWriter { .. } => Some("say as which node to write".to_owned()),
            Self::NeedsItem { .. } => Some("dispatch an item of the type that it takes".to_owned()),
            Self::AnswerRefused { .. } => Some("give another answer; the question is still open".to_owned()),
            Self::NothingInside { .. } => {
                Some("the snapshot of the thread shows what ran inside its tasks".to_owned())
            }
            Self::AnsweredTwice { .. } => Some("answer each question once".to_owned()),
        }
    }
}

/// Returns the text of an error followed by its causes, as `error: cause: cause`. A cause that the text so
/// far already ends with is left out.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| match cause.to_string() {
        cause if text.ends_with(&cause) => text,
        cause => format!("{text}: {cause}"),
    })
}

fn list_candidates(names: &[String]) -> String {
    if names.is_empty() { "it has no writer".to_owned() } else { names.join(", ") }
}

fn item_suffix(item: Option<&FailedItem>) -> String {
    item.map(|FailedItem { index, text }| format!(" (item {index}: {text})")).unwrap_or_default()
}

fn attempts_suffix(attempts: u32) -> String {
    if attempts == 1 { String::new() } else { format!(" after {attempts} attempts") }
}
