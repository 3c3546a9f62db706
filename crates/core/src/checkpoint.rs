//! The records that a run writes to the log of its thread. Knows no store; `contract.rs` has the traits of stores.
//!
//! A thread is a log of [`Record`]s. A [`Checkpoint`] is one committed superstep: the updates of its tasks (the delta against its parent),
//! the tasks of the next superstep, and from time to time a snapshot of the whole state. A [`TaskRecord`] belongs to a superstep that is
//! still in progress: a journaled call, a question, an answer or the finished update of one task.
//!
//! Snapshots have geometric distances: the engine writes one as soon as the deltas since the last are as long as that snapshot. Therefore a
//! log is at most three times as long as its deltas, and loading reads at most twice the state (parity P1, D14).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::id::{CheckpointId, Digest, Namespace, QuestionId, Seq, TaskId, ThreadId, deserialize_shared};
use super::reduce::present;

/// The record format that this version writes. A store rejects records of a newer format.
pub const FORMAT: u32 = 1;

/// One entry of a thread's log. Entries stand in the order in which the store acknowledged them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A committed superstep.
    Checkpoint(Arc<Checkpoint>),
    /// A record of one task of the superstep in progress.
    Task(TaskRecord),
}

/// One committed superstep; or the input of a run, an update from outside, or a fork.
///
/// The state at a checkpoint is its [`snapshot`](Self::snapshot), or else the state of its parent with the [`writes`](Self::writes) folded
/// in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the record format; see [`FORMAT`].
    pub format: u32,
    /// Position in the thread's log.
    pub seq: Seq,
    /// The checkpoint that this one continues; `None` for the first of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Seq>,
    /// The sub-graph that wrote it; the root for the outermost graph.
    #[serde(default, skip_serializing_if = "Namespace::is_root")]
    pub namespace: Namespace,
    /// Number of the run that wrote it, from 1. Every run, resume, update and fork of the thread counts.
    #[serde(default = "first_run", skip_serializing_if = "is_first_run")]
    pub run: u64,
    /// Number of supersteps that this run had done; 0 for its input.
    pub step: u64,
    /// Cause of the checkpoint.
    pub source: Source,
    /// Time of the commit by the run's clock, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// Name of the graph.
    #[serde(deserialize_with = "deserialize_shared")]
    pub name: Arc<str>,
    /// Digest of the graph's topology.
    pub graph: Digest,
    /// Fingerprint of the state's schema.
    pub schema: Digest,
    /// The updates of this superstep, in task order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Write>,
    /// The whole state after the writes; `None` where readers fold it from earlier checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<RawValue>>,
    /// The tasks of the next superstep, in task order; empty when the run is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<PlannedTask>,
    /// The joins that at least one source has reached since their target last ran. A join that all sources have reached stays here until
    /// its target, which is then in `next` or deferred, has run; earlier versions left such a join out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<JoinProgress>,
    /// The fields that few checkpoints need; `None` where all of them are empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare: Option<Box<RareParts>>,
}

fn first_run() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first_run(run: &u64) -> bool {
    *run == 1
}

/// The fields of a [`Checkpoint`] that few checkpoints need. They are in a box of their own, so that the
/// other checkpoints stay small.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RareParts {
    /// Deferred nodes that an edge or route has reached. They run when no other task is left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Arc<str>>,
    /// In a sub-graph that has ended: the nodes of the outer graph that run next, because a task chose them
    /// with `goto_parent`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves_to: Vec<Arc<str>>,
    /// The states that sub-graphs start their next call with: of those that ended in this superstep, or of all in a checkpoint with a
    /// snapshot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<SubgraphState>,
    /// The earlier records of tasks that are still planned after an update from outside made this checkpoint: their questions, answers and
    /// journals. They are part of the checkpoint so that a crash keeps both or neither. Readers see them before the later records of the
    /// same tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<TaskRecord>,
    /// Schema of the snapshot where another version of the graph added it later; `None` when it is the schema of the checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_schema: Option<Digest>,
}

/// The state at the end of the last call of a sub-graph that is kept per thread; the next call of its node
/// starts with it (F60).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SubgraphState {
    /// The node.
    pub node: Arc<str>,
    /// The state, as JSON.
    pub state: Box<RawValue>,
}

impl RareParts {
    /// Returns the fields in a box; `None` when all are empty.
    pub(crate) fn or_none(self) -> Option<Box<Self>> {
        let Self { deferred, leaves_to, remembered, carried, snapshot_schema } = &self;
        let nothing =
            deferred.is_empty() && leaves_to.is_empty() && remembered.is_empty() && carried.is_empty();
        let says = !nothing || snapshot_schema.is_some();
        says.then(|| Box::new(self))
    }
}

/// The cause of a checkpoint (LangGraph F40).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The input of a run.
    Input,
    /// A superstep.
    Loop,
    /// An update from outside.
    Update,
    /// A continuation of an older checkpoint.
    Fork,
}

/// The update of one task in a checkpoint, or an update from outside.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Write {
    /// The node that ran; `START` for a write from outside.
    #[serde(deserialize_with = "deserialize_shared")]
    pub node: Arc<str>,
    /// The update, as the state's update type serialises it.
    pub update: Box<RawValue>,
}

/// A task that the next superstep runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlannedTask {
    /// The node.
    #[serde(deserialize_with = "deserialize_shared")]
    pub node: Arc<str>,
    /// The item of a fan-out task; `None` for a task that an edge led to.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub item: Option<Box<RawValue>>,
}

/// The progress of one join in a checkpoint: the sources that have run since its target last ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinProgress {
    /// The target of the join.
    pub node: Arc<str>,
    /// Number of the join among those of its target, in the order of declaration.
    pub join: u32,
    /// The sources that have arrived, in the join's order.
    pub arrived: Vec<Arc<str>>,
}

/// An event of one task, recorded before its superstep is committed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The task; `task.base` is the checkpoint that planned it.
    pub task: TaskId,
    /// The event.
    pub entry: TaskEntry,
}

/// The kinds of events in a [`TaskRecord`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEntry {
    /// The result of a call of [`Cx::once`](super::Cx::once).
    Once {
        /// The key that the node chose.
        key: Arc<str>,
        /// The result.
        value: Box<RawValue>,
        /// The keys of the graphs that ended inside the work. Their logs are not read again, because the result is known.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inner: Vec<Arc<str>>,
    },
    /// A question, from [`Cx::interrupt`](super::Cx::interrupt).
    Asked(AskedQuestion),
    /// An answer that does not have the type that the node expects; the question is open again.
    Rejected {
        /// Number of the question among those of the task, from 0.
        call: u32,
    },
    /// The answer to a question. It replaces earlier answers to the same question.
    Answered {
        /// Number of the question among those of the task, from 0.
        call: u32,
        /// The answer.
        answer: Box<RawValue>,
    },
    /// The end of a task that succeeded while a sibling failed, waits or still runs.
    Finished {
        /// Its update; `None` when it wrote nothing.
        update: Option<Box<RawValue>>,
        /// Schema of the update; `None` when it is the schema of the checkpoint that planned the task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Digest>,
        /// The nodes that it chose by `goto`; `None` when it chose none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goto: Option<Vec<Arc<str>>>,
        /// The tasks that it dispatched.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dispatch: Vec<PlannedTask>,
        /// Tells if the route of the task replaces the edges of its node.
        #[serde(default, skip_serializing_if = "Edges::are_followed")]
        edges: Edges,
        /// The nodes of the outer graph that it chose with `goto_parent`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parent: Vec<Arc<str>>,
        /// The state that its sub-graph starts the next call with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remember: Option<Box<RawValue>>,
    },
    /// The end of a task that failed after its last attempt.
    Failed {
        /// The error, as shown to the user.
        error: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// The end of a task whose error handler takes over after the last attempt. Every resume then runs the handler, not the node (F33).
    Caught {
        /// The error, as shown to the user.
        error: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// A stop at a breakpoint before this task and its siblings. The next run passes that breakpoint (F56).
    Paused,
    /// A record of a graph that runs inside the task.
    #[serde(with = "inner_record")]
    Inner {
        /// Distinguishes several graphs inside one task; empty for a node that is a sub-graph.
        key: Arc<str>,
        /// The record in the log of that graph.
        record: Box<Record>,
    },
}

/// A question that a task asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// Number of the question among those of the task, from 0.
    pub call: u32,
    /// The question, as JSON.
    pub question: Box<RawValue>,
    /// JSON Schema of the answer; `None` when any JSON is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
    /// The answer to an earlier question in the same place. It was dropped because the question has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub dropped_answer: Option<Box<RawValue>>,
    /// The question inside the task that this one stands for, when a graph inside the task asked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<InnerQuestion>,
}

/// A reference to a question that a graph inside a task asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerQuestion {
    /// The key of that graph.
    pub key: Arc<str>,
    /// The id of its question, in the log of that graph.
    pub id: QuestionId,
}

/// The effect of the route that a task chose on the declared edges of its node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edges {
    /// The edges are followed as well.
    #[default]
    Followed,
    /// The targets of the route run instead of those of the edges.
    Replaced,
}

impl Edges {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
    fn are_followed(&self) -> bool {
        *self == Self::Followed
    }
}

/// Returns the questions in `records` that have no accepted answer, in the order in which they were asked.
pub fn open_questions(records: &[TaskRecord]) -> Vec<QuestionId> {
    let mut open = Vec::new();
    for record in records {
        let id = |call| QuestionId { task: record.task, call };
        match &record.entry {
            TaskEntry::Asked(AskedQuestion { call, .. }) | TaskEntry::Rejected { call } => {
                if !open.contains(&id(*call)) {
                    open.push(id(*call));
                }
            }
            TaskEntry::Answered { call, .. } => open.retain(|question| *question != id(*call)),
            TaskEntry::Once { .. }
            | TaskEntry::Finished { .. }
            | TaskEntry::Failed { .. }
            | TaskEntry::Caught { .. }
            | TaskEntry::Paused
            | TaskEntry::Inner { .. } => {}
        }
    }
    open
}

/// Returns the newest version of each open question in `records`, in the order in which they were first asked.
pub(crate) fn open_question_records(records: &[TaskRecord]) -> Vec<(QuestionId, &AskedQuestion)> {
    let last = |id: QuestionId| {
        records.iter().rev().find_map(|record| match &record.entry {
            TaskEntry::Asked(asked) if record.task == id.task && asked.call == id.call => Some((id, asked)),
            _ => None,
        })
    };
    open_questions(records).into_iter().filter_map(last).collect()
}

/// Returns the last `Finished` or `Failed` record of each task, in task order. Tasks that asked or were answered after it are left out.
pub(crate) fn last_end_records(records: &[TaskRecord]) -> BTreeMap<TaskId, &TaskEntry> {
    let mut ends = BTreeMap::new();
    for TaskRecord { task, entry } in records {
        match entry {
            TaskEntry::Finished { .. } | TaskEntry::Failed { .. } => {
                ends.insert(*task, entry);
            }
            // The task runs again after these.
            TaskEntry::Asked(_) | TaskEntry::Answered { .. } => {
                ends.remove(task);
            }
            TaskEntry::Once { .. }
            | TaskEntry::Rejected { .. }
            | TaskEntry::Caught { .. }
            | TaskEntry::Paused
            | TaskEntry::Inner { .. } => {}
        }
    }
    ends
}

impl Checkpoint {
    /// Returns the size of its updates as JSON text, in bytes.
    pub(crate) fn written_bytes(&self) -> usize {
        self.writes.iter().map(|write| write.update.get().len()).sum()
    }

    /// Returns the size of its updates and its snapshot as JSON text, in bytes.
    pub fn text_bytes(&self) -> usize {
        self.written_bytes() + self.snapshot.as_ref().map_or(0, |state| state.get().len())
    }

    /// Returns the id of the checkpoint in this thread.
    pub fn id(&self, thread: &ThreadId) -> CheckpointId {
        CheckpointId { thread: thread.clone(), seq: self.seq }
    }

    /// Returns the task records that the checkpoint took over from the one before it; empty for most. See
    /// [`RareParts::carried`].
    pub fn carried_records(&self) -> &[TaskRecord] {
        self.rare.as_ref().map_or(&[], |rare| &rare.carried)
    }

    /// Returns the fingerprint of the state type that its snapshot was written with.
    pub fn snapshot_schema(&self) -> Digest {
        self.rare.as_ref().and_then(|rare| rare.snapshot_schema).unwrap_or(self.schema)
    }
}

/// The JSON form of [`TaskEntry::Inner`], the records of graphs inside tasks.
mod inner_record {
    use std::sync::Arc;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Record, TaskEntry, TaskRecord};
    use crate::id::TaskId;
    use crate::nesting::NESTING_MAX;

    /// One graph on the path to a deeper one: the task that it runs in, and its key there.
    #[derive(Serialize, Deserialize)]
    struct PathStep {
        task: TaskId,
        #[serde(default, skip_serializing_if = "str::is_empty")]
        key: Arc<str>,
    }

    /// [`TaskEntry::Inner`] as it is stored: the record of the innermost graph with the path to it, so that the depth of the JSON does not rise
    /// with the depth of the graphs. Earlier versions stored no path and wrapped each level in the next.
    #[derive(Deserialize)]
    struct StoredInner {
        #[serde(default)]
        key: Arc<str>,
        #[serde(default)]
        path: Vec<PathStep>,
        record: Box<Record>,
    }

    #[derive(Serialize)]
    struct StoredInnerRef<'a> {
        #[serde(skip_serializing_if = "str::is_empty")]
        key: &'a Arc<str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        path: Vec<PathStep>,
        record: &'a Record,
    }

    /// Serializes a record of a graph inside a task: the innermost record, with the path of tasks and keys to
    /// it.
    pub(super) fn serialize<S: Serializer>(
        key: &Arc<str>,
        record: &Record,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let (mut path, mut innermost) = (Vec::new(), record);
        while let Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } }) = innermost {
            path.push(PathStep { task: *task, key: key.clone() });
            innermost = record;
        }
        StoredInnerRef { key, path, record: innermost }.serialize(to)
    }

    /// Deserializes a record of a graph inside a task, stored with a path or, by earlier versions, level by
    /// level. Fails for more than [`NESTING_MAX`] levels.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<(Arc<str>, Box<Record>), D::Error> {
        let StoredInner { key, path, record } = StoredInner::deserialize(from)?;
        if path.len() > NESTING_MAX {
            let depth = path.len();
            return Err(D::Error::custom(format!(
                "a record inside {depth} graphs; the most is {NESTING_MAX}"
            )));
        }
        let wrapped = path.into_iter().rev().fold(record, |record, PathStep { task, key }| {
            Box::new(Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } }))
        });
        Ok((key, wrapped))
    }
}
