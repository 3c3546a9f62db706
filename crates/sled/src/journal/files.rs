//! The operations of a [`SledStore`](super::SledStore) on its folder, one function per call. Blocks; the store runs it off the runtime.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process;
use std::sync::{Arc, Mutex};

use super::byte_locks::ByteLocks;
use super::cache::{CachedJournal, JournalCache};
use super::claim::Claim;
use super::committer::Committer;
use super::folder::StoreFolder;
use super::frame::EntryFrame;
use super::index::SledIndex;
use super::journal_lock::{IfAbsent, JournalLock, LockOutcome};
use super::outline::{EntryLocation, Outline, OutlineExtent};
use super::reader::JournalReader;
use super::rewrite::rewrite;
use super::tail;
use super::writer::JournalWriter;
use crate::lock;
use stategraph_base::regular::{Links, open};
use stategraph_core::store::lineage::ChainLink;
use stategraph_core::store::retention::{PrunePlan, plan_prune, plan_run_removal};
use stategraph_core::store::shared;
use stategraph_core::store::summary::summarize_unreadable;
use stategraph_core::{
    Checkpoint, Lineage, Pruned, Record, Retention, Seq, StoreError, ThreadId, ThreadSummary, ThreadWriter,
};

/// Estimated number of bytes read per thread of a listing; it decides how many threads one worker lists.
const LISTED: u64 = 4 << 10;

/// The shared parts of a [`SledStore`](super::SledStore): folder, locks, cache, index and committer.
pub(super) struct JournalFiles {
    pub(super) folder: StoreFolder,
    /// The byte locks of the journals.
    pub(super) locks: Arc<ByteLocks>,
    pub(super) recent: JournalCache,
    pub(super) index: SledIndex,
    /// Length in bytes from which a journal is indexed.
    pub(super) index_from: u64,
    /// Committer thread; started by the first claim.
    pub(super) committer: Mutex<Option<Arc<Committer>>>,
}

/// The checkpoints that a prune keeps.
#[derive(Debug, Clone, Copy)]
pub(super) enum PruneScope {
    /// The newest ones, as the retention says.
    Newest(Retention),
    /// All checkpoints except those of this run.
    WithoutRun(u64),
}

/// A prune in progress, which holds the journal lock. The caller rebuilds the states of the new roots between
/// `begin_prune` and `end_prune`.
pub(super) struct Pruning {
    held: JournalLock,
    journal: JournalReader,
    plan: PrunePlan,
    /// One chain of checkpoints per new root, oldest first; its last checkpoint becomes a root.
    roots: Vec<Vec<Arc<Checkpoint>>>,
}

impl JournalFiles {
    /// Claims a thread: locks its journal, creates it if absent, and returns the writer. Fails if another
    /// claim has the lock.
    pub(super) fn claim(&self, thread: &ThreadId) -> Result<Arc<dyn ThreadWriter>, StoreError> {
        let held = self.hold(thread, IfAbsent::Create)?.expect("a file that is absent is created");
        remove(&self.folder.temporary(thread))?;
        let journal = self.journal_of(thread, &held, OutlineExtent::Newest)?;
        let outline = journal.as_ref().map(|journal| &**journal.outline());
        let claim = Claim::begin(self.folder.clone(), thread.clone(), held, outline)?;
        Ok(Arc::new(JournalWriter::new(claim, self.committer()?)))
    }

    /// Opens the journal of a thread and returns the result of `look`; `None` if there is no journal or a
    /// blank one. If `look` finds damage, it may be that the outline was partial or outdated: then the
    /// journal is scanned as a whole, or the cached and indexed outline is dropped, and `look` is called
    /// again.
    pub(super) fn read<T>(
        &self,
        thread: &ThreadId,
        needed: OutlineExtent,
        look: impl Fn(&JournalReader) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let (mut needed, mut forgotten) = (needed, false);
        loop {
            let Some(journal) = self.open(thread, needed)? else { return Ok(None) };
            match look(&journal) {
                Err(StoreError::Corrupt { .. }) if journal.outline().extent == OutlineExtent::Newest => {
                    needed = OutlineExtent::Whole;
                }
                Err(StoreError::Corrupt { .. }) if !forgotten => {
                    self.forget(thread);
                    forgotten = true;
                }
                done => return done.map(Some),
            }
        }
    }

    /// Loads the checkpoint `seq`, or the newest, with the chain that rebuilds its state, and caches the
    /// chain.
    pub(super) fn load(&self, thread: &ThreadId, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let look = |journal: &JournalReader| {
            let lineage = journal.lineage(seq)?;
            if let Some(lineage) = &lineage {
                let identity = journal.outline().identity;
                self.recent.keep_chain(thread, identity, journal.to_cacheable(&lineage.chain));
            }
            Ok(lineage)
        };
        let needed = if seq.is_some() { OutlineExtent::Whole } else { OutlineExtent::Newest };
        Ok(self.read(thread, needed, look)?.flatten())
    }

    /// Summarises all threads, with their visible damage. Reads only the end of a long journal whose last run
    /// ended in good order.
    pub(super) fn threads(&self) -> Result<Vec<ThreadSummary>, StoreError> {
        let threads = self.folder.list("")?;
        shared(
            &threads,
            |_| LISTED,
            |share| Ok(share.iter().filter_map(|thread| self.summary(thread)).collect()),
        )
    }

    /// Summarises a thread; `None` if it has no checkpoint. An unreadable journal gives a summary with the
    /// error. Bypasses the cache, because a listing would evict the journals that are in use.
    fn summary(&self, thread: &ThreadId) -> Option<ThreadSummary> {
        let path = self.folder.journal(thread);
        let read = || -> Result<Option<ThreadSummary>, StoreError> {
            let file = match open(&path, Links::Refused) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(StoreError::io("open", &path, error)),
            };
            let recall = |file: &File, identity, len| {
                let outline = tail::outline(file, identity, len)?.map(Arc::new);
                Ok(CachedJournal { outline, ..CachedJournal::default() })
            };
            let Some(journal) = JournalReader::read(&path, file, OutlineExtent::Newest, recall)? else {
                return Ok(None);
            };
            journal.summary(thread)
        };
        read().unwrap_or_else(|error| Some(summarize_unreadable(thread, error.to_string())))
    }

    /// Deletes the journal of a thread. Does nothing if there is none; fails while a run holds it.
    pub(super) fn delete(&self, thread: &ThreadId) -> Result<(), StoreError> {
        let Some(held) = self.hold(thread, IfAbsent::Leave)? else { return Ok(()) };
        remove(&self.folder.temporary(thread))?;
        remove(held.path())?;
        self.forget(thread);
        self.folder.sync()
    }

    /// Copies all records of a thread to another, which must have no checkpoint.
    pub(super) fn copy(&self, from: &ThreadId, to: &ThreadId) -> Result<(), StoreError> {
        let source = self.require_checkpoints(self.open(from, OutlineExtent::Whole)?, from)?;
        source.check_sound()?;
        let held = self.hold(to, IfAbsent::Create)?.expect("a file that is absent is created");
        let target = self.journal_of(to, &held, OutlineExtent::Whole)?;
        if target.is_some_and(|target| target.outline().newest().is_some()) {
            return Err(StoreError::Exists { thread: to.clone() });
        }
        rewrite(&self.folder, to, &source, |_| true, &BTreeMap::new()).map(|_| ())
    }

    /// Locks the journal, plans the prune and loads the chains of the new roots. Returns `None` if nothing is
    /// to be removed.
    pub(super) fn begin_prune(
        &self,
        thread: &ThreadId,
        keep: PruneScope,
    ) -> Result<Option<Pruning>, StoreError> {
        let absent = || self.no_thread(thread);
        let held = self.hold(thread, IfAbsent::Leave)?.ok_or_else(absent)?;
        let journal =
            self.require_checkpoints(self.journal_of(thread, &held, OutlineExtent::Whole)?, thread)?;
        journal.check_sound()?;
        let links: Vec<ChainLink> =
            journal.outline().checkpoints().iter().map(EntryLocation::chain_link).collect();
        let plan = match keep {
            PruneScope::Newest(keep) => plan_prune(&links, keep),
            PruneScope::WithoutRun(run) => {
                let runs = journal.runs()?;
                let runs: Vec<(ChainLink, u64)> = links.iter().copied().zip(runs).collect();
                let newest = || StoreError::NewestRun { thread: thread.clone(), run };
                plan_run_removal(&runs, run).ok_or_else(newest)?
            }
        };
        if plan.removed == 0 {
            return Ok(None);
        }
        let tips = plan.roots.iter().filter_map(|root| journal.outline().find(*root));
        let roots = tips.map(|tip| journal.chain(tip)).collect::<Result<_, _>>()?;
        Ok(Some(Pruning { held, journal, plan, roots }))
    }

    /// Rewrites the journal with the kept checkpoints; `roots`, rebuilt with snapshots, replace their
    /// originals. Returns what was removed.
    pub(super) fn end_prune(
        &self,
        thread: &ThreadId,
        pruning: &Pruning,
        roots: Vec<Checkpoint>,
    ) -> Result<Pruned, StoreError> {
        let Pruning { held, journal, plan, .. } = pruning;
        let unfit = |detail| StoreError::Encoding { thread: thread.to_string(), detail };
        let mut changed = BTreeMap::new();
        for root in roots {
            let spot = journal.outline().find(root.seq).expect("a new root is one of the checkpoints");
            changed.insert(
                spot.at,
                EntryFrame::from_record(&Record::Checkpoint(Arc::new(root))).map_err(unfit)?,
            );
        }
        let kept: BTreeSet<Seq> = plan.keep.iter().copied().collect();
        let before = held.length()?.unwrap_or_default();
        let after = rewrite(&self.folder, thread, journal, |spot| kept.contains(&spot.seq()), &changed)?;
        self.forget(thread);
        Ok(Pruned { checkpoints: plan.removed, bytes: before.saturating_sub(after) })
    }

    /// Opens a journal for reading; `None` if it does not exist or is blank.
    fn open(&self, thread: &ThreadId, needed: OutlineExtent) -> Result<Option<JournalReader>, StoreError> {
        let path = self.folder.journal(thread);
        match open(&path, Links::Refused) {
            Ok(file) => self.look_up(thread, &path, file, needed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open", path, error)),
        }
    }

    /// Reads the journal of a thread whose lock is held; `None` if it is blank. Damage is an error.
    fn journal_of(
        &self,
        thread: &ThreadId,
        held: &JournalLock,
        needed: OutlineExtent,
    ) -> Result<Option<JournalReader>, StoreError> {
        let file = held.file()?.try_clone().map_err(|error| StoreError::io("open", held.path(), error))?;
        let journal = self.look_up(thread, held.path(), file, needed)?;
        journal.as_ref().map_or(Ok(()), JournalReader::check_sound)?;
        Ok(journal)
    }

    /// Reads a journal from an outline in the cache, the tail or the index, and scans only the rest.
    /// Afterwards caches the outline, and stores that of a large journal in the index.
    fn look_up(
        &self,
        thread: &ThreadId,
        path: &Path,
        file: File,
        needed: OutlineExtent,
    ) -> Result<Option<JournalReader>, StoreError> {
        let mut known = 0;
        let recall = |file: &File, identity, len| {
            let mut recalled = self.recent.recall(thread, identity);
            recalled.outline = recalled.outline.filter(|outline| outline.extent >= needed);
            if recalled.outline.is_none()
                && needed == OutlineExtent::Newest
                && let Some((outline, chain)) = tail::read(file, identity, len)?
            {
                recalled = CachedJournal { outline: Some(Arc::new(outline)), chain };
            }
            if recalled.outline.is_none() && len >= self.index_from {
                recalled.outline = self.index.recall(thread, identity).map(Arc::new);
            }
            known = recalled.outline.as_ref().map_or(0, |outline| outline.end);
            Ok(recalled)
        };
        let Some(mut journal) = JournalReader::read(path, file, needed, recall)? else { return Ok(None) };
        if known > journal.recalled_bytes() {
            self.forget(thread);
        }
        let Outline { end, indexed, extent, identity, .. } = **journal.outline();
        if extent == OutlineExtent::Whole && end >= self.index_from && end - indexed >= self.index_from / 4 {
            self.index.learn(thread, journal.outline());
            journal.note_indexed();
        }
        self.recent.keep(thread, journal.outline());
        self.recent.keep_chain(thread, identity, journal.cached_chain().clone());
        Ok(Some(journal))
    }

    /// Removes a thread from cache and index.
    pub(super) fn forget(&self, thread: &ThreadId) {
        self.recent.forget(thread);
        self.index.forget_if_open(thread);
    }

    /// Returns the journal if it has a checkpoint; otherwise the error that the thread does not exist.
    fn require_checkpoints(
        &self,
        journal: Option<JournalReader>,
        thread: &ThreadId,
    ) -> Result<JournalReader, StoreError> {
        journal.filter(|journal| journal.outline().newest().is_some()).ok_or_else(|| self.no_thread(thread))
    }

    /// Makes the error that the thread does not exist.
    fn no_thread(&self, thread: &ThreadId) -> StoreError {
        let place = self.folder.root().display().to_string();
        StoreError::NoThread { thread: thread.to_string(), place, nearest: Vec::new() }
    }

    /// Takes the lock on a thread's journal. Returns `None` if there is no file and `absent` does not ask to
    /// create one. Fails if another claim has the lock.
    pub(super) fn hold(
        &self,
        thread: &ThreadId,
        absent: IfAbsent,
    ) -> Result<Option<JournalLock>, StoreError> {
        let mut taken = JournalLock::take(&self.folder, &self.locks, thread, absent)?;
        if let (LockOutcome::Busy, Some(committer)) = (&taken, lock(&self.committer).clone()) {
            // Tried again behind a barrier, because a run of this store that has just ended may still be in the committer's queue.
            committer.barrier();
            taken = JournalLock::take(&self.folder, &self.locks, thread, absent)?;
        }
        match taken {
            LockOutcome::Acquired(held) => Ok(Some(held)),
            LockOutcome::Absent => Ok(None),
            LockOutcome::Busy => {
                Err(StoreError::Busy { thread: thread.clone(), holder: self.holder(thread) })
            }
        }
    }

    /// Describes the process that has claimed a thread, from the process id in its journal.
    fn holder(&self, thread: &ThreadId) -> String {
        let process = self
            .open(thread, OutlineExtent::Whole)
            .ok()
            .flatten()
            .map_or(0, |journal| journal.outline().process);
        match process {
            0 => "another process".to_owned(),
            own if own == u64::from(process::id()) => "another run in this process".to_owned(),
            other => format!("another process (pid {other})"),
        }
    }

    /// Returns the committer; starts one if none is running.
    fn committer(&self) -> Result<Arc<Committer>, StoreError> {
        let mut committer = lock(&self.committer);
        if let Some(running) = committer.as_ref().filter(|committer| committer.is_running()) {
            return Ok(Arc::clone(running));
        }
        let started = Committer::start();
        let started =
            started.map_err(|error| StoreError::io("start a thread for", self.folder.root(), error))?;
        Ok(Arc::clone(committer.insert(Arc::new(started))))
    }
}

impl Pruning {
    /// Returns the chains whose last checkpoints become roots.
    pub(super) fn roots(&self) -> &[Vec<Arc<Checkpoint>>] {
        &self.roots
    }
}

/// Removes a file; a missing one is no error.
fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io("remove", path, error)),
        _ => Ok(()),
    }
}
