//! Which entries a journal holds and where, found by one pass over their heads and checksums. Reads, never writes; parses no JSON.
//!
//! A journal ends at its first entry that is not whole. Nothing behind it was acknowledged as synced, or else a later entry says
//! that this place was on the disk once: then it is damage, and what stands before it stays readable.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use super::frame::{HEAD, Head, Kind, Seal};
use super::header::Identity;
use super::pieces::Pieces;
use super::tip::Tip;
use stategraph_core::Seq;
use stategraph_core::store::lineage::{self, Place};

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

/// How much of a journal somebody has to know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extent {
    /// What the newest state is made of, and all behind it.
    Newest,
    /// All of it.
    #[default]
    Whole,
}

/// The entries of one journal, up to its end or the first damage.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    /// Which file it is of.
    pub(super) identity: Identity,
    /// How much of it is known.
    pub(super) extent: Extent,
    /// Where the last whole entry ends.
    pub(super) end: u64,
    /// So many bytes are known to be on the disk.
    pub(super) synced: u64,
    /// How often the thread was claimed.
    pub(super) epoch: u64,
    /// The process that claimed it last.
    pub(super) process: u64,
    /// The number of the claim that wrote the last entry; none where it was not read.
    pub(super) turn: Option<u16>,
    /// So many bytes are known to the index.
    pub(super) indexed: u64,
    /// The last entry, which ends where the outline does.
    pub(super) last: Option<Spot>,
    /// Its checksum, where it was read.
    pub(super) checksum: Option<u32>,
    /// Why it ends there, when that is not the end of what was written.
    pub(super) damage: Option<Damage>,
    /// Damage that lies before what is outlined, and keeps nobody from going on.
    pub(super) passed_over: Option<Damage>,
    /// Sorted by position.
    checkpoints: Vec<Spot>,
    /// By the checkpoint that planned them, in log order.
    tasks: BTreeMap<u64, Vec<Spot>>,
}

impl Outline {
    /// The outline of a journal of which only the header, `start` bytes, is known.
    pub(super) fn new(identity: Identity, start: u64) -> Self {
        Self { identity, end: start, ..Self::default() }
    }

    /// Goes on reading where the outline ends, up to `len` bytes of the file.
    pub(super) fn scan(&mut self, file: &File, len: u64) -> io::Result<()> {
        let seal = self.identity.seal;
        let mut pieces = Pieces::new(file, seal, CHUNK).until(len);
        while self.end < len {
            let entry = pieces.entry(self.end, len - self.end)?.map(|(head, _)| head);
            let Some(head) = entry.filter(|head| self.continues(head)) else {
                self.damage = evidence(file, seal, self.end, len)?;
                return Ok(());
            };
            if !self.note(&head) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Whether the claim that wrote the last entry wrote this one, or it begins another. An entry of an earlier claim, which was cut
    /// off, may have come back from an old block.
    pub(super) fn continues(&self, head: &Head) -> bool {
        head.kind == Kind::Claim || self.turn.is_none_or(|turn| turn == head.turn)
    }

    /// Takes in the entry at the end. False when it cannot stand there, which is noted as damage.
    pub(super) fn note(&mut self, head: &Head) -> bool {
        let spot = Spot { at: self.end, head: head.remembered() };
        match head.kind {
            Kind::Claim => (self.epoch, self.process) = (head.seq, head.parent),
            Kind::Close => {}
            Kind::Checkpoint | Kind::Task => {
                if let Err(detail) = self.insert(spot) {
                    self.damage = Some(Damage { at: self.end, detail });
                    return false;
                }
            }
        }
        (self.synced, self.turn) = (self.synced.max(head.synced), Some(head.turn));
        (self.last, self.checksum) = (Some(spot), Some(head.checksum));
        self.end += head.size();
        true
    }

    /// Whether the last run ended in good order: then everything before its last entry is on the disk.
    pub(super) fn ended_well(&self) -> bool {
        self.last.is_some_and(|last| last.head.kind == Kind::Close && last.at == self.synced)
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
        let first = self.checkpoints.first()?.head.seq;
        // Where nothing was pruned, numbers have no gaps.
        let likely = usize::try_from(seq.0.checked_sub(first)?).ok()?;
        let there = self.checkpoints.get(likely).filter(|spot| spot.seq() == seq);
        there.or_else(|| {
            let at = self.checkpoints.binary_search_by_key(&seq.0, |spot| spot.head.seq).ok()?;
            Some(&self.checkpoints[at])
        })
    }

    /// The newest checkpoint, and the snapshot that its state is made from.
    pub(super) fn tip(&self) -> Tip {
        let Some(newest) = self.newest() else { return Tip::default() };
        let chain = lineage::chain(newest.place(), |seq| self.find(seq).map(Spot::place)).ok();
        let root = chain.and_then(|chain| Some(self.find(*chain.first()?)?.at));
        Tip { seq: Some(newest.seq()), root }
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
pub(super) fn evidence(file: &File, seal: Seal, broken: u64, len: u64) -> io::Result<Option<Damage>> {
    let (mut from, mut pieces) = (broken + 1, Pieces::new(file, seal, CHUNK));
    while let Some((at, head)) = pieces.next(from, len)? {
        if head.synced > broken {
            let detail = format!("an entry is not readable, but the one at byte {at} is");
            return Ok(Some(Damage { at: broken, detail }));
        }
        from = at + head.size();
    }
    Ok(None)
}
