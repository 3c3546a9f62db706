//! The contract of whoever keeps checkpoints: claims, appends, reads, removals. Knows no store; the stores are in `crate::store`, and
//! what they keep is in `checkpoint.rs`.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, Rare, Record, Remembered, TaskRecord};
use super::commit::Commit;
use super::id::{Digest, QuestionId, Seq, ThreadId};
use super::store_error::StoreError;

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
#[non_exhaustive]
pub struct HistoryQuery {
    /// Only those older than this one.
    pub before: Option<Seq>,
    /// At most so many; all when none.
    pub limit: Option<usize>,
}

impl HistoryQuery {
    /// Lists only checkpoints older than this one.
    #[must_use]
    pub fn before(mut self, checkpoint: impl Into<Option<Seq>>) -> Self {
        self.before = checkpoint.into();
        self
    }

    /// Lists at most so many, the newest first.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<usize>>) -> Self {
        self.limit = limit.into();
        self
    }
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
    /// What is wrong with the thread, as far as the listing has seen: then all else is of the newest checkpoint that can be read, and of
    /// a thread without any `graph` is empty and `head` 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// Which checkpoints of a thread to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// The newest so many, at least 1. The oldest one kept gets a snapshot when it has none.
    pub keep_last: usize,
}

impl Retention {
    /// Keeps the newest so many checkpoints, at least 1.
    pub fn keep_last(checkpoints: usize) -> Self {
        Self { keep_last: checkpoints }
    }
}

/// What was removed by a prune.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Checkpoints removed.
    pub checkpoints: usize,
    /// Bytes given back.
    pub bytes: u64,
}

/// A whole state, made of a chain.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The state.
    pub state: Box<RawValue>,
    /// The schema that it is written with: that of the graph which made it, whatever the chain was written with.
    pub schema: Digest,
}

/// Folds a chain of checkpoints into the state at its end. Given to stores by the engine where they must make a snapshot
/// themselves (prune), so that no store knows a state's type.
pub type Rebuild<'a> = &'a (dyn Fn(&[Arc<Checkpoint>]) -> Result<Whole, StoreError> + Send + Sync);

/// The last of a chain as a checkpoint that needs none before it: with its whole state, and what is remembered of sub-graphs. For stores
/// that remove what came before.
pub fn rooted(chain: &[Arc<Checkpoint>], rebuild: Rebuild<'_>) -> Result<Checkpoint, StoreError> {
    let mut root = Checkpoint::clone(chain.last().expect("a chain ends with its tip"));
    if root.snapshot.is_none() {
        let Whole { state, schema } = rebuild(chain)?;
        let rare = chain.iter().filter_map(|checkpoint| checkpoint.rare.as_ref());
        let all: BTreeMap<&Arc<str>, &Remembered> =
            rare.flat_map(|rare| &rare.remembered).map(|inner| (&inner.node, inner)).collect();
        let rare = Rare {
            remembered: all.into_values().cloned().collect(),
            snapshot_schema: (schema != root.schema).then_some(schema),
            ..root.rare.map(|rare| *rare).unwrap_or_default()
        };
        (root.snapshot, root.rare) = (Some(state), rare.or_none());
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

    /// The threads whose ids begin so, sorted. A store that has to look into threads for [`threads`](Self::threads) does not do so here;
    /// so one that has no checkpoint yet may be among them.
    fn ids<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<ThreadId>, StoreError>> {
        Box::pin(async move {
            let threads = self.threads().await?.into_iter().map(|summary| summary.thread);
            Ok(threads.filter(|thread| thread.as_str().starts_with(prefix)).collect())
        })
    }

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
