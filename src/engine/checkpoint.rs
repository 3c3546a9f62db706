//! What a run leaves behind, and the contract of whoever keeps it. Knows no store; the stores are in `crate::store`.
//!
//! A thread is a log of [`Record`]s. A [`Checkpoint`] is one committed superstep: what its tasks wrote (the delta against its
//! parent), what runs next, and now and then a snapshot of the whole state. A [`TaskRecord`] is what one task of the next
//! superstep already left while that superstep is still under way: a journaled call, a question, an answer, a finished update.
//!
//! Snapshots stand at geometric distances: the engine adds one as soon as the deltas since the last are as long as it was.
//! So a log is at most three times its deltas, and loading reads at most twice the state (parity P1, D14).

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::commit::Commit;
use super::id::{CheckpointId, Digest, Namespace, QuestionId, Seq, TaskId, ThreadId};
use super::store_error::StoreError;

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
    /// Joins that some, not all, of their sources have reached.
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
        let Self { deferred, leaves_to, remembered } = &self;
        let says = !(deferred.is_empty() && leaves_to.is_empty() && remembered.is_empty());
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
    pub node: Arc<str>,
    /// Its update, as the state's update type serialises it.
    pub update: Box<RawValue>,
}

/// A task that the next superstep runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlannedTask {
    /// The node.
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
    Inner {
        /// Tells several such graphs apart; empty for a node that is a sub-graph.
        #[serde(default, skip_serializing_if = "str::is_empty")]
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

    /// The checkpoint's id, given its thread.
    pub fn id(&self, thread: &ThreadId) -> CheckpointId {
        CheckpointId { thread: thread.clone(), seq: self.seq }
    }
}

/// How far a record must have come before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// It survives the end of the process.
    Lazy,
    /// It survives a power cut, and so does everything appended before it.
    Synced,
}

/// The answer to an append: done, or under way.
pub enum Ack {
    /// Acknowledged.
    Done,
    /// To be awaited. Dropping it does not undo the append.
    Pending(Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + Sync>>),
}

impl Ack {
    /// Waits for the acknowledgement.
    pub async fn wait(self) -> Result<(), StoreError> {
        match self {
            Self::Done => Ok(()),
            Self::Pending(ack) => ack.await,
        }
    }
}

/// The exclusive right to append to one thread, held for the length of a run and given back when dropped.
pub trait ThreadWriter: Send + Sync {
    /// The newest checkpoint of the thread when it was claimed, moved by every append of a checkpoint.
    fn head(&self) -> Option<Seq>;

    /// Appends a record, in order. A checkpoint must carry the position after [`head`](Self::head).
    ///
    /// The append is a compare-and-swap: if anybody else has written to the thread since this writer's last append (its claim
    /// was lost, or the file was replaced), the call fails with [`StoreError::Conflict`] and nothing is written.
    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError>;

    /// Appends a checkpoint that nobody owns yet; the same as [`append`](Self::append) of it. A store that keeps checkpoints
    /// in a form of its own saves the way round.
    fn commit(&self, commit: &Commit<'_>, flush: Flush) -> Result<Ack, StoreError> {
        self.append(Record::Checkpoint(Arc::new(commit.to_checkpoint())), flush)
    }
}

/// A checkpoint with what is needed to rebuild its state.
#[derive(Debug, Clone)]
pub struct Lineage {
    /// From the nearest ancestor with a snapshot (or the root) to the checkpoint asked for, oldest first; never empty.
    pub chain: Vec<Arc<Checkpoint>>,
    /// What the tasks planned by the last of the chain left, in log order.
    pub tasks: Vec<TaskRecord>,
}

impl Lineage {
    /// The checkpoint that was asked for.
    pub fn tip(&self) -> &Arc<Checkpoint> {
        self.chain.last().expect("a lineage holds at least the checkpoint asked for")
    }
}

/// Which checkpoints to list.
#[derive(Debug, Clone, Default)]
pub struct HistoryQuery {
    /// Only those older than this one.
    pub before: Option<Seq>,
    /// At most so many; all when none.
    pub limit: Option<usize>,
}

/// A checkpoint in a listing, with what its tasks left.
#[derive(Debug, Clone)]
pub struct HistoryEntry {
    /// The checkpoint.
    pub checkpoint: Arc<Checkpoint>,
    /// What the tasks planned by it left before their superstep was committed, in log order.
    pub tasks: Vec<TaskRecord>,
}

/// One thread in a listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadSummary {
    /// The thread.
    pub thread: ThreadId,
    /// The graph that wrote its newest checkpoint.
    pub graph: Arc<str>,
    /// Its newest checkpoint.
    pub head: Seq,
    /// When that was written, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// The nodes that run next; empty when the thread is done.
    pub next: Vec<Arc<str>>,
    /// Questions without an answer.
    pub open_questions: Vec<QuestionId>,
}

/// Which checkpoints of a thread to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The newest so many, at least 1. The oldest one kept gets a snapshot when it has none.
    pub keep_last: usize,
}

/// What was removed by a prune.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Checkpoints removed.
    pub checkpoints: usize,
    /// Bytes given back.
    pub bytes: u64,
}

/// Folds a chain of checkpoints into the state at its end. Given to stores by the engine where they must make a snapshot
/// themselves (prune), so that no store knows a state's type.
pub type Rebuild<'a> = &'a (dyn Fn(&[Arc<Checkpoint>]) -> Result<Box<RawValue>, StoreError> + Send + Sync);

/// The last of a chain as a checkpoint that needs none before it: with its whole state, and what is remembered of sub-graphs. For stores
/// that remove what came before.
pub fn rooted(chain: &[Arc<Checkpoint>], rebuild: Rebuild<'_>) -> Result<Checkpoint, StoreError> {
    let mut root = Checkpoint::clone(chain.last().expect("a chain ends with its tip"));
    if root.snapshot.is_none() {
        root.snapshot = Some(rebuild(chain)?);
        let rare = chain.iter().filter_map(|checkpoint| checkpoint.rare.as_ref());
        let all: BTreeMap<&Arc<str>, &Remembered> =
            rare.flat_map(|rare| &rare.remembered).map(|inner| (&inner.node, inner)).collect();
        if !all.is_empty() {
            let remembered = all.into_values().cloned().collect();
            root.rare =
                Some(Box::new(Rare { remembered, ..root.rare.map(|rare| *rare).unwrap_or_default() }));
        }
    }
    root.parent = None;
    Ok(root)
}

/// Keeps threads. Implementations pass the conformance suite in the integration tests.
///
/// Reading never needs a claim: a thread can be looked at while another process runs it, and shows its last acknowledged state.
pub trait CheckpointStore: Send + Sync + 'static {
    /// Where it keeps its threads, for messages: `memory`, or the folder.
    fn place(&self) -> String;

    /// Claims a thread, new or existing, for writing. Fails with [`StoreError::Busy`] while another run holds it.
    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>>;

    /// The checkpoint at `seq` (the newest when none) with its lineage; none when the thread, or that checkpoint, does not exist.
    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>>;

    /// The checkpoints of a thread, newest first.
    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>>;

    /// All threads, sorted by id.
    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>>;

    /// Removes a thread and gives its space back. Fails while a run holds it; a thread that does not exist is no error.
    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Copies a thread with its history under a new id, which must not exist.
    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Removes the checkpoints of one run of a thread, and gives their space back (LangGraph F50). What went on from them gets a
    /// snapshot. Fails while a run holds the thread, and with [`StoreError::NewestRun`] for the run that wrote the newest checkpoint:
    /// the positions of a thread are never used twice.
    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>>;

    /// Removes old checkpoints and gives their space back. Fails while a run holds the thread.
    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>>;
}
