//! Outlines of large journals in a sled database, so that the next process need not scan again. The index only saves time: it holds no
//! record, every use is verified against the journal, and a database that cannot be opened or read is deleted and rebuilt.
//!
//! IMPORTANT: only entries that are on the disk are indexed, because after a power cut the index must not know more than its journal.
//! The database is opened for the first large journal, because opening costs more time than reading a small one, and 20 MiB of memory.
//! One process at a time can open it; the others scan.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::header::Identity;
use super::outline::{EntryLocation, Outline};
use super::packed::{self, IndexCoverage};
use super::sled_panics::catch_sled_panics;
use crate::lock;
use stategraph_base::owner_only;
use stategraph_core::ThreadId;

/// Size of sled's page cache, in bytes.
const CACHE: u64 = 4 << 20;

/// Number of bytes by which the database grows.
const SEGMENT: usize = 256 << 10;

/// Number of journal entries per value of the database. 128 take about 4 KiB; values of 16 KiB and more must
/// be avoided, because sled never reclaims their files.
const PAGE: usize = 128;

/// The index of one store: a sled database, which is opened at its first use.
pub(super) struct SledIndex {
    folder: PathBuf,
    state: Mutex<IndexState>,
}

/// The state of the database in this process.
enum IndexState {
    /// Not used yet.
    Unopened,
    Open(Trees),
    /// Not usable: another process has it open, it cannot be made, or it has failed.
    Unavailable,
}

/// The open database with its two trees.
struct Trees {
    database: sled::Db,
    /// Covered part of each thread's journal ([`IndexCoverage`]), by thread.
    threads: sled::Tree,
    /// Packed entry locations, by thread and page number.
    checkpoints: sled::Tree,
}

/// The reason why the database did not open.
enum OpenFailure {
    /// Another process has it open.
    Locked,
    /// It is damaged or cannot be made; the message.
    Broken(String),
}

impl SledIndex {
    /// Makes the index in this folder, without opening it.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, state: Mutex::new(IndexState::Unopened) }
    }

    /// Returns the indexed outline of a journal; `None` if the index has none for this file. The caller must
    /// verify it against the file.
    pub(super) fn recall(&self, thread: &ThreadId, identity: Identity) -> Option<Outline> {
        self.with(|trees| trees.recall(thread, identity)).flatten()
    }

    /// Stores the outline of a journal in the index: its entries that are on the disk.
    pub(super) fn learn(&self, thread: &ThreadId, outline: &Outline) {
        self.with(|trees| trees.learn(thread, outline));
    }

    /// Removes a thread from the index, because its journal was deleted or contradicts the index.
    pub(super) fn forget(&self, thread: &ThreadId) {
        self.with(|trees| trees.forget(thread));
    }

    /// Removes a thread from the index, but only if the database is open already.
    pub(super) fn forget_if_open(&self, thread: &ThreadId) {
        if matches!(*lock(&self.state), IndexState::Open(_)) {
            self.forget(thread);
        }
    }

    /// Runs `work` on the database, which is opened if necessary. Returns `None` if it is not available.
    /// After an error or a panic of sled the database is deleted; the next process makes a new one.
    fn with<T>(&self, work: impl FnOnce(&Trees) -> sled::Result<T>) -> Option<T> {
        let mut state = lock(&self.state);
        if let IndexState::Unopened = *state {
            *state = open(&self.folder).map_or(IndexState::Unavailable, IndexState::Open);
        }
        let IndexState::Open(trees) = &*state else { return None };
        let failure = match catch_sled_panics(|| work(trees)) {
            Ok(Ok(done)) => return Some(done),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        tracing::warn!(index = %self.folder.display(), %failure, "the checkpoint index is thrown away");
        let broken = mem::replace(&mut *state, IndexState::Unavailable);
        // Closing a broken database may panic once more; the failure is reported already.
        let _ = catch_sled_panics(|| drop(broken));
        remove(&self.folder);
        None
    }
}

impl Trees {
    /// Reads the pages of a thread and builds the outline from them; `None` if one is missing or unusable.
    fn recall(&self, thread: &ThreadId, identity: Identity) -> sled::Result<Option<Outline>> {
        let covered = self.threads.get(thread.as_str())?.and_then(|bytes| IndexCoverage::read(&bytes));
        let Some(covered) = covered.filter(|covered| covered.generation == identity.generation) else {
            return Ok(None);
        };
        let mut outline = Outline::new(identity, covered.end);
        (outline.epoch, outline.process) = (covered.epoch, covered.process);
        (outline.synced, outline.indexed) = (covered.end, covered.end);
        for page in 0..covered.pages {
            let Some(bytes) = self.checkpoints.get(page_key(thread, page))? else { return Ok(None) };
            let Some(spots) = packed::read(&bytes) else { return Ok(None) };
            // A page may be newer than the coverage. Its excess entries are dropped, because the scan will add them again.
            for spot in spots.into_iter().filter(|spot| spot.end() <= covered.end) {
                outline.last = Some(spot);
                if outline.insert(spot).is_err() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(outline))
    }

    /// Writes the pages of an outline. Full pages that are already stored are skipped, because they never
    /// change.
    fn learn(&self, thread: &ThreadId, outline: &Outline) -> sled::Result<()> {
        let log: Vec<EntryLocation> =
            outline.log().into_iter().filter(|spot| spot.end() <= outline.synced).collect();
        let Some(last) = log.last() else { return Ok(()) };
        let known = self.threads.get(thread.as_str())?.and_then(|bytes| IndexCoverage::read(&bytes));
        let full = known
            .filter(|known| known.generation == outline.identity.generation)
            .map_or(0, |known| known.full);
        for (page, spots) in (0_u64..).zip(log.chunks(PAGE)).skip(usize::try_from(full).unwrap_or(0)) {
            self.checkpoints.insert(page_key(thread, page), packed::write(spots))?;
        }
        let covered = IndexCoverage {
            generation: outline.identity.generation,
            end: last.end(),
            epoch: outline.epoch,
            process: outline.process,
            pages: log.len().div_ceil(PAGE) as u64,
            full: (log.len() / PAGE) as u64,
        };
        self.threads.insert(thread.as_str(), covered.write())?;
        // Flushed here, because sled's own timer is off: a killed process would otherwise have indexed nothing.
        self.database.flush().map(|_| ())
    }

    fn forget(&self, thread: &ThreadId) -> sled::Result<()> {
        self.threads.remove(thread.as_str())?;
        let pages = self.checkpoints.scan_prefix(page_prefix(thread)).keys();
        pages.into_iter().try_for_each(|key| self.checkpoints.remove(key?).map(|_| ()))
    }
}

/// Returns the common beginning of a thread's keys: its id and a zero byte. No id contains one, so no id is a
/// prefix of another's keys.
fn page_prefix(thread: &ThreadId) -> Vec<u8> {
    [thread.as_str().as_bytes(), &[0]].concat()
}

/// Returns the key of a page.
fn page_key(thread: &ThreadId, page: u64) -> Vec<u8> {
    [page_prefix(thread).as_slice(), &page.to_be_bytes()].concat()
}

/// Opens the database and replaces a broken one. `None` if another process has it open, or no new one can be
/// made.
fn open(folder: &Path) -> Option<Trees> {
    let broken = match try_open(folder) {
        Ok(trees) => return Some(trees),
        Err(OpenFailure::Locked) => return None,
        Err(OpenFailure::Broken(failure)) => failure,
    };
    tracing::warn!(index = %folder.display(), failure = broken, "the checkpoint index does not open and is made again");
    remove(folder);
    try_open(folder).ok()
}

/// Opens or creates the database.
fn try_open(folder: &Path) -> Result<Trees, OpenFailure> {
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE).segment_size(SEGMENT).flush_every_ms(None);
    // The folder is private, because sled makes files that others can read. If it cannot be made, sled reports the reason.
    let _ = owner_only::create_dir_all(folder);
    let opened = catch_sled_panics(|| -> sled::Result<Trees> {
        let database = config.open()?;
        let threads = database.open_tree("threads")?;
        let checkpoints = database.open_tree("checkpoints")?;
        Ok(Trees { database, threads, checkpoints })
    });
    match opened {
        Ok(Ok(trees)) => Ok(trees),
        // The message is compared, because sled 0.34 has no error kind for this.
        Ok(Err(error)) if error.to_string().contains("could not acquire lock") => Err(OpenFailure::Locked),
        Ok(Err(error)) => Err(OpenFailure::Broken(error.to_string())),
        Err(panic) => Err(OpenFailure::Broken(panic)),
    }
}

/// Removes the database. Errors are ignored: without an index, every journal is scanned.
fn remove(folder: &Path) {
    let _ = if folder.is_dir() { fs::remove_dir_all(folder) } else { fs::remove_file(folder) };
}
