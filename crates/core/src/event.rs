//! What can be watched while a graph runs: one event type for every subscriber, the command line's `--json` and the server.

use std::borrow::Cow;
use std::ops::BitOr;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use tokio::sync::mpsc::UnboundedSender;

use super::checkpoint::Source;
use super::error::{RunError, with_causes};
use super::id::{CheckpointId, Namespace, QuestionId, TaskId, ThreadId};
use super::reduce::present;

/// Something that happened in a run. Read back, it is an event of the same text.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Rises from 1 with the events of a run. Where it jumps, there were events of kinds that the subscriber did not choose.
    pub seq: u64,
    /// The thread, if the run has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<ThreadId>,
    /// The sub-graph.
    #[serde(skip_serializing_if = "Namespace::is_root")]
    pub namespace: Namespace,
    /// The superstep: 0 before the first.
    pub step: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// Declares [`EventKind`] once for both ways through JSON. Derived reading of an internally tagged enum goes through a buffer that
/// cannot hold [`RawValue`], so each kind is read from the text by a struct with the same fields.
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
        enum Name { $($kind,)* }

        impl EventKind {
            fn read(name: &Name, text: &str) -> serde_json::Result<Self> {
                Ok(match name {
                    $(Name::$kind => {
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
    /// The run starts or goes on.
    RunStarted {
        /// The graph.
        graph: String,
        /// Which run of the thread it is, from 1: the number that its checkpoints have.
        run: u64,
    },
    /// An attempt of a task starts (LangGraph F65). What it reads is the state of the newest [`Values`](Self::Values).
    TaskStarted {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The attempt, from 1.
        attempt: u32,
        /// What the task was dispatched with; none where an edge led to it.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        item: Option<Box<RawValue>>,
    },
    /// An attempt failed and is made again after a wait.
    TaskRetried {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The part of the task that is tried again, such as `3.` for the fourth item of a `map`; none for the whole task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Why.
        error: String,
        /// The wait before the next, in milliseconds.
        wait_ms: u64,
    },
    /// A task finished. What it wrote is in the [`Updates`](Self::Updates) of the same task.
    TaskFinished {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
    },
    /// The task's result is one that was kept (LangGraph F37); it finishes with that.
    TaskCached {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
    },
    /// A task failed for good, and its error handler takes over.
    TaskCaught {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// Why.
        error: String,
        /// How many attempts were made.
        attempts: u32,
        /// The kind of the handler, such as `set` of a graph file; none where it is a function.
        #[serde(skip_serializing_if = "Option::is_none")]
        handler: Option<String>,
    },
    /// A task failed for good.
    TaskFailed {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// Why.
        error: String,
        /// How many attempts were made.
        attempts: u32,
    },
    /// What a finished task wrote; `null` for nothing (LangGraph F64). In the order in which tasks finish.
    Updates {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// Its update.
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
        /// The checkpoint that it continues; none for the first of a thread.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<CheckpointId>,
        /// What made it.
        source: Source,
        /// The nodes that run next: the n-th, from 0, is the task `seq.n` of this checkpoint.
        next: Vec<String>,
    },
    /// A piece of a message: of a model's text, as it comes (LangGraph F68). See [`MessageStream`](super::MessageStream).
    Message {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The message: the same for all its pieces, and the id that it has in the state when it is whole.
        message: String,
        /// The characters of the message before this piece. 0 begins it anew: what came of it before does not count.
        at: u64,
        /// The text.
        text: String,
    },
    /// What a node wanted to say.
    Custom {
        /// The node.
        node: String,
        /// A name that the node chose.
        name: String,
        /// The rest.
        data: Box<RawValue>,
    },
    /// A task waits for an answer.
    Asked {
        /// The node.
        node: String,
        /// The task.
        task: TaskId,
        /// The id to answer to.
        question: QuestionId,
        /// What is asked.
        payload: Box<RawValue>,
        /// The JSON Schema of the answer, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        schema: Option<Box<RawValue>>,
        /// The answer to an earlier question in its place: dropped, because the question has changed since.
        #[serde(skip_serializing_if = "Option::is_none")]
        dropped_answer: Option<Box<RawValue>>,
    },
    /// A question of the thread is dropped, since this run starts over (LangGraph F57). It can no longer be answered.
    QuestionDropped {
        /// The node that asked.
        node: String,
        /// The id that it had.
        question: QuestionId,
        /// What was asked.
        payload: Box<RawValue>,
    },
    /// The run ended.
    RunFinished {
        /// `done`, `waiting`, `paused`, `drained`, `cancelled` or `failed`.
        status: Cow<'static, str>,
        /// Why, where it failed or was cancelled.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<RunFailure>,
        /// What the thread took so far, where the state counts it: see [`State::spent`](super::State::spent).
        #[serde(skip_serializing_if = "Option::is_none")]
        spent: Option<serde_json::Value>,
    },
}

/// A [`RunError`] as subscribers see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFailure {
    /// The kind of the error: see [`RunError::kind`].
    pub kind: String,
    /// The error with its causes.
    pub text: String,
    /// What the user can do about it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The node that failed, where it was a node.
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

/// A set of event kinds to subscribe to. The events of the run itself always come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventKinds(u8);

impl EventKinds {
    /// Start and end of the run only.
    pub const RUN: Self = Self(0);
    /// The state after each superstep.
    pub const VALUES: Self = Self(1);
    /// What each task wrote.
    pub const UPDATES: Self = Self(2);
    /// Start, retry, end and failure of tasks, and their questions.
    pub const TASKS: Self = Self(4);
    /// Checkpoints.
    pub const CHECKPOINTS: Self = Self(8);
    /// Text of models as it comes.
    pub const MESSAGES: Self = Self(16);
    /// What nodes emit.
    pub const CUSTOM: Self = Self(32);
    /// Everything.
    pub const ALL: Self = Self(63);

    /// Whether all of `other` is in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl<'de> Deserialize<'de> for EventKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            event: Name,
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
            event: Name,
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
    /// The set that it belongs to.
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
            Self::Checkpoint { .. } => EventKinds::CHECKPOINTS,
            Self::Message { .. } => EventKinds::MESSAGES,
            Self::Custom { .. } => EventKinds::CUSTOM,
        }
    }
}

/// Where a run sends its events; nothing is built for kinds that nobody chose.
pub(crate) struct EventSink {
    to: UnboundedSender<Event>,
    pub(crate) kinds: EventKinds,
    /// Locked while an event is sent, so that the events of tasks on several threads come in the order of their numbers. Graphs
    /// inside tasks count on.
    seq: Arc<Mutex<u64>>,
    thread: Option<ThreadId>,
    namespace: Namespace,
}

impl EventSink {
    pub(crate) fn new(to: UnboundedSender<Event>, kinds: EventKinds, thread: Option<ThreadId>) -> Self {
        Self { to, kinds, seq: Arc::default(), thread, namespace: Namespace::ROOT }
    }

    /// The same for a graph inside a task.
    pub(crate) fn inside(&self, namespace: Namespace) -> Self {
        let Self { to, kinds, seq, thread, .. } = self;
        Self { to: to.clone(), kinds: *kinds, seq: seq.clone(), thread: thread.clone(), namespace }
    }

    /// Sends what `build` makes, if somebody chose its kind.
    pub(crate) fn send(&self, group: EventKinds, step: u64, build: impl FnOnce() -> EventKind) {
        let mut seq = self.seq.lock().unwrap_or_else(PoisonError::into_inner);
        *seq += 1;
        if self.kinds.contains(group) {
            let event = Event {
                seq: *seq,
                thread: self.thread.clone(),
                namespace: self.namespace.clone(),
                step,
                kind: build(),
            };
            // A subscriber that has gone away wants nothing more.
            let _ = self.to.send(event);
        }
    }
}
