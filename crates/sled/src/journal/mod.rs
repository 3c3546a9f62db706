//! The durable store: one append-only journal per thread, with a sled index beside the journals. Knows the file system, but no graph.
//! An append goes through `writer` (checks the order), `frame` (encodes), `committer` (queues) and `claim` (writes and syncs).
//! A read goes through `cache`, `tail` or `index` (recall), `outline` (scans the rest) and `reader` (verifies and decodes).
//!
//! ```text
//! <folder>/locks                    lock file with one byte per claimed journal
//! <folder>/threads/<thread>.log     header, then entries; only the process that has the lock on the file appends
//! <folder>/threads/<thread>.log.damaged-1   the original of a repaired journal
//! <folder>/threads/.<thread>.new    a copy or prune in progress, or the remains of one
//! <folder>/index/                   sled: offsets of the entries of large journals
//! ```

mod writer;

mod committer;

mod byte_locks;
mod claim;
mod journal_lock;

mod reader;

mod chunks;
mod entries;

mod newest_checkpoint;
mod outline;
mod tail;

mod frame;
mod header;

mod cache;
mod index;
mod packed;
mod sled_panics;

mod repair;
mod rewrite;
mod salvage;

mod files;
mod folder;
mod names;

pub use self::repair::{Inspection, Repaired};

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use tokio::sync::Semaphore;

use self::cache::JournalCache;
use self::files::{JournalFiles, PruneScope};
use self::folder::StoreFolder;
use self::index::SledIndex;
use self::outline::OutlineExtent;
use self::reader::JournalReader;
use stategraph_core::{
    CheckpointStore, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Retention, Seq, StoreError,
    ThreadId, ThreadSummary, ThreadWriter, to_root,
};

/// Default minimum length of a journal that is indexed, in bytes (8 MiB).
const INDEX_FROM: u64 = 8 << 20;

/// Maximum number of calls that work on files at once, because each opens files and a process has few descriptors.
const AT_ONCE: usize = 64;

/// A checkpoint store in a folder. Any number of processes may use the folder at once. Clones share one committer thread.
///
/// ```
/// use std::sync::Arc;
///
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{END, START, State, StateGraph, ThreadId};
/// use stategraph_sled::SledStore;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Count {
///     n: u32,
/// }
/// let folder = tempfile::tempdir()?;
/// let open = || SledStore::open(folder.path()).map(Arc::new);
/// let graph = StateGraph::<Count>::new("count")
///     .node("add", async |count: &Count| Count::update().n(count.n + 1))
///     .sequence([START, "add", END])
///     .compile()?;
/// let thread = ThreadId::new("t")?;
/// graph.clone().with_store(open()?).run(Count::default()).thread(thread.clone()).await?;
/// // Another process would open the folder in the same way.
/// assert_eq!(graph.with_store(open()?).state(&thread, None).await?.state.n, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct SledStore {
    files: Arc<JournalFiles>,
    at_once: Arc<Semaphore>,
}

impl SledStore {
    /// Returns the store in `folder`, which the first claim makes. Reads nothing yet.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the path is not a folder or cannot be examined.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_indexed_from(folder, INDEX_FROM)
    }

    /// Returns the store in `folder`, which indexes journals of at least `bytes` bytes. Reads nothing yet.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_indexed_from(folder: impl Into<PathBuf>, bytes: u64) -> Result<Self, StoreError> {
        let folder = StoreFolder::new(folder.into())?;
        let index = SledIndex::new(folder.index());
        let recent = JournalCache::default();
        let locks = Arc::default();
        let files =
            JournalFiles { folder, locks, recent, index, index_from: bytes, committer: Mutex::new(None) };
        Ok(Self { files: Arc::new(files), at_once: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// Reads and verifies the whole journal of a thread. Returns `None` if the thread does not exist. A listing sees less: it reads only
    /// the end of a long journal.
    ///
    /// # Errors
    /// The errors of reading. Damage is not an error; it is part of the [`Inspection`].
    pub async fn inspect(&self, thread: &ThreadId) -> Result<Option<Inspection>, StoreError> {
        let thread = thread.clone();
        self.blocking(move |files| files.inspect(&thread)).await
    }

    /// Repairs a damaged thread: it continues from its last checkpoint that can be rebuilt. The damaged file is kept beside the new one. A
    /// sound thread is not changed. Returns `None` if the thread does not exist.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while a run holds the thread, [`StoreError::Corrupt`] when no checkpoint can be rebuilt.
    pub async fn repair(&self, thread: &ThreadId) -> Result<Option<Repaired>, StoreError> {
        let thread = thread.clone();
        self.blocking(move |files| files.repair(&thread)).await
    }

    /// Runs blocking work on a thread of the runtime for blocking calls, at most `AT_ONCE` at a time.
    fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&JournalFiles) -> Result<T, StoreError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, StoreError>> {
        let (files, at_once) = (Arc::clone(&self.files), Arc::clone(&self.at_once));
        Box::pin(async move {
            let _turn = at_once.acquire().await.map_err(|error| StoreError::Closed(error.to_string()))?;
            let done = tokio::task::spawn_blocking(move || work(&files)).await;
            done.unwrap_or_else(|error| {
                Err(StoreError::Closed(format!("the work on it ended early: {error}")))
            })
        })
    }

    /// Removes the checkpoints of a thread that `keep` does not keep. `rebuild` computes the states of the
    /// kept checkpoints that lose their predecessors; they get snapshots. Returns what was removed.
    async fn prune_thread(
        &self,
        thread: &ThreadId,
        keep: PruneScope,
        rebuild: Rebuild<'_>,
    ) -> Result<Pruned, StoreError> {
        let pruned = thread.clone();
        let Some(pruning) = self.blocking(move |files| files.begin_prune(&pruned, keep)).await? else {
            return Ok(Pruned::default());
        };
        let roots = pruning.roots().iter().map(|chain| to_root(chain, rebuild)).collect::<Result<_, _>>()?;
        let pruned = thread.clone();
        self.blocking(move |files| files.end_prune(&pruned, &pruning, roots)).await
    }
}

impl CheckpointStore for SledStore {
    fn place(&self) -> String {
        self.files.folder.root().display().to_string()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        let thread = thread.clone();
        self.blocking(move |files| files.claim(&thread))
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>> {
        let thread = thread.clone();
        self.blocking(move |files| files.load(&thread, seq))
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        let (thread, query) = (thread.clone(), query.clone());
        let newest = query.before.is_none() && query.limit == Some(1);
        let needed = if newest { OutlineExtent::Newest } else { OutlineExtent::Whole };
        let history = move |journal: &JournalReader| journal.history(&query);
        self.blocking(move |files| Ok(files.read(&thread, needed, history)?.unwrap_or_default()))
    }

    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>> {
        self.blocking(JournalFiles::threads)
    }

    fn ids<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<ThreadId>, StoreError>> {
        let prefix = prefix.to_owned();
        self.blocking(move |files| files.folder.list(&prefix))
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        let thread = thread.clone();
        self.blocking(move |files| files.delete(&thread))
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        let (from, to) = (from.clone(), to.clone());
        self.blocking(move |files| files.copy(&from, &to))
    }

    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        Box::pin(self.prune_thread(thread, PruneScope::WithoutRun(run), rebuild))
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        Box::pin(self.prune_thread(thread, PruneScope::Newest(keep), rebuild))
    }
}

impl fmt::Debug for SledStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore").field("folder", &self.files.folder.root()).finish_non_exhaustive()
    }
}
