//! Reads and decodes single entries at known offsets. Verifies each against its outline.

use std::io;
use std::sync::Arc;

use super::chunks::ChunkReader;
use super::frame::{self, EntryHead, Unreadable};
use super::outline::{EntryLocation, EntryMeta};
use super::reader::JournalReader;
use stategraph_core::store::lineage;
use stategraph_core::{Checkpoint, FORMAT, StoreError, TaskRecord};

/// Bytes read at a time.
const CHUNK: usize = 64 << 10;

/// A reader of single entries; fastest in the order of the file.
pub(super) struct EntryReader<'j> {
    journal: &'j JournalReader,
    pieces: ChunkReader<'j>,
}

impl<'j> EntryReader<'j> {
    pub(super) fn new(journal: &'j JournalReader) -> Self {
        Self { journal, pieces: ChunkReader::new(journal.file(), journal.seal(), CHUNK) }
    }

    /// Makes a reader of the entries that end before `until`. Does not read ahead behind that offset.
    pub(super) fn until(journal: &'j JournalReader, until: u64) -> Self {
        Self { journal, pieces: ChunkReader::new(journal.file(), journal.seal(), CHUNK).until(until) }
    }

    /// Reads the payload of an entry. Returns `None` if the entry is broken or another one is in its place.
    pub(super) fn payload(&mut self, spot: &EntryLocation) -> io::Result<Option<&[u8]>> {
        let entry = self.pieces.entry(spot.at, spot.end() - spot.at)?;
        let EntryMeta { kind, seq, len, .. } = spot.head;
        let expected = |head: &EntryHead| (head.kind, head.seq, head.len) == (kind, seq, len);
        Ok(entry.filter(|(head, _)| expected(head)).map(|(_, payload)| payload))
    }

    /// Reads the checksum from the head of an entry. Returns `None` if there is no head.
    pub(super) fn checksum(&mut self, spot: &EntryLocation) -> Option<u32> {
        self.pieces.head(spot.at).ok()?.map(|head| head.checksum)
    }

    /// Reads the payload of an entry that must exist; fails if it is not readable.
    pub(super) fn require_payload(&mut self, spot: &EntryLocation) -> Result<&[u8], StoreError> {
        let journal = self.journal;
        match self.payload(spot).map_err(|error| StoreError::io("read", journal.path(), error))? {
            Some(payload) => Ok(payload),
            None => Err(journal.corrupt(spot.at, "an entry is not readable any more".to_owned())),
        }
    }

    pub(super) fn checkpoint(&mut self, spot: &EntryLocation) -> Result<Arc<Checkpoint>, StoreError> {
        let journal = self.journal;
        frame::checkpoint(self.require_payload(spot)?, spot.seq()).map_err(|unreadable| match unreadable {
            Unreadable::Newer(found) => {
                StoreError::Newer { path: journal.path().to_owned(), found, supported: FORMAT }
            }
            Unreadable::Malformed(detail) => journal.corrupt(spot.at, detail),
        })
    }

    /// Reads the records of the tasks that a checkpoint planned.
    pub(super) fn tasks(&mut self, base: &Checkpoint) -> Result<Vec<TaskRecord>, StoreError> {
        let journal = self.journal;
        let task = |spot: &EntryLocation| {
            frame::task(self.require_payload(spot)?).map_err(|detail| journal.corrupt(spot.at, detail))
        };
        let records = journal.outline().tasks(base.seq).iter().map(task).collect::<Result<_, _>>()?;
        Ok(lineage::visible_records(base, records))
    }
}
