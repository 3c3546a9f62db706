//! The write side of one journal: the only code that appends to one. Blocks; the committer calls it, and the store to begin a claim.
//!
//! IMPORTANT: every append is a compare-and-swap: the file must still have its name and the length at which this claim left it. After a
//! failed write or sync nothing more is written, because it is unknown how much of those bytes reached the disk.
//!
//! IMPORTANT: the next claim does not know it either, because after a failed sync the system may show pages that are not on the disk and
//! mark them as written. So a claim trusts only the disk: everything behind the newest offset that an entry records as synced is written
//! again. It is synced before anything else happens, unless the last run ended in good order.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::process;
use std::sync::{Mutex, OnceLock};

use super::folder::StoreFolder;
use super::frame::{EntryFrame, Stamp};
use super::header::{self, HEADER, Identity};
use super::journal_lock::JournalLock;
use super::newest_checkpoint::NewestCheckpoint;
use super::outline::Outline;
use crate::lock;
use stategraph_core::{Seq, StoreError, ThreadId};

/// Number of bytes rewritten at a time (1 MiB).
const PIECE: u64 = 1 << 20;

/// The exclusive right of one run to append to a thread's journal. The committer writes through it.
pub(super) struct Claim {
    thread: ThreadId,
    folder: StoreFolder,
    /// The lock on the journal, with its open file.
    held: JournalLock,
    identity: Identity,
    /// Random number of this claim; the heads of its entries contain it.
    number: u16,
    state: Mutex<AppendState>,
    /// First failure; nothing is written after it.
    failed: OnceLock<StoreError>,
}

/// The offsets and facts of a claim that change with each append.
struct AppendState {
    /// Length of the file after the last append of this claim, in bytes.
    len: u64,
    /// Number of bytes from the start of the file that are known to be on the disk.
    synced: u64,
    /// True once this claim has synced the file's name, because the process that made the file may have ended before doing so.
    named: bool,
    /// Newest checkpoint written.
    tip: NewestCheckpoint,
    /// Number of claims of the thread so far, this one included.
    epoch: u64,
    /// True if the journal has any record. A journal without records is removed at the end.
    used: bool,
}

impl Claim {
    /// Begins a claim and writes its first entry. `outline` is that of the journal; `None` for a new one.
    /// Bytes behind the last complete entry were never acknowledged and are cut off; entries that may not be
    /// on the disk are written again.
    pub(super) fn begin(
        folder: StoreFolder,
        thread: ThreadId,
        held: JournalLock,
        outline: Option<&Outline>,
    ) -> Result<Self, StoreError> {
        let identity = match outline {
            Some(outline) => {
                truncate_torn_end(&held, &thread, outline.end)?;
                rewrite_unsynced(&held, outline)?;
                outline.identity
            }
            None => write_header(&held)?,
        };
        let (len, synced) = outline.map_or((HEADER, HEADER), |outline| (outline.end, outline.synced));
        let epoch = outline.map_or(0, |outline| outline.epoch).saturating_add(1);
        let tip = outline.map_or_else(NewestCheckpoint::default, Outline::newest_state);
        let state = AppendState { len, synced, named: false, tip, epoch, used: tip.seq.is_some() };
        let (state, number) = (Mutex::new(state), header::new_claim_number(identity));
        let claim = Self { thread, folder, held, identity, number, state, failed: OnceLock::new() };
        claim.write_claim_entry(epoch)?;
        // IMPORTANT: an entry that is visible here may not be on the disk, because the sync of the last run may have failed. The run would
        // build on it, so it is synced before the claim is handed out.
        if outline.is_some_and(|outline| !outline.ended_in_good_order()) {
            claim.sync()?;
        }
        claim.close_if_too_many_open();
        Ok(claim)
    }

    /// Appends the entry that begins a claim.
    fn write_claim_entry(&self, epoch: u64) -> Result<(), StoreError> {
        let (mut state, mut first) = (lock(&self.state), Vec::new());
        EntryFrame::claim(epoch, process::id()).write(self.stamp(&state, state.len), &mut first);
        self.append_bytes(&mut state, &first)
    }

    /// Returns the stamp of an entry of this claim that begins at offset `at`.
    fn stamp(&self, state: &AppendState, at: u64) -> Stamp {
        Stamp { seal: self.identity.seal, claim_number: self.number, at, synced: state.synced }
    }

    /// Syncs and closes the file until its next use, if too many claimed journals are open.
    pub(super) fn close_if_too_many_open(&self) {
        if self.held.should_be_closed() && self.sync().is_ok() {
            self.held.close();
        }
    }

    pub(super) fn thread(&self) -> &ThreadId {
        &self.thread
    }

    /// Returns the number of the newest checkpoint in the journal; `None` if there is none.
    pub(super) fn head(&self) -> Option<Seq> {
        lock(&self.state).tip.seq
    }

    /// Returns the error that every append gets after the first failure; `None` before.
    pub(super) fn failure(&self) -> Option<StoreError> {
        self.failed.get().cloned()
    }

    /// Appends entries with one write. Afterwards they survive the end of the process, but a power cut only
    /// after a sync. Fails if another process has changed the file.
    pub(super) fn write<'a>(
        &self,
        frames: impl Iterator<Item = &'a EntryFrame> + Clone,
    ) -> Result<(), StoreError> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        let mut state = lock(&self.state);
        self.check_unmoved(&state).inspect_err(|error| self.record_failure(error))?;
        let size: u64 = frames.clone().map(EntryFrame::size).sum();
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        for frame in frames {
            let at = state.len + bytes.len() as u64;
            state.tip.follow(frame.head(), at);
            frame.write(self.stamp(&state, at), &mut bytes);
        }
        state.used = true;
        self.append_bytes(&mut state, &bytes)
    }

    /// Syncs everything written so far to the disk, and once per claim the name of the file.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        if let Some(error) = self.failure() {
            return Err(error);
        }
        let mut state = lock(&self.state);
        if state.named && state.synced == state.len {
            return Ok(());
        }
        let failed = |error| StoreError::io("sync", self.held.path(), error);
        let synced = self.held.file().and_then(|file| file.sync_data().map_err(failed));
        let named = synced.and_then(|()| if state.named { Ok(()) } else { self.folder.sync() });
        named.inspect_err(|error| self.record_failure(error))?;
        (state.named, state.synced) = (true, state.len);
        Ok(())
    }

    /// Writes the closing entry, unless the claim has failed, and releases the lock.
    pub(super) fn end(&self) {
        if self.failure().is_none() {
            self.close();
        }
        self.held.release();
    }

    /// Syncs the journal and then appends the entry that records the end in good order. Empties a journal
    /// without records, which is then removed with the lock.
    fn close(&self) {
        let used = {
            let state = lock(&self.state);
            if self.check_unmoved(&state).is_err() {
                return;
            }
            state.used
        };
        if !used {
            // Emptied, because releasing the lock removes an empty file.
            let _ = self.held.file().map(|file| file.set_len(0));
        } else if self.sync().is_ok() {
            // IMPORTANT: written only after the sync, because the entry states that everything before it is on the disk.
            let mut state = lock(&self.state);
            let mut last = Vec::new();
            EntryFrame::close(state.epoch, state.tip.root).write(self.stamp(&state, state.len), &mut last);
            let _ = self.append_bytes(&mut state, &last);
        }
    }

    /// Fails if the file has another length than after the last append, or its name now belongs to another
    /// file or none: another process has written to it, replaced it or removed it.
    fn check_unmoved(&self, state: &AppendState) -> Result<(), StoreError> {
        let found = match self.held.length()? {
            Some(len) if len == state.len => return Ok(()),
            Some(len) => format!("in a journal of {len} bytes instead of {}", state.len),
            None if fs::exists(self.held.path()).unwrap_or(false) => {
                "in a journal that replaced its own".to_owned()
            }
            None => "gone, its journal was removed".to_owned(),
        };
        let expected = state.tip.seq.map_or_else(|| "none".to_owned(), |head| head.to_string());
        Err(StoreError::Conflict { thread: self.thread.clone(), expected, found })
    }

    /// Appends bytes to the file. After a failed write, cuts the file to its old length and records the
    /// failure.
    fn append_bytes(&self, state: &mut AppendState, bytes: &[u8]) -> Result<(), StoreError> {
        let file = self.held.file().inspect_err(|error| self.record_failure(error))?;
        if let Err(error) = (&*file).write_all(bytes) {
            // The result is ignored, because the next claim cuts the same bytes off if this fails.
            let _ = file.set_len(state.len);
            let error = StoreError::io("append to", self.held.path(), error);
            self.record_failure(&error);
            return Err(error);
        }
        state.len += bytes.len() as u64;
        Ok(())
    }

    /// Stores the first failure, after which nothing more is written.
    fn record_failure(&self, error: &StoreError) {
        let lasting = match error {
            StoreError::Conflict { .. } => error.clone(),
            other => StoreError::Closed(other.to_string()),
        };
        let _ = self.failed.set(lasting);
    }
}

/// Cuts off the bytes behind offset `whole`, the end of the last complete entry, and logs a warning.
fn truncate_torn_end(held: &JournalLock, thread: &ThreadId, whole: u64) -> Result<(), StoreError> {
    let torn = held.length()?.unwrap_or_default().saturating_sub(whole);
    if torn == 0 {
        return Ok(());
    }
    tracing::warn!(%thread, bytes = torn, "cut off the end of a journal that was never acknowledged");
    held.file()?.set_len(whole).map_err(|error| StoreError::io("cut", held.path(), error))
}

/// Writes the header of a new journal and syncs it. Returns the identity of the file.
fn write_header(held: &JournalLock) -> Result<Identity, StoreError> {
    let (header, identity) = header::create();
    let file = held.file()?;
    let written = file.set_len(0).and_then(|()| (&*file).write_all(&header)).and_then(|()| file.sync_data());
    written.map(|()| identity).map_err(|error| StoreError::io("begin", held.path(), error))
}

/// Writes the entries that are not known to be on the disk once more, in place.
fn rewrite_unsynced(held: &JournalLock, outline: &Outline) -> Result<(), StoreError> {
    if outline.synced >= outline.end {
        return Ok(());
    }
    let failed = |error| StoreError::io("write again", held.path(), error);
    let mut file = held.for_rewriting()?;
    let (mut at, mut piece) = (outline.synced, Vec::new());
    while at < outline.end {
        piece.clear();
        file.seek(SeekFrom::Start(at)).map_err(failed)?;
        (&file).take(PIECE.min(outline.end - at)).read_to_end(&mut piece).map_err(failed)?;
        if piece.is_empty() {
            return Err(failed(std::io::ErrorKind::UnexpectedEof.into()));
        }
        file.seek(SeekFrom::Start(at)).map_err(failed)?;
        file.write_all(&piece).map_err(failed)?;
        at += piece.len() as u64;
    }
    Ok(())
}
