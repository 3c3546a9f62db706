//! The events of a running graph: one type for all subscribers, the `--json` of the command line, and the server.

use std::borrow::Cow;
use std::ops::BitOr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::breakpoints::Breakpoint;
use super::checkpoint::Source;
use super::error::{RunError, with_causes};
use super::id::{CheckpointId, Namespace, QuestionId, Seq, TaskId, ThreadId};
use super::reduce::present;

/// An event of a run. It can be read back from its JSON, and then has the same JSON again.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use futures_util::StreamExt;
///
/// # fn main() { show(async {
/// let mut run = counter().compile()?.run(Count::default()).stream(EventKinds::UPDATES).await?;
/// let first = run.next().await.ok_or("a run starts")?;
/// let line = serde_json::to_string(&first)?;
/// assert_eq!(line, r#"{"seq":1,"step":0,"event":"run_started","graph":"count","run":1}"#);
/// let back: Event = serde_json::from_str(&line)?;
/// assert!(matches!(back.kind, EventKind::RunStarted { .. }));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Number of the event in its run, from 1. A gap means that there were events of kinds which the subscriber did not choose.
    pub seq: u64,
    /// The thread; `None` in a run without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The sub-graph; the root for the outermost graph.
    #[serde(skip_serializing_if = "Namespace::is_root")]
    pub namespace: Namespace,
    /// The superstep; 0 before the first.
    pub step: u64,
    /// The kind, with its fields.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Declares [`EventKind`] together with its deserialization. The derived deserialization of an internally tagged enum buffers the value,
/// and that buffer cannot hold a [`RawValue`]. Therefore each kind is read from the text by a struct with the same fields.
macro_rules! event_kinds {
    ($($(#[$about:meta])* $kind:ident { $($(#[$note:meta])* $field:ident: $type:ty,)* },)*) => {
        /// The kinds of [`Event`].
        #[derive(Debug, Clone, Serialize)]
        #[serde(tag = "event", rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum EventKind {
            $($(#[$about])* #[non_exhaustive] $kind { $($(#[$note])* $field: $type,)* },)*
        }

        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum KindName { $($kind,)* }

        impl EventKind {
            fn read(name: &KindName, text: &str) -> serde_json::Result<Self> {
                Ok(match name {
                    $(KindName::$kind => {
                        #[derive(Deserialize)]
                        #[allow(clippy::struct_field_names, reason = "a kind may be called like one of its fields")]
                        struct $kind { $($(#[$note])* $field: $type,)* }
                        let $kind { $($field),* } = serde_json::from_str(text)?;
                        Self::$kind { $($field),* }
                    })*
                })
            }
        }
    };
}

event_kinds! {
    /// The run starts or continues.
    RunStarted {
        /// The graph.
        graph: String,
        /// Number of the run among those of its thread, from 1. Its checkpoints have the same number.
        run: u64,
    },
    /// An attempt of a task starts (LangGraph F65). The task reads the state of the newest [`Values`](Self::Values).
    TaskStarted {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The attempt, from 1.
        attempt: u32,
        /// The item that the task was dispatched with; `None` where an edge led to it.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        item: Option<Box<RawValue>>,
    },
    /// An attempt failed, and another one follows after a wait.
    TaskRetried {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The retried part of the task, such as `3.` for the fourth item of a `map`; `None` for the whole task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// The error.
        error: String,
        /// The wait before the next attempt, in milliseconds.
        wait_ms: u64,
    },
    /// A task finished. Its update is in the [`Updates`](Self::Updates) of the same task.
    TaskFinished {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
    },
    /// A task took its result from the cache (LangGraph F37). It finishes with that result.
    TaskCached {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
    },
    /// A task failed after its last attempt, and its error handler takes over.
    TaskCaught {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The error.
        error: String,
        /// Number of attempts.
        attempts: u32,
        /// The kind of the handler, such as `set` of a graph file; `None` for a function.
        #[serde(skip_serializing_if = "Option::is_none")]
        handler: Option<String>,
    },
    /// A task failed after its last attempt.
    TaskFailed {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The error.
        error: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// The update of a finished task (LangGraph F64). These come in the order in which tasks finish.
    Updates {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The update; `null` when the task wrote nothing.
        update: Option<Box<RawValue>>,
    },
    /// The state after the input and after each superstep (LangGraph F63).
    Values {
        /// The state.
        state: Box<RawValue>,
    },
    /// A checkpoint was written (LangGraph F66). Its state is that of the newest [`Values`](Self::Values).
    Checkpoint {
        /// Its id.
        checkpoint: CheckpointId,
        /// The checkpoint that it continues; `None` for the first of a thread.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<CheckpointId>,
        /// The cause of the checkpoint.
        source: Source,
        /// The nodes that run next. The one at position n, from 0, is the task `seq.n` of this checkpoint.
        next: Vec<String>,
    },
    /// A graph inside a task wrote a checkpoint to its log (LangGraph F61). The positions count in the log of the namespace of the event:
    /// they are no checkpoints of the thread, and [`InnerStep`](super::InnerStep) takes them.
    InnerCheckpoint {
        /// Its position in the log, from 1.
        checkpoint: Seq,
        /// The position that it continues; `None` for the first of the log.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<Seq>,
        /// The cause of the checkpoint.
        source: Source,
        /// The nodes that run next. The one at position n, from 0, is the task `checkpoint.n` of the namespace.
        next: Vec<String>,
    },
    /// A piece of a message, such as a model's text while it is streamed (LangGraph F68). See [`MessageStream`](super::MessageStream).
    Message {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The id of the message: the same for all its pieces, and the id of the whole message in the state.
        message: String,
        /// Number of characters of the message before this piece. 0 starts the message anew: earlier pieces no longer count.
        at: u64,
        /// The text.
        text: String,
    },
    /// Data that a node sent with [`Cx::emit`](super::Cx::emit).
    Custom {
        /// The node.
        node: String,
        /// A name that the node chose.
        name: String,
        /// The data.
        data: Box<RawValue>,
    },
    /// A task of the outermost graph waits for an answer. A question of a graph inside the task is a question of the task: there is one
    /// event for it, with the id to answer to.
    Asked {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The id to answer to.
        question: QuestionId,
        /// The question.
        payload: Box<RawValue>,
        /// The JSON Schema of the answer; `None` when any JSON is accepted.
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Box<RawValue>>,
        /// The answer to an earlier question in the same place. It was dropped because the question has changed since.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        dropped_answer: Option<Box<RawValue>>,
    },
    /// A question of the thread is dropped because this run starts over (LangGraph F57). It can no longer be answered.
    QuestionDropped {
        /// The node that asked.
        node: String,
        /// The id of the question.
        question: QuestionId,
        /// The question.
        payload: Box<RawValue>,
    },
    /// The run ended.
    RunFinished {
        /// `done`, `waiting`, `paused`, `drained`, `cancelled` or `failed`.
        status: Cow<'static, str>,
        /// The error of a run that failed or was cancelled.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<RunFailure>,
        /// Number of pieces of messages and of emitted events that were dropped because the reader was too slow; left out if none was.
        #[serde(default, skip_serializing_if = "is_zero")]
        dropped: u64,
        /// The breakpoint at which a paused run stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        breakpoint: Option<Breakpoint>,
        /// The resources that the thread has spent so far; `None` when its state does not count them. See
        /// [`State::spent`](super::State::spent).
        #[serde(skip_serializing_if = "Option::is_none")]
        spent: Option<serde_json::Value>,
    },
}

/// A [`RunError`] in an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// The kind of error, from [`RunError::kind`].
    pub kind: String,
    /// The error with its causes.
    pub text: String,
    /// Advice for the user; `None` when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The node that failed; `None` when the error is not of a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl From<&RunError> for RunFailure {
    fn from(error: &RunError) -> Self {
        let node = match error {
            RunError::Node { node, .. } => Some(node.clone()),
            _ => None,
        };
        Self { kind: error.kind().to_owned(), text: with_causes(error), hint: error.hint(), node }
    }
}

/// A set of event kinds to subscribe to. The start and the end of the run are always sent.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use futures_util::StreamExt;
///
/// # fn main() { show(async {
/// let kinds = EventKinds::UPDATES | EventKinds::TASKS;
/// let run = counter().compile()?.run(Count::default()).stream(kinds).await?;
/// let updates = run.filter(|event| std::future::ready(matches!(event.kind, EventKind::Updates { .. })));
/// assert_eq!(updates.count().await, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKinds(u8);

impl EventKinds {
    /// Only the start and the end of the run.
    pub const RUN: Self = Self(0);
    /// The state after the input and after each superstep.
    pub const VALUES: Self = Self(1);
    /// The update of each task.
    pub const UPDATES: Self = Self(2);
    /// Start, retry, end and failure of tasks, and their questions.
    pub const TASKS: Self = Self(4);
    /// The checkpoints.
    pub const CHECKPOINTS: Self = Self(8);
    /// The pieces of messages.
    pub const MESSAGES: Self = Self(16);
    /// The events that nodes emit.
    pub const CUSTOM: Self = Self(32);
    /// All kinds.
    pub const ALL: Self = Self(63);

    /// Returns true when all kinds of `other` are in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            event: KindName,
        }
        let text = Box::<RawValue>::deserialize(from)?;
        let tag: Tag = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        Self::read(&tag.event, text.get()).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Head {
            seq: u64,
            thread: Option<ThreadId>,
            #[serde(default)]
            namespace: Namespace,
            step: u64,
            event: KindName,
        }
        let text = Box::<RawValue>::deserialize(from)?;
        let head: Head = serde_json::from_str(text.get()).map_err(D::Error::custom)?;
        let Head { seq, thread, namespace, step, event } = head;
        let kind = EventKind::read(&event, text.get()).map_err(D::Error::custom)?;
        Ok(Self { seq, thread, namespace, step, kind })
    }
}

impl BitOr for EventKinds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl EventKind {
    /// Returns the set that a subscriber chooses to get events of this kind.
    pub fn group(&self) -> EventKinds {
        match self {
            Self::RunStarted { .. } | Self::QuestionDropped { .. } | Self::RunFinished { .. } => {
                EventKinds::RUN
            }
            Self::TaskStarted { .. }
            | Self::TaskRetried { .. }
            | Self::TaskFinished { .. }
            | Self::TaskCached { .. }
            | Self::TaskCaught { .. }
            | Self::TaskFailed { .. }
            | Self::Asked { .. } => EventKinds::TASKS,
            Self::Updates { .. } => EventKinds::UPDATES,
            Self::Values { .. } => EventKinds::VALUES,
            Self::Checkpoint { .. } | Self::InnerCheckpoint { .. } => EventKinds::CHECKPOINTS,
            Self::Message { .. } => EventKinds::MESSAGES,
            Self::Custom { .. } => EventKinds::CUSTOM,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
