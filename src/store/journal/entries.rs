//! Entries of a journal whose places are known, read and decoded one by one. Each is checked against what was known of it.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::frame::{self, HEAD, Head, Unreadable};
use super::outline::{Spot, next_entry};
use super::positioned::Positioned;
use super::reader::Journal;
use crate::engine::{Checkpoint, FORMAT, Seq, StoreError, TaskRecord};
use crate::store::lineage;

/// How much is read at a time, in bytes.
const CHUNK: usize = 64 << 10;

/// Reads entries of a journal; fastest in the order of the file.
pub(super) struct Entries<'j> {
    journal: &'j Journal,
    reader: BufReader<Positioned<'j>>,
    /// Where the reader stands, if that is known.
    position: Option<u64>,
    payload: Vec<u8>,
}

impl<'j> Entries<'j> {
    pub(super) fn new(journal: &'j Journal) -> Self {
        let reader = BufReader::with_capacity(CHUNK, Positioned::new(journal.file()));
        Self { journal, reader, position: None, payload: Vec::new() }
    }

    /// The payload of an entry; none when another stands there, or a broken one.
    pub(super) fn payload(&mut self, spot: &Spot) -> io::Result<Option<&[u8]>> {
        self.go_to(spot.at)?;
        self.position = None;
        let head = next_entry(&mut self.reader, spot.end() - spot.at, &mut self.payload)?;
        let expected = |head: &Head| (head.kind, head.seq) == (spot.head.kind, spot.head.seq);
        if head.as_ref().is_some_and(expected) {
            self.position = Some(spot.end());
            return Ok(Some(&self.payload));
        }
        Ok(None)
    }

    /// The checksum that stands in the head of an entry; none when no head stands there.
    pub(super) fn checksum(&mut self, spot: &Spot) -> Option<u32> {
        self.go_to(spot.at).ok()?;
        self.position = None;
        let mut head = [0; HEAD];
        self.reader.read_exact(&mut head).ok()?;
        Head::read(&head).map(|head| head.checksum)
    }

    /// Keeps what is buffered when the place is near.
    fn go_to(&mut self, at: u64) -> io::Result<()> {
        let distance = self.position.and_then(|position| at.checked_signed_diff(position));
        match distance {
            Some(distance) => self.reader.seek_relative(distance),
            None => self.reader.seek(SeekFrom::Start(at)).map(|_| ()),
        }
    }

    /// The payload of an entry that must be there.
    pub(super) fn whole(&mut self, spot: &Spot) -> Result<&[u8], StoreError> {
        let journal = self.journal;
        match self.payload(spot).map_err(|error| StoreError::io("read", journal.path(), error))? {
            Some(payload) => Ok(payload),
            None => Err(journal.corrupt(spot.at, "an entry is not readable any more".to_owned())),
        }
    }

    pub(super) fn checkpoint(&mut self, spot: &Spot) -> Result<Arc<Checkpoint>, StoreError> {
        let journal = self.journal;
        frame::checkpoint(self.whole(spot)?, spot.seq()).map_err(|unreadable| match unreadable {
            Unreadable::Newer(found) => {
                StoreError::Newer { path: journal.path().to_owned(), found, supported: FORMAT }
            }
            Unreadable::Malformed(detail) => journal.corrupt(spot.at, detail),
        })
    }

    /// What the tasks planned by a checkpoint left.
    pub(super) fn tasks(&mut self, base: Seq) -> Result<Vec<TaskRecord>, StoreError> {
        let journal = self.journal;
        let task =
            |spot: &Spot| frame::task(self.whole(spot)?).map_err(|detail| journal.corrupt(spot.at, detail));
        let records = journal.outline().tasks(base).iter().map(task).collect::<Result<_, _>>()?;
        Ok(lineage::settle(records))
    }
}
