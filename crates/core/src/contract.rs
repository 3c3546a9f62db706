//! The traits of checkpoint stores: claims, appends, reads and removals. Knows no store; the stores in memory are in `crate::store`, the
//! records in `checkpoint.rs`.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::{Checkpoint, RareParts, Record, SubgraphState, TaskRecord};
use super::commit::Commit;
use super::id::{Digest, QuestionId, Seq, ThreadId};
use super::store_error::StoreError;

/// The durability that a record must have before its append is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// The record survives the end of the process.
    Lazy,
    /// The record survives a power cut, and so does everything appended before it.
    Synced,
}

/// The acknowledgement of an append to a log: given already, or to be awaited.
pub enum Ack {
    /// The append is acknowledged.
    Done,
    /// The append is in progress; await the future for its result. Dropping the future does not undo the append.
    Pending(Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send + Sync>>),
}

impl Ack {
    /// Waits until the append is as durable as it was requested to be.
    ///
    /// # Errors
    /// Returns the error of the append, such as a failed write or sync.
    pub async fn wait(self) -> Result<(), StoreError> {
        match self {
            Self::Done => Ok(()),
            Self::Pending(ack) => ack.await,
        }
    }
}

/// The exclusive right to append to one thread. A run holds it from start to end; dropping it ends the claim.
pub trait ThreadWriter: Send + Sync {
    /// Returns the newest checkpoint of the thread; `None` for a thread without one. Each append of a checkpoint moves it.
    fn head(&self) -> Option<Seq>;

    /// Appends a record. Records keep the order of the calls. A checkpoint must have the position after [`head`](Self::head).
    ///
    /// The append is a compare-and-swap. When another writer has written to the thread since this writer's last append (the claim was lost,
    /// or the file was replaced), the call fails with [`StoreError::Conflict`] and writes nothing.
    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError>;

    /// Appends a checkpoint that the run still owns. The default makes an owned [`Checkpoint`] and calls [`append`](Self::append); a store
    /// that encodes the checkpoint anyway can do so directly from the borrowed parts.
    fn commit(&self, commit: &Commit<'_>, flush: Flush) -> Result<Ack, StoreError> {
        self.append(Record::Checkpoint(Arc::new(commit.to_checkpoint())), flush)
    }
}

/// A checkpoint with the records that its state is rebuilt from.
#[derive(Debug, Clone)]
pub struct Lineage {
    /// The checkpoints from the nearest ancestor with a snapshot, or the root, to the requested one; oldest first, never empty.
    pub chain: Vec<Arc<Checkpoint>>,
    /// The records of the tasks that the last checkpoint of the chain plans, in log order.
    pub tasks: Vec<TaskRecord>,
}

impl Lineage {
    /// Returns the requested checkpoint.
    pub fn tip(&self) -> &Arc<Checkpoint> {
        self.chain.last().expect("a lineage holds at least the checkpoint asked for")
    }
}

/// A query for checkpoints of a thread, newest first. The default lists all of them.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// graph.run(Count::default()).thread(thread.clone()).await?;
/// let newest = graph.history(&thread, &HistoryQuery::default().limit(2)).await?;
/// let steps: Vec<u64> = newest.iter().map(|entry| entry.checkpoint.step).collect();
/// assert_eq!(steps, [3, 2]);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HistoryQuery {
    /// Lists only checkpoints older than this one.
    pub before: Option<Seq>,
    /// Maximum number of checkpoints; all when `None`.
    pub limit: Option<usize>,
}

impl HistoryQuery {
    /// Restricts the list to checkpoints older than this one; `None` removes the restriction.
    #[must_use]
    pub fn before(mut self, checkpoint: impl Into<Option<Seq>>) -> Self {
        self.before = checkpoint.into();
        self
    }

    /// Limits the list to this many checkpoints, the newest first; `None` for no limit.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<Option<usize>>) -> Self {
        self.limit = limit.into();
        self
    }
}

/// A checkpoint in a listing, with the records of the tasks that it plans.
#[derive(Debug, Clone)]
pub struct HistoryEntry {
    /// The checkpoint.
    pub checkpoint: Arc<Checkpoint>,
    /// The records of those tasks from before their superstep was committed, in log order.
    pub tasks: Vec<TaskRecord>,
}

/// The entry of one thread in a listing of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ThreadSummary {
    /// The thread.
    pub thread: ThreadId,
    /// The name of the graph that wrote its newest checkpoint.
    pub graph: Arc<str>,
    /// Its newest checkpoint.
    pub head: Seq,
    /// Time of that checkpoint, in milliseconds since 1970 (UTC).
    pub at_ms: u64,
    /// The nodes that run next; empty when the thread is done.
    pub next: Vec<Arc<str>>,
    /// The questions without an accepted answer.
    pub open_questions: Vec<QuestionId>,
    /// The damage that the listing met in the thread; `None` when it met none. The other fields then describe the newest readable
    /// checkpoint; when there is none, `graph` is empty and `head` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// The number of checkpoints that a prune keeps.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// let thread = ThreadId::new("t")?;
/// graph.run(Count::default()).thread(thread.clone()).await?;
/// let pruned = graph.prune(&thread, Retention::keep_last(1)).await?;
/// assert_eq!((pruned.checkpoints, graph.state(&thread, None).await?.state.n), (3, 3));
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// The number of newest checkpoints to keep, at least 1. The oldest of them gets a snapshot when it has none.
    pub keep_last: usize,
}

impl Retention {
    /// Makes a retention of this many of the newest checkpoints; 0 counts as 1.
    pub fn keep_last(checkpoints: usize) -> Self {
        Self { keep_last: checkpoints }
    }
}

/// The amount that a prune, or the removal of a run, has removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// The number of removed checkpoints.
    pub checkpoints: usize,
    /// The number of freed bytes.
    pub bytes: u64,
}

/// A whole state as JSON, folded from a chain of checkpoints. A [`Rebuild`] function makes it, for a
/// snapshot.
#[derive(Debug, Clone)]
pub struct WholeState {
    /// The state, as JSON.
    pub state: Box<RawValue>,
    /// The schema of that JSON: that of the graph which folded it, whichever schema the chain was written with.
    pub schema: Digest,
}

/// A function that folds a chain of checkpoints into the state at its end. The engine passes it to stores that have to write a snapshot
/// themselves, as a prune does, so that no store knows the type of a state.
pub type Rebuild<'a> = &'a (dyn Fn(&[Arc<Checkpoint>]) -> Result<WholeState, StoreError> + Send + Sync);

/// Returns the last checkpoint of `chain` without a parent and with a snapshot. If it has no snapshot,
/// `rebuild` makes one, and the remembered states of all sub-graphs in the chain are added. For stores that
/// remove the checkpoints before it.
pub fn to_root(chain: &[Arc<Checkpoint>], rebuild: Rebuild<'_>) -> Result<Checkpoint, StoreError> {
    let mut root = Checkpoint::clone(chain.last().expect("a chain ends with its tip"));
    if root.snapshot.is_none() {
        let WholeState { state, schema } = rebuild(chain)?;
        let rare = chain.iter().filter_map(|checkpoint| checkpoint.rare.as_ref());
        let all: BTreeMap<&Arc<str>, &SubgraphState> =
            rare.flat_map(|rare| &rare.remembered).map(|inner| (&inner.node, inner)).collect();
        let rare = RareParts {
            remembered: all.into_values().cloned().collect(),
            snapshot_schema: (schema != root.schema).then_some(schema),
            ..root.rare.map(|rare| *rare).unwrap_or_default()
        };
        (root.snapshot, root.rare) = (Some(state), rare.or_none());
    }
    root.parent = None;
    Ok(root)
}

/// A store for the checkpoints of threads.
///
/// A thread is an append-only log of [`Record`]s. [`claim`](Self::claim) gives one run at a time the right to append; all other methods
/// need no claim, so a thread can be read while another process runs it. A reader sees the last acknowledged state.
///
/// [`MemoryStore`](crate::store::MemoryStore) keeps threads for the life of the process; `stategraph-sled` has a durable store. Other
/// implementations should pass the conformance suite in the integration tests of those crates. The parts that every store needs are in
/// [`crate::store`].
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let store = MemoryStore::new();
/// let writer = store.claim(&ThreadId::new("t")?).await?;
/// assert!(writer.head().is_none());
/// assert!(matches!(store.claim(&ThreadId::new("t")?).await, Err(StoreError::Busy { .. })));
/// # Ok(()) }) }
/// ```
pub trait CheckpointStore: Send + Sync + 'static {
    /// Returns the place of the store for messages: `memory`, or the folder.
    fn place(&self) -> String;

    /// Claims a new or existing thread for writing.
    ///
    /// # Errors
    /// Returns [`StoreError::Busy`] while another run holds the thread.
    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>>;

    /// Returns the checkpoint at `seq`, or the newest when `None`, with its lineage. Returns `None` when the thread or the checkpoint does
    /// not exist.
    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>>;

    /// Returns checkpoints of a thread, newest first; none when the thread does not exist.
    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>>;

    /// Returns all threads, sorted by id.
    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>>;

    /// Returns the ids of the threads that begin with `prefix`, sorted. A store that has to open threads for [`threads`](Self::threads)
    /// does not open them here, so the result may contain a thread without a checkpoint.
    fn ids<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<ThreadId>, StoreError>> {
        Box::pin(async move {
            let threads = self.threads().await?.into_iter().map(|summary| summary.thread);
            Ok(threads.filter(|thread| thread.as_str().starts_with(prefix)).collect())
        })
    }

    /// Removes a thread and frees its space. A thread that does not exist is no error.
    ///
    /// # Errors
    /// Returns [`StoreError::Busy`] while a run holds the thread.
    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Copies a thread with its history to a new id.
    ///
    /// # Errors
    /// Returns [`StoreError::NoThread`] when `from` does not exist and [`StoreError::Exists`] when `to` does.
    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Removes the checkpoints of one run of a thread and frees their space (LangGraph F50). Checkpoints that continued them get a
    /// snapshot.
    ///
    /// # Errors
    /// Returns [`StoreError::Busy`] while a run holds the thread. Returns [`StoreError::NewestRun`] for the run that wrote the newest
    /// checkpoint, because the positions of a thread are never used twice.
    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>>;

    /// Removes old checkpoints and frees their space.
    ///
    /// # Errors
    /// Returns [`StoreError::Busy`] while a run holds the thread.
    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>>;
}
