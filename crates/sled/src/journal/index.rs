//! What earlier scans of large journals found, in a sled database beside them. An accelerator: it holds no record, it is checked
//! against the journal whenever it is used, and when it cannot be opened or read it is thrown away and made again.
//!
//! Only what was on the disk is remembered, so that a power cut cannot leave an index that knows more than its journal. The
//! database is opened at the first large journal and not before: opening costs more than reading a small one, and 20 MiB.
//! One process at a time can have it; another one scans.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::header::Identity;
use super::outline::{Outline, Spot};
use super::packed::{self, Covered};
use super::quiet::quietly;
use crate::lock;
use stategraph_base::owner_only;
use stategraph_core::ThreadId;

/// How much of the database is kept in memory, in bytes.
const CACHE: u64 = 4 << 20;

/// The unit in which the database grows, in bytes.
const SEGMENT: usize = 256 << 10;

/// How many entries are described by one value: 128 make about 4 KiB, and sled stores values of 16 KiB and more badly.
const PAGE: usize = 128;

/// The index of one store.
pub(super) struct Index {
    folder: PathBuf,
    state: Mutex<State>,
}

enum State {
    Unopened,
    Open(Trees),
    /// Another process has it, or it cannot be made.
    Unavailable,
}

struct Trees {
    database: sled::Db,
    /// By thread: how much of its journal is covered.
    threads: sled::Tree,
    /// By thread and number of the page: what the journal holds.
    checkpoints: sled::Tree,
}

/// Why a database did not open.
enum Unopened {
    Elsewhere,
    Broken(String),
}

impl Index {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, state: Mutex::new(State::Unopened) }
    }

    /// What is known of this journal; its caller checks it against the file.
    pub(super) fn recall(&self, thread: &ThreadId, identity: Identity) -> Option<Outline> {
        self.with(|trees| trees.recall(thread, identity)).flatten()
    }

    /// Remembers what is on the disk of a journal.
    pub(super) fn learn(&self, thread: &ThreadId, outline: &Outline) {
        self.with(|trees| trees.learn(thread, outline));
    }

    /// Forgets a journal that was removed or was not what the index said.
    pub(super) fn forget(&self, thread: &ThreadId) {
        self.with(|trees| trees.forget(thread));
    }

    /// Forgets a journal if that costs no opening.
    pub(super) fn forget_if_open(&self, thread: &ThreadId) {
        if matches!(*lock(&self.state), State::Open(_)) {
            self.forget(thread);
        }
    }

    /// Works on the database. Whatever goes wrong, by error or by panic, ends with a new one at the next start.
    fn with<T>(&self, work: impl FnOnce(&Trees) -> sled::Result<T>) -> Option<T> {
        let mut state = lock(&self.state);
        if let State::Unopened = *state {
            *state = open(&self.folder).map_or(State::Unavailable, State::Open);
        }
        let State::Open(trees) = &*state else { return None };
        let failure = match quietly(|| work(trees)) {
            Ok(Ok(done)) => return Some(done),
            Ok(Err(error)) => error.to_string(),
            Err(panic) => panic,
        };
        tracing::warn!(index = %self.folder.display(), %failure, "the checkpoint index is thrown away");
        let broken = mem::replace(&mut *state, State::Unavailable);
        // Closing a database that is broken may panic once more; that is reported already.
        let _ = quietly(|| drop(broken));
        remove(&self.folder);
        None
    }
}

impl Trees {
    fn recall(&self, thread: &ThreadId, identity: Identity) -> sled::Result<Option<Outline>> {
        let covered = self.threads.get(thread.as_str())?.and_then(|bytes| Covered::read(&bytes));
        let Some(covered) = covered.filter(|covered| covered.generation == identity.generation) else {
            return Ok(None);
        };
        let mut outline = Outline::new(identity, covered.end);
        (outline.epoch, outline.process) = (covered.epoch, covered.process);
        (outline.synced, outline.indexed) = (covered.end, covered.end);
        for page in 0..covered.pages {
            let Some(bytes) = self.checkpoints.get(page_key(thread, page))? else { return Ok(None) };
            let Some(spots) = packed::read(&bytes) else { return Ok(None) };
            // A page may be newer than what says how far the journal is covered; the rest is scanned, and would be there twice.
            for spot in spots.into_iter().filter(|spot| spot.end() <= covered.end) {
                outline.last = Some(spot);
                if outline.insert(spot).is_err() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(outline))
    }

    /// Pages that are full never change; those behind the last full one are written again.
    fn learn(&self, thread: &ThreadId, outline: &Outline) -> sled::Result<()> {
        let log: Vec<Spot> = outline.log().into_iter().filter(|spot| spot.end() <= outline.synced).collect();
        let Some(last) = log.last() else { return Ok(()) };
        let known = self.threads.get(thread.as_str())?.and_then(|bytes| Covered::read(&bytes));
        let full = known
            .filter(|known| known.generation == outline.identity.generation)
            .map_or(0, |known| known.full);
        for (page, spots) in (0_u64..).zip(log.chunks(PAGE)).skip(usize::try_from(full).unwrap_or(0)) {
            self.checkpoints.insert(page_key(thread, page), packed::write(spots))?;
        }
        let covered = Covered {
            generation: outline.identity.generation,
            end: last.end(),
            epoch: outline.epoch,
            process: outline.process,
            pages: log.len().div_ceil(PAGE) as u64,
            full: (log.len() / PAGE) as u64,
        };
        self.threads.insert(thread.as_str(), covered.write())?;
        // Without its own timer sled writes at the end; a process that is killed would have learned nothing.
        self.database.flush().map(|_| ())
    }

    fn forget(&self, thread: &ThreadId) -> sled::Result<()> {
        self.threads.remove(thread.as_str())?;
        let pages = self.checkpoints.scan_prefix(page_prefix(thread)).keys();
        pages.into_iter().try_for_each(|key| self.checkpoints.remove(key?).map(|_| ()))
    }
}

/// A byte that is in no thread id ends it, so that no thread's pages are taken for another's.
fn page_prefix(thread: &ThreadId) -> Vec<u8> {
    [thread.as_str().as_bytes(), &[0]].concat()
}

fn page_key(thread: &ThreadId, page: u64) -> Vec<u8> {
    [page_prefix(thread).as_slice(), &page.to_be_bytes()].concat()
}

/// Opens the database, a new one if there is none or what is there is of no use.
fn open(folder: &Path) -> Option<Trees> {
    let broken = match try_open(folder) {
        Ok(trees) => return Some(trees),
        Err(Unopened::Elsewhere) => return None,
        Err(Unopened::Broken(failure)) => failure,
    };
    tracing::warn!(index = %folder.display(), failure = broken, "the checkpoint index does not open and is made again");
    remove(folder);
    try_open(folder).ok()
}

fn try_open(folder: &Path) -> Result<Trees, Unopened> {
    let config =
        sled::Config::new().path(folder).cache_capacity(CACHE).segment_size(SEGMENT).flush_every_ms(None);
    // sled makes files that others can read, so its folder keeps them out. Where it cannot be made, sled says why.
    let _ = owner_only::create_dir_all(folder);
    let opened = quietly(|| -> sled::Result<Trees> {
        let database = config.open()?;
        let threads = database.open_tree("threads")?;
        let checkpoints = database.open_tree("checkpoints")?;
        Ok(Trees { database, threads, checkpoints })
    });
    match opened {
        Ok(Ok(trees)) => Ok(trees),
        // sled 0.34 has no kind of error for this.
        Ok(Err(error)) if error.to_string().contains("could not acquire lock") => Err(Unopened::Elsewhere),
        Ok(Err(error)) => Err(Unopened::Broken(error.to_string())),
        Err(panic) => Err(Unopened::Broken(panic)),
    }
}

/// If it cannot be removed it stays as it is, and every journal is scanned.
fn remove(folder: &Path) {
    let _ = if folder.is_dir() { fs::remove_dir_all(folder) } else { fs::remove_file(folder) };
}
