//! Which entries a journal holds and where, found by one pass over their heads and checksums. Reads, never writes; parses no JSON.
//!
//! A journal ends at its first entry that is not whole. Nothing behind it was acknowledged as synced, or else a later entry says
//! that this place was on the disk once: then it is damage, and what stands before it stays readable.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use super::frame::{HEAD, Head, Kind, MARKER};
use super::pieces::Pieces;
use crate::engine::Seq;
use crate::store::lineage::Place;

/// How much is read at a time, in bytes.
const CHUNK: usize = 256 * 1024;

/// Where a checkpoint or a task record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// The offset of the entry in the file.
    pub(super) at: u64,
    pub(super) head: SpotHead,
}

/// What of a [`Head`] is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpotHead {
    pub(super) kind: Kind,
    pub(super) snapshot: bool,
    pub(super) len: u32,
    pub(super) seq: u64,
    pub(super) parent: u64,
}

/// An entry that once was whole and is not any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) at: u64,
    pub(super) detail: String,
}

/// The entries of one journal, up to its end or the first damage.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    /// The file's random number.
    pub(super) generation: u64,
    /// Where the last whole entry ends.
    pub(super) end: u64,
    /// So many bytes are known to be on the disk.
    pub(super) synced: u64,
    /// How often the thread was claimed.
    pub(super) epoch: u64,
    /// The process that claimed it last.
    pub(super) process: u64,
    /// So many bytes are known to the index.
    pub(super) indexed: u64,
    /// Why it ends there, when that is not the end of what was written.
    pub(super) damage: Option<Damage>,
    /// Sorted by position.
    checkpoints: Vec<Spot>,
    /// By the checkpoint that planned them, in log order.
    tasks: BTreeMap<u64, Vec<Spot>>,
}

impl Outline {
    /// The outline of a journal of which only the header, `start` bytes, is known.
    pub(super) fn new(generation: u64, start: u64) -> Self {
        Self { generation, end: start, ..Self::default() }
    }

    /// Goes on reading where the outline ends, up to `len` bytes of the file.
    pub(super) fn scan(&mut self, file: &File, len: u64) -> io::Result<()> {
        let mut pieces = Pieces::new(file, CHUNK);
        while self.end < len {
            let Some((head, _)) = pieces.entry(self.end, len - self.end)? else {
                self.damage = evidence(file, self.end, len)?;
                return Ok(());
            };
            if let Err(detail) = self.note(&head) {
                self.damage = Some(Damage { at: self.end, detail });
                return Ok(());
            }
        }
        Ok(())
    }

    /// Takes in the entry at the end.
    fn note(&mut self, head: &Head) -> Result<(), String> {
        let Head { kind, snapshot, len, seq, parent, .. } = *head;
        let spot = Spot { at: self.end, head: SpotHead { kind, snapshot, len, seq, parent } };
        match kind {
            Kind::Claim => (self.epoch, self.process) = (seq, parent),
            Kind::Close => {}
            Kind::Checkpoint | Kind::Task => self.insert(spot)?,
        }
        self.synced = self.synced.max(head.synced);
        self.end += head.size();
        Ok(())
    }

    /// Adds a checkpoint or task record. Fails when two writers have written to the file at once.
    pub(super) fn insert(&mut self, spot: Spot) -> Result<(), String> {
        if spot.head.kind == Kind::Task {
            self.tasks.entry(spot.head.seq).or_default().push(spot);
            return Ok(());
        }
        match self.checkpoints.last() {
            Some(last) if last.head.seq >= spot.head.seq => {
                Err(format!("checkpoint {} follows checkpoint {}", spot.head.seq, last.head.seq))
            }
            _ => {
                self.checkpoints.push(spot);
                Ok(())
            }
        }
    }

    /// All checkpoints, oldest first.
    pub(super) fn checkpoints(&self) -> &[Spot] {
        &self.checkpoints
    }

    /// What the tasks planned by a checkpoint left, in log order.
    pub(super) fn tasks(&self, base: Seq) -> &[Spot] {
        self.tasks.get(&base.0).map_or(&[], Vec::as_slice)
    }

    /// Checkpoints and task records, in log order.
    pub(super) fn log(&self) -> Vec<Spot> {
        let mut log: Vec<Spot> =
            self.checkpoints.iter().chain(self.tasks.values().flatten()).copied().collect();
        log.sort_unstable_by_key(|spot| spot.at);
        log
    }

    pub(super) fn find(&self, seq: Seq) -> Option<&Spot> {
        let at = self.checkpoints.binary_search_by_key(&seq.0, |spot| spot.head.seq).ok()?;
        Some(&self.checkpoints[at])
    }

    pub(super) fn newest(&self) -> Option<&Spot> {
        self.checkpoints.last()
    }
}

impl Spot {
    pub(super) fn seq(&self) -> Seq {
        Seq(self.head.seq)
    }

    /// The checkpoint among the others.
    pub(super) fn place(&self) -> Place {
        let parent = (self.head.parent != 0).then_some(Seq(self.head.parent));
        Place { seq: self.seq(), parent, snapshot: self.head.snapshot }
    }

    /// Where the entry ends.
    pub(super) fn end(&self) -> u64 {
        self.at + HEAD as u64 + u64::from(self.head.len)
    }
}

/// Looks behind an entry that is not whole for one that is, and that was written when `broken` was on the disk already.
fn evidence(file: &File, broken: u64, len: u64) -> io::Result<Option<Damage>> {
    let (mut at, mut pieces) = (broken + 1, Pieces::new(file, CHUNK));
    while at + HEAD as u64 <= len {
        match pieces.entry(at, len - at)? {
            Some((head, _)) if head.synced > broken => {
                let detail = format!("an entry is not readable, but the one at byte {at} is");
                return Ok(Some(Damage { at: broken, detail }));
            }
            Some((head, _)) => at += head.size(),
            None => at = next_marker(file, at + 1)?.unwrap_or(len),
        }
    }
    Ok(None)
}

/// Where the next entry may begin, at `from` or behind it.
fn next_marker(file: &File, from: u64) -> io::Result<Option<u64>> {
    let mut reader = BufReader::with_capacity(CHUNK, file);
    reader.seek(SeekFrom::Start(from))?;
    let mut last = [0_u8; MARKER.len()];
    for (at, byte) in (from..).zip(reader.bytes()) {
        last.rotate_left(1);
        last[MARKER.len() - 1] = byte?;
        if last == MARKER {
            return Ok(Some(at + 1 - MARKER.len() as u64));
        }
    }
    Ok(None)
}
