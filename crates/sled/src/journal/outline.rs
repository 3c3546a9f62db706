//! Scans a journal for its entries, in one pass over heads and checksums. Never writes; parses no JSON.
//!
//! A journal ends at its first broken entry. Usually that entry was never acknowledged as synced. If a later entry records that this
//! offset was on the disk, the broken entry is damage, and the entries before it stay readable.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use super::chunks::ChunkReader;
use super::frame::{EntryHead, HEAD, JournalEntryKind, Seal};
use super::header::Identity;
use super::newest_checkpoint::NewestCheckpoint;
use stategraph_core::Seq;
use stategraph_core::store::lineage::{self, ChainLink};

/// Number of bytes read at a time.
const CHUNK: usize = 256 * 1024;

/// The location of a checkpoint or task record in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryLocation {
    /// Offset of the entry in the file, in bytes.
    pub(super) at: u64,
    pub(super) head: EntryMeta,
}

/// The fields of an [`EntryHead`] that an outline keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryMeta {
    pub(super) kind: JournalEntryKind,
    pub(super) snapshot: bool,
    pub(super) len: u32,
    pub(super) seq: u64,
    pub(super) parent: u64,
}

/// An entry that was complete once and is broken now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damage {
    pub(super) at: u64,
    pub(super) detail: String,
}

/// The part of a journal that an outline covers, or that a caller needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OutlineExtent {
    /// Only the checkpoints that rebuild the newest state, and all entries behind them.
    Newest,
    /// All entries.
    #[default]
    Whole,
}

/// The list of entries in one journal, without their payloads, up to the end or the first damage. Reads and
/// writes start from it.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    /// Identity of the file.
    pub(super) identity: Identity,
    /// Part of the journal that is covered.
    pub(super) extent: OutlineExtent,
    /// Offset behind the last complete entry.
    pub(super) end: u64,
    /// Number of bytes that are known to be on the disk.
    pub(super) synced: u64,
    /// Number of claims of the thread so far.
    pub(super) epoch: u64,
    /// Process id of the last claim.
    pub(super) process: u64,
    /// Random number of the claim that wrote the last entry; `None` if it was not read.
    pub(super) claim_number: Option<u16>,
    /// Number of bytes of the file that the sled index covers.
    pub(super) indexed: u64,
    /// Last entry; it ends at `end`.
    pub(super) last: Option<EntryLocation>,
    /// Checksum of the last entry; `None` if it was not read.
    pub(super) checksum: Option<u32>,
    /// Damage at which the outline ends; `None` at the end of the written entries.
    pub(super) damage: Option<Damage>,
    /// Damage before the covered part. It does not stop a run, because the newest state needs only entries
    /// behind it.
    pub(super) passed_over: Option<Damage>,
    /// Checkpoints, sorted by number.
    checkpoints: Vec<EntryLocation>,
    /// Task records in log order, by the number of the checkpoint that planned the task.
    tasks: BTreeMap<u64, Vec<EntryLocation>>,
}

impl Outline {
    /// Makes an empty outline that starts at offset `start`, usually behind the header.
    pub(super) fn new(identity: Identity, start: u64) -> Self {
        Self { identity, end: start, ..Self::default() }
    }

    /// Adds the entries behind the outline, up to `len` bytes of the file. Stops at a broken entry and
    /// records damage if a later entry proves it.
    pub(super) fn scan(&mut self, file: &File, len: u64) -> io::Result<()> {
        let seal = self.identity.seal;
        let mut pieces = ChunkReader::new(file, seal, CHUNK).until(len);
        while self.end < len {
            let entry = pieces.entry(self.end, len - self.end)?.map(|(head, _)| head);
            let Some(head) = entry.filter(|head| self.continues(head)) else {
                self.damage = find_damage(file, seal, self.end, len)?;
                return Ok(());
            };
            if !self.note(&head) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns true if the entry belongs to the current claim or begins a new one.
    ///
    /// IMPORTANT: an entry of another claim ends the scan, because it may be an old disk block with an entry that was cut off earlier.
    pub(super) fn continues(&self, head: &EntryHead) -> bool {
        head.kind == JournalEntryKind::Claim
            || self.claim_number.is_none_or(|claim_number| claim_number == head.claim_number)
    }

    /// Adds the entry that begins at the end of the outline. Returns false, and records damage, if the order
    /// of checkpoints forbids it.
    pub(super) fn note(&mut self, head: &EntryHead) -> bool {
        let spot = EntryLocation { at: self.end, head: head.meta() };
        match head.kind {
            JournalEntryKind::Claim => (self.epoch, self.process) = (head.seq, head.parent),
            JournalEntryKind::Close => {}
            JournalEntryKind::Checkpoint | JournalEntryKind::Task => {
                if let Err(detail) = self.insert(spot) {
                    self.damage = Some(Damage { at: self.end, detail });
                    return false;
                }
            }
        }
        (self.synced, self.claim_number) = (self.synced.max(head.synced), Some(head.claim_number));
        (self.last, self.checksum) = (Some(spot), Some(head.checksum));
        self.end += head.size();
        true
    }

    /// Returns true if the last entry is a close: the last run ended in good order, and everything before the
    /// entry is on the disk.
    pub(super) fn ended_in_good_order(&self) -> bool {
        self.last.is_some_and(|last| last.head.kind == JournalEntryKind::Close && last.at == self.synced)
    }

    /// Adds a checkpoint or task record. Fails if the number of a checkpoint is not above the last one, which
    /// shows that two writers wrote at once.
    pub(super) fn insert(&mut self, spot: EntryLocation) -> Result<(), String> {
        if spot.head.kind == JournalEntryKind::Task {
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

    /// Returns all checkpoints, oldest first.
    pub(super) fn checkpoints(&self) -> &[EntryLocation] {
        &self.checkpoints
    }

    /// Returns the locations of the task records whose base is this checkpoint, in log order.
    pub(super) fn tasks(&self, base: Seq) -> &[EntryLocation] {
        self.tasks.get(&base.0).map_or(&[], Vec::as_slice)
    }

    /// Returns the locations of all checkpoints and task records, in the order of the file.
    pub(super) fn log(&self) -> Vec<EntryLocation> {
        let mut log: Vec<EntryLocation> =
            self.checkpoints.iter().chain(self.tasks.values().flatten()).copied().collect();
        log.sort_unstable_by_key(|spot| spot.at);
        log
    }

    /// Returns the location of the checkpoint with this number.
    pub(super) fn find(&self, seq: Seq) -> Option<&EntryLocation> {
        let first = self.checkpoints.first()?.head.seq;
        // Tried first, because the numbers have gaps only after a prune.
        let likely = usize::try_from(seq.0.checked_sub(first)?).ok()?;
        let there = self.checkpoints.get(likely).filter(|spot| spot.seq() == seq);
        there.or_else(|| {
            let at = self.checkpoints.binary_search_by_key(&seq.0, |spot| spot.head.seq).ok()?;
            Some(&self.checkpoints[at])
        })
    }

    /// Returns the newest checkpoint and the offset of the snapshot that its state is rebuilt from.
    pub(super) fn newest_state(&self) -> NewestCheckpoint {
        let Some(newest) = self.newest() else { return NewestCheckpoint::default() };
        let chain =
            lineage::chain_to(newest.chain_link(), |seq| self.find(seq).map(EntryLocation::chain_link)).ok();
        let root = chain.and_then(|chain| Some(self.find(*chain.first()?)?.at));
        NewestCheckpoint { seq: Some(newest.seq()), root }
    }

    /// Returns the location of the newest checkpoint.
    pub(super) fn newest(&self) -> Option<&EntryLocation> {
        self.checkpoints.last()
    }
}

impl EntryLocation {
    pub(super) fn seq(&self) -> Seq {
        Seq(self.head.seq)
    }

    /// Returns number, parent and snapshot flag of the checkpoint, from which chains are made.
    pub(super) fn chain_link(&self) -> ChainLink {
        let parent = (self.head.parent != 0).then_some(Seq(self.head.parent));
        ChainLink { seq: self.seq(), parent, has_snapshot: self.head.snapshot }
    }

    /// Returns the offset behind the entry.
    pub(super) fn end(&self) -> u64 {
        self.at + HEAD as u64 + u64::from(self.head.len)
    }
}

/// Searches behind a broken entry for a complete one that was written when offset `broken` was already on the
/// disk. If there is one, the broken entry is damage; otherwise it is an append that never finished, and the
/// result is `None`.
pub(super) fn find_damage(file: &File, seal: Seal, broken: u64, len: u64) -> io::Result<Option<Damage>> {
    let (mut from, mut pieces) = (broken + 1, ChunkReader::new(file, seal, CHUNK));
    while let Some((at, head)) = pieces.next(from, len)? {
        if head.synced > broken {
            let detail = format!("an entry is not readable, but the one at byte {at} is");
            return Ok(Some(Damage { at: broken, detail }));
        }
        from = at + head.size();
    }
    Ok(None)
}
