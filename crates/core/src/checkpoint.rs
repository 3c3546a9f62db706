//! What a run leaves behind. Knows no store; what one has to do with it is in `contract.rs`.
//!
//! A thread is a log of [`Record`]s. A [`Checkpoint`] is one committed superstep: what its tasks wrote (the delta against its
//! parent), what runs next, and now and then a snapshot of the whole state. A [`TaskRecord`] is what one task of the next
//! superstep already left while that superstep is still under way: a journaled call, a question, an answer, a finished update.
//!
//! Snapshots stand at geometric distances: the engine adds one as soon as the deltas since the last are as long as it was.
//! So a log is at most three times its deltas, and loading reads at most twice the state (parity P1, D14).

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::id::{CheckpointId, Digest, Namespace, QuestionId, Seq, TaskId, ThreadId, shared_text};

/// The number of the record format written by this version. A store refuses records with a larger one.
pub const FORMAT: u32 = 1;

/// One entry of a thread's log. Order in the log is the order in which things were acknowledged.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A committed superstep.
    Checkpoint(Arc<Checkpoint>),
    /// What a task of the superstep under way left.
    Task(TaskRecord),
}

/// One committed superstep, or the start of a run, an update from outside, a fork.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The record format, see [`FORMAT`].
    pub format: u32,
    /// The position in the thread's log.
    pub seq: Seq,
    /// The checkpoint that this one continues; none for the first of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Seq>,
    /// The sub-graph that wrote it.
    #[serde(default, skip_serializing_if = "Namespace::is_root")]
    pub namespace: Namespace,
    /// Which run of the thread wrote it, from 1: every run, resume, update and fork counts.
    #[serde(default = "first_run", skip_serializing_if = "is_first_run")]
    pub run: u64,
    /// How many supersteps of this run were done: 0 for its input.
    pub step: u64,
    /// What made it.
    pub source: Source,
    /// When, in milliseconds since 1970 (UTC), by the run's clock.
    pub at_ms: u64,
    /// The graph's name.
    #[serde(deserialize_with = "shared_text")]
    pub name: Arc<str>,
    /// The digest of the graph's topology.
    pub graph: Digest,
    /// The fingerprint of the state's schema.
    pub schema: Digest,
    /// The updates of this superstep, in task order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Write>,
    /// The whole state after the writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Box<RawValue>>,
    /// The tasks of the next superstep, in task order; empty when the run is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<PlannedTask>,
    /// Joins that sources have reached since their targets last ran. Of one that all have reached, the target is in `next` or deferred;
    /// earlier versions left such a join out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joins: Vec<JoinProgress>,
    /// What few checkpoints have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rare: Option<Box<Rare>>,
}

fn first_run() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first_run(run: &u64) -> bool {
    *run == 1
}

/// What few checkpoints have to say.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Rare {
    /// Deferred nodes that something has led to, and that wait until nothing else is left to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Arc<str>>,
    /// Of a sub-graph that has ended: where it sends the graph around it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leaves_to: Vec<Arc<str>>,
    /// The states that sub-graphs start with the next time: those that ended in this superstep, with a snapshot all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<Remembered>,
    /// What tasks that stay planned had left before an update from outside made this checkpoint: their questions, answers and journals.
    /// Part of the checkpoint, so that a crash keeps both or neither. Readers see it before the records of those tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<TaskRecord>,
    /// The schema of the snapshot, where that was made later than the checkpoint, by another version of the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_schema: Option<Digest>,
}

/// The state that the sub-graph of a node ended with (F60).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Remembered {
    /// The node.
    pub node: Arc<str>,
    /// The state.
    pub state: Box<RawValue>,
}

impl Rare {
    /// Nothing, when there is nothing to say.
    pub(crate) fn or_none(self) -> Option<Box<Self>> {
        let Self { deferred, leaves_to, remembered, carried, snapshot_schema } = &self;
        let nothing =
            deferred.is_empty() && leaves_to.is_empty() && remembered.is_empty() && carried.is_empty();
        let says = !nothing || snapshot_schema.is_some();
        says.then(|| Box::new(self))
    }
}

/// What made a checkpoint (LangGraph F40).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The input of a run.
    Input,
    /// A superstep.
    Loop,
    /// An update from outside.
    Update,
    /// A continuation from an older checkpoint.
    Fork,
}

/// What one task wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Write {
    /// The node that ran, or `START` for a write from outside.
    #[serde(deserialize_with = "shared_text")]
    pub node: Arc<str>,
    /// Its update, as the state's update type serialises it.
    pub update: Box<RawValue>,
}

/// A task that the next superstep runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlannedTask {
    /// The node.
    #[serde(deserialize_with = "shared_text")]
    pub node: Arc<str>,
    /// The payload of a fan-out task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Box<RawValue>>,
}

/// How far a waiting join has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinProgress {
    /// The node that waits.
    pub node: Arc<str>,
    /// Which of its joins, in the order of declaration.
    pub join: u32,
    /// The sources that have arrived, in the join's order.
    pub arrived: Vec<Arc<str>>,
}

/// What a task left before its superstep was committed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TaskRecord {
    /// The task; `task.base` is the checkpoint that planned it.
    pub task: TaskId,
    /// What it left.
    pub entry: TaskEntry,
}

/// The kinds of [`TaskRecord`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEntry {
    /// A result of `cx.once`.
    Once {
        /// The key the node chose.
        key: Arc<str>,
        /// The result.
        value: Box<RawValue>,
    },
    /// A question of `cx.interrupt`.
    Asked(Asked),
    /// An answer that is not of the type the question wants; the question is open again.
    Rejected {
        /// Which of the task's questions.
        call: u32,
    },
    /// The answer to a question. A later answer to the same question replaces it.
    Answered {
        /// Which of the task's questions.
        call: u32,
        /// The answer.
        answer: Box<RawValue>,
    },
    /// The task finished while a sibling failed, waits, or still runs.
    Finished {
        /// Its update, if it wrote anything.
        update: Option<Box<RawValue>>,
        /// The schema of the update, where the checkpoint that planned the task has that of another version of the graph.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        schema: Option<Digest>,
        /// Where it went by `goto`, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        goto: Option<Vec<Arc<str>>>,
        /// What it dispatched.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        dispatch: Vec<PlannedTask>,
        /// Whether it went there instead of where the edges of its node lead.
        #[serde(default, skip_serializing_if = "Edges::are_followed")]
        edges: Edges,
        /// Where it sends the graph around its own.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parent: Vec<Arc<str>>,
        /// The state that its sub-graph starts with the next time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        remember: Option<Box<RawValue>>,
    },
    /// The task failed for good.
    Failed {
        /// The error, as shown to the user.
        error: String,
        /// How many attempts were made.
        attempts: u32,
    },
    /// The task failed for good, and its error handler takes over: it runs, not the node, however often the run is resumed (F33).
    Caught {
        /// The error, as shown to the user.
        error: String,
        /// How many attempts were made.
        attempts: u32,
    },
    /// The run stopped at a breakpoint before this task and its siblings; the next one passes it (F56).
    Paused,
    /// A record of a graph that runs inside the task.
    #[serde(with = "inner_record")]
    Inner {
        /// Tells several such graphs apart; empty for a node that is a sub-graph.
        key: Arc<str>,
        /// The record of its log.
        record: Box<Record>,
    },
}

/// A question that a task asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Asked {
    /// Which of the task's questions.
    pub call: u32,
    /// The question.
    pub question: Box<RawValue>,
    /// The JSON Schema of its answer, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
    /// The answer that an earlier question in its place had. It was dropped, because the question has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_answer: Option<Box<RawValue>>,
    /// The question that it stands for, when a graph inside the task asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner: Option<InnerQuestion>,
}

/// A question of a graph inside a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InnerQuestion {
    /// The key of that graph.
    pub key: Arc<str>,
    /// Its question.
    pub id: QuestionId,
}

/// Whether the edges of a node count after one of its tasks went somewhere by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edges {
    /// They count as well.
    #[default]
    Followed,
    /// They do not.
    Replaced,
}

impl Edges {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a function of a reference")]
    fn are_followed(&self) -> bool {
        *self == Self::Followed
    }
}

/// The questions among these records that have no accepted answer, in the order they were asked.
pub fn open_questions(records: &[TaskRecord]) -> Vec<QuestionId> {
    let mut open = Vec::new();
    for record in records {
        let id = |call| QuestionId { task: record.task, call };
        match &record.entry {
            TaskEntry::Asked(Asked { call, .. }) | TaskEntry::Rejected { call } => {
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

/// The open questions of these records as they were asked last, in the order in which they were asked first.
pub(crate) fn open_asked(records: &[TaskRecord]) -> Vec<(QuestionId, &Asked)> {
    let last = |id: QuestionId| {
        records.iter().rev().find_map(|record| match &record.entry {
            TaskEntry::Asked(asked) if record.task == id.task && asked.call == id.call => Some((id, asked)),
            _ => None,
        })
    };
    open_questions(records).into_iter().filter_map(last).collect()
}

/// How each of these tasks ended when it last ran, if it did: with a `Finished` or a `Failed` record, in task order.
pub(crate) fn last_ends(records: &[TaskRecord]) -> BTreeMap<TaskId, &TaskEntry> {
    let mut ends = BTreeMap::new();
    for TaskRecord { task, entry } in records {
        match entry {
            TaskEntry::Finished { .. } | TaskEntry::Failed { .. } => {
                ends.insert(*task, entry);
            }
            // It runs, or ran, again.
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
    /// The text of its updates, in bytes.
    pub(crate) fn written_bytes(&self) -> usize {
        self.writes.iter().map(|write| write.update.get().len()).sum()
    }

    /// The text of its updates and its snapshot, in bytes.
    pub fn text_bytes(&self) -> usize {
        self.written_bytes() + self.snapshot.as_ref().map_or(0, |state| state.get().len())
    }

    /// The checkpoint's id, given its thread.
    pub fn id(&self, thread: &ThreadId) -> CheckpointId {
        CheckpointId { thread: thread.clone(), seq: self.seq }
    }

    /// What the tasks that it plans had left before it; see [`Rare::carried`].
    pub fn carried(&self) -> &[TaskRecord] {
        self.rare.as_ref().map_or(&[], |rare| &rare.carried)
    }

    /// The schema that its snapshot was written with.
    pub fn snapshot_schema(&self) -> Digest {
        self.rare.as_ref().and_then(|rare| rare.snapshot_schema).unwrap_or(self.schema)
    }
}

/// The stored form of the records of graphs inside tasks.
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

    /// Writes a record of a graph inside a task in the form of this version.
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

    /// Reads a record of a graph inside a task, in the form of this version or of earlier ones.
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
