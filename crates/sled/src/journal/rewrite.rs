//! Writes a journal under a temporary name and then renames it over another: the base of copy, prune and repair.
//! A failure before the rename leaves the old journal unchanged.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::folder::StoreFolder;
use super::frame::{EntryFrame, Stamp};
use super::header;
use super::newest_checkpoint::NewestCheckpoint;
use super::outline::EntryLocation;
use super::reader::JournalReader;
use stategraph_base::owner_only;
use stategraph_core::{StoreError, ThreadId};

/// Writes a new journal of `thread` with those entries of `source` that `keep` selects, in log order, and
/// replaces the old journal by it. Entries in `changed`, by offset in `source`, replace their originals. The
/// caller has the lock on the thread. Returns the new length in bytes.
pub(super) fn rewrite(
    folder: &StoreFolder,
    thread: &ThreadId,
    source: &JournalReader,
    keep: impl Fn(&EntryLocation) -> bool,
    changed: &BTreeMap<u64, EntryFrame>,
) -> Result<u64, StoreError> {
    let temporary = folder.temporary(thread);
    let written = write(&temporary, source, keep, changed);
    let placed = written.and_then(|len| {
        let path = folder.journal(thread);
        fs::rename(&temporary, &path).map_err(|error| StoreError::io("replace", path, error))?;
        Ok(len)
    });
    match placed {
        Ok(len) => folder.sync().map(|()| len),
        Err(error) => {
            // The result is ignored, because the next claim of the thread removes the file too.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

/// Writes the new journal at a temporary path, synced, and returns its length.
fn write(
    path: &Path,
    source: &JournalReader,
    keep: impl Fn(&EntryLocation) -> bool,
    changed: &BTreeMap<u64, EntryFrame>,
) -> Result<u64, StoreError> {
    let failed = |error: io::Error| StoreError::io("write", path, error);
    let (header, identity) = header::create();
    let stamp =
        Stamp { seal: identity.seal, claim_number: header::new_claim_number(identity), at: 0, synced: 0 };
    let file = BufWriter::new(owner_only::create(path).map_err(failed)?);
    let mut out = JournalRewriter { file, stamp, tip: NewestCheckpoint::default() };
    out.bytes(&header).map_err(failed)?;
    let process = u32::try_from(source.outline().process).unwrap_or_default();
    out.frame(&EntryFrame::claim(source.outline().epoch, process)).map_err(failed)?;
    let mut payload = source.payloads();
    for spot in source.outline().log().iter().filter(|spot| keep(spot)) {
        match changed.get(&spot.at) {
            Some(frame) => out.frame(frame).map_err(failed)?,
            None => out.frame(&EntryFrame::with_payload(&spot.head, payload(spot)?)).map_err(failed)?,
        }
    }
    out.finish(source.outline().epoch).map_err(failed)
}

/// The writer of a new journal file.
struct JournalRewriter {
    file: BufWriter<File>,
    /// Stamp of the next entry; its offset is the length so far.
    stamp: Stamp,
    tip: NewestCheckpoint,
}

impl JournalRewriter {
    /// Writes bytes and advances the offset.
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stamp.at += bytes.len() as u64;
        self.file.write_all(bytes)
    }

    /// Writes an entry.
    fn frame(&mut self, frame: &EntryFrame) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.tip.follow(frame.head(), self.stamp.at);
        frame.write(self.stamp, &mut bytes);
        self.bytes(&bytes)
    }

    /// Writes the closing entry and syncs the file.
    ///
    /// IMPORTANT: the closing entry states that everything before it is on the disk. This is true for every reader, because the file gets
    /// its final name only after the sync.
    fn finish(mut self, epoch: u64) -> io::Result<u64> {
        let mut bytes = Vec::new();
        let stamp = Stamp { synced: self.stamp.at, ..self.stamp };
        EntryFrame::close(epoch, self.tip.root).write(stamp, &mut bytes);
        self.bytes(&bytes)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(self.stamp.at)
    }
}
