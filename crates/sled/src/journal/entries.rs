//! Reads and decodes single entries at the offsets that an outline has, and verifies each against it.

use std::io;
use std::sync::Arc;

use super::chunks::ChunkReader;
use super::frame::{self, EntryHead, Unreadable};
use super::outline::{EntryLocation, EntryMeta};
use super::reader::JournalReader;
use stategraph_core::store::lineage;
use stategraph_core::{Checkpoint, FORMAT, StoreError, TaskRecord};

/// Number of bytes read at a time.
const CHUNK: usize = 64 << 10;

/// A reader of single entries; fastest in the order of the file.
pub(super) struct EntryReader<'j> {
    journal: &'j JournalReader,
    pieces: ChunkReader<'j>,
}

impl<'j> EntryReader<'j> {
    /// Makes a reader of the journal's entries.
    pub(super) fn new(journal: &'j JournalReader) -> Self {
        Self { journal, pieces: ChunkReader::new(journal.file(), journal.seal(), CHUNK) }
    }

    /// Makes a reader of entries that end before the offset `until`; it does not read ahead behind it.
    pub(super) fn until(journal: &'j JournalReader, until: u64) -> Self {
        Self { journal, pieces: ChunkReader::new(journal.file(), journal.seal(), CHUNK).until(until) }
    }

    /// Reads the payload of an entry. `None` if the entry is broken or its head differs from the outline.
    pub(super) fn payload(&mut self, spot: &EntryLocation) -> io::Result<Option<&[u8]>> {
        let entry = self.pieces.entry(spot.at, spot.end() - spot.at)?;
        let EntryMeta { kind, seq, len, .. } = spot.head;
        let expected = |head: &EntryHead| (head.kind, head.seq, head.len) == (kind, seq, len);
        Ok(entry.filter(|(head, _)| expected(head)).map(|(_, payload)| payload))
    }

    /// Reads the checksum in the head of an entry. `None` if there is no head at its offset.
    pub(super) fn checksum(&mut self, spot: &EntryLocation) -> Option<u32> {
        self.pieces.head(spot.at).ok()?.map(|head| head.checksum)
    }

    /// Reads the payload of an entry that the outline has; fails if it is not readable any more.
    pub(super) fn require_payload(&mut self, spot: &EntryLocation) -> Result<&[u8], StoreError> {
        let journal = self.journal;
        match self.payload(spot).map_err(|error| StoreError::io("read", journal.path(), error))? {
            Some(payload) => Ok(payload),
            None => Err(journal.corrupt(spot.at, "an entry is not readable any more".to_owned())),
        }
    }

    /// Reads and decodes a checkpoint.
    pub(super) fn checkpoint(&mut self, spot: &EntryLocation) -> Result<Arc<Checkpoint>, StoreError> {
        let journal = self.journal;
        frame::checkpoint(self.require_payload(spot)?, spot.seq()).map_err(|unreadable| match unreadable {
            Unreadable::Newer(found) => {
                StoreError::Newer { path: journal.path().to_owned(), found, supported: FORMAT }
            }
            Unreadable::Malformed(detail) => journal.corrupt(spot.at, detail),
        })
    }

    /// Reads the task records whose base is this checkpoint. Of several answers to one question, only the
    /// last is returned.
    pub(super) fn tasks(&mut self, base: &Checkpoint) -> Result<Vec<TaskRecord>, StoreError> {
        let journal = self.journal;
        let task = |spot: &EntryLocation| {
            frame::task(self.require_payload(spot)?).map_err(|detail| journal.corrupt(spot.at, detail))
        };
        let records = journal.outline().tasks(base.seq).iter().map(task).collect::<Result<_, _>>()?;
        Ok(lineage::visible_records(base, records))
    }
}
