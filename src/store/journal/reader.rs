//! The reading end of one journal: lineage, history and summary of a thread, while anybody else may be writing to it.
//! Never writes, needs no claim; what is not whole yet is not seen.

use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decode;
use super::frame::{self, Unreadable};
use super::header::{self, HEADER, Header};
use super::outline::{Outline, Spot, next_entry};
use crate::engine::{
    Checkpoint, FORMAT, HistoryEntry, HistoryQuery, Lineage, Seq, StoreError, TaskRecord, ThreadId,
    ThreadSummary,
};
use crate::store::{lineage, summary::summary};

/// How much is read at a time, in bytes.
const CHUNK: usize = 256 << 10;

/// A journal with what it holds.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    outline: Arc<Outline>,
    recalled: u64,
}

impl Journal {
    /// Takes a file and what `recall` knows about one with its random number and length. None when it holds nothing yet.
    pub(super) fn read(
        path: &Path,
        file: File,
        recall: impl FnOnce(u64, u64) -> Option<Arc<Outline>>,
    ) -> Result<Option<Self>, StoreError> {
        let failed = |error| StoreError::io("read", path, error);
        let len = file.metadata().map_err(failed)?.len();
        let Header::Journal(generation) = header::read(&file, path, len)? else { return Ok(None) };
        let mut journal = Self {
            path: path.to_owned(),
            file,
            outline: Arc::new(Outline::new(generation, HEADER)),
            recalled: 0,
        };
        if let Some(recalled) = recall(generation, len).filter(|recalled| journal.confirms(recalled, len)) {
            (journal.recalled, journal.outline) = (recalled.end, recalled);
        }
        if journal.outline.end < len {
            Arc::make_mut(&mut journal.outline).scan(&journal.file, len).map_err(failed)?;
        }
        Ok(Some(journal))
    }

    /// Whether the last entry that an index knows stands where it says.
    fn confirms(&self, recalled: &Outline, len: u64) -> bool {
        let newest = recalled.newest().copied();
        recalled.end <= len
            && newest
                .is_some_and(|spot| Frames::new(self).payload(&spot).is_ok_and(|payload| payload.is_some()))
    }

    /// How much of the file an index knew, rightly, in bytes.
    pub(super) fn recalled(&self) -> u64 {
        self.recalled
    }

    pub(super) fn outline(&self) -> &Arc<Outline> {
        &self.outline
    }

    /// Notes that the index knows all of it.
    pub(super) fn indexed(&mut self) {
        let outline = Arc::make_mut(&mut self.outline);
        outline.indexed = outline.end;
    }

    /// Fails when something was damaged.
    pub(super) fn sound(&self) -> Result<(), StoreError> {
        match &self.outline.damage {
            Some(damage) => Err(self.corrupt(damage.at, damage.detail.clone())),
            None => Ok(()),
        }
    }

    /// A checkpoint, the newest when none is named, with what is needed to rebuild its state.
    pub(super) fn lineage(&self, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let Some(tip) = seq.map_or_else(|| self.outline.newest(), |seq| self.outline.find(seq)) else {
            // Behind damage there may be what was asked for.
            return self.sound().map(|()| None);
        };
        if seq.is_none() {
            self.sound()?;
        }
        let mut frames = Frames::new(self);
        let chain = frames.chain(tip)?;
        let tasks = frames.tasks(tip.seq())?;
        Ok(Some(Lineage { chain, tasks }))
    }

    /// The checkpoints that rebuild the state at `tip`, oldest first.
    pub(super) fn chain(&self, tip: &Spot) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        Frames::new(self).chain(tip)
    }

    /// The checkpoints asked for, newest first.
    pub(super) fn history(&self, query: &HistoryQuery) -> Result<Vec<HistoryEntry>, StoreError> {
        let all = self.outline.checkpoints();
        let older = query.before.map_or(all.len(), |before| all.partition_point(|spot| spot.seq() < before));
        if older == all.len() {
            let known = all.last().map(Spot::seq);
            // What stands behind damage cannot be listed; what is before can, when that is what was asked for.
            if query.before.is_none_or(|before| known.map(Seq::next) < Some(before)) {
                self.sound()?;
            }
        }
        let first = older.saturating_sub(query.limit.unwrap_or(usize::MAX));
        let mut frames = Frames::new(self);
        let spots: Vec<&Spot> = all[first..older].iter().collect();
        let mut entries = Vec::with_capacity(spots.len());
        for checkpoint in frames.checkpoints(&spots)? {
            entries.push(HistoryEntry { tasks: frames.tasks(checkpoint.seq)?, checkpoint });
        }
        entries.reverse();
        Ok(entries)
    }

    /// The thread in a listing; none when it has no checkpoint.
    pub(super) fn summary(&self, thread: &ThreadId) -> Result<Option<ThreadSummary>, StoreError> {
        let Some(newest) = self.outline.newest() else { return Ok(None) };
        if let Err(error) = self.sound() {
            tracing::warn!(%thread, %error, "a thread is listed as it was before the damage");
        }
        let mut frames = Frames::new(self);
        let tasks = frames.tasks(newest.seq())?;
        let newest = frames.checkpoints(&[newest])?;
        Ok(newest.first().map(|newest| summary(thread, newest, &tasks)))
    }

    /// The payload of an entry as it stands in the file.
    pub(super) fn payloads(&self) -> impl FnMut(&Spot) -> Result<Vec<u8>, StoreError> {
        let mut frames = Frames::new(self);
        move |spot| frames.whole(spot).map(<[u8]>::to_vec)
    }

    fn corrupt(&self, offset: u64, detail: String) -> StoreError {
        StoreError::Corrupt { path: self.path.clone(), offset, detail }
    }
}

/// Reads entries of a journal; fastest in the order of the file.
struct Frames<'j> {
    journal: &'j Journal,
    reader: BufReader<&'j File>,
    /// Where the reader stands, if that is known.
    position: Option<u64>,
    payload: Vec<u8>,
}

impl<'j> Frames<'j> {
    fn new(journal: &'j Journal) -> Self {
        let reader = BufReader::with_capacity(CHUNK, &journal.file);
        Self { journal, reader, position: None, payload: Vec::new() }
    }

    /// The payload of an entry; none when another stands there, or a broken one.
    fn payload(&mut self, spot: &Spot) -> io::Result<Option<&[u8]>> {
        self.go_to(spot.at)?;
        self.position = None;
        let head = next_entry(&mut self.reader, spot.end() - spot.at, &mut self.payload)?;
        let expected = |head: &frame::Head| (head.kind, head.seq) == (spot.head.kind, spot.head.seq);
        if head.as_ref().is_some_and(expected) {
            self.position = Some(spot.end());
            return Ok(Some(&self.payload));
        }
        Ok(None)
    }

    /// Keeps what is buffered when the place is near.
    fn go_to(&mut self, at: u64) -> io::Result<()> {
        let distance = self.position.and_then(|position| at.checked_signed_diff(position));
        match distance {
            Some(distance) => self.reader.seek_relative(distance),
            None => self.reader.seek(SeekFrom::Start(at)).map(|_| ()),
        }
    }

    fn whole(&mut self, spot: &Spot) -> Result<&[u8], StoreError> {
        let journal = self.journal;
        match self.payload(spot).map_err(|error| StoreError::io("read", &journal.path, error))? {
            Some(payload) => Ok(payload),
            None => Err(journal.corrupt(spot.at, "an entry is not readable any more".to_owned())),
        }
    }

    fn checkpoints(&mut self, spots: &[&Spot]) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let journal = self.journal;
        let payload = |spot: &&Spot| Ok((spot.seq(), self.whole(spot)?.to_vec()));
        let payloads = spots.iter().map(payload).collect::<Result<Vec<_>, StoreError>>()?;
        decode::checkpoints(&payloads).map_err(|(seq, unreadable)| match unreadable {
            Unreadable::Newer(found) => {
                StoreError::Newer { path: journal.path.clone(), found, supported: FORMAT }
            }
            Unreadable::Malformed(detail) => {
                journal.corrupt(journal.outline.find(seq).map_or(0, |spot| spot.at), detail)
            }
        })
    }

    fn tasks(&mut self, base: Seq) -> Result<Vec<TaskRecord>, StoreError> {
        let journal = self.journal;
        let task =
            |spot: &Spot| frame::task(self.whole(spot)?).map_err(|detail| journal.corrupt(spot.at, detail));
        let records = journal.outline.tasks(base).iter().map(task).collect::<Result<_, _>>()?;
        Ok(lineage::settle(records))
    }

    fn chain(&mut self, tip: &Spot) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let outline = &self.journal.outline;
        let find = |seq| outline.find(seq).map(Spot::place);
        let chain = lineage::chain(tip.place(), find).map_err(|missing| {
            self.journal.corrupt(tip.at, format!("it continues checkpoint {missing}, which is not there"))
        })?;
        let spots: Vec<&Spot> = chain.into_iter().filter_map(|seq| outline.find(seq)).collect();
        self.checkpoints(&spots)
    }
}
