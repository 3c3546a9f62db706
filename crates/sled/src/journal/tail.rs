//! Reads only the end of a long journal whose last run ended in good order. The last entry holds the offset of the snapshot that the
//! newest state is rebuilt from. A load skips everything older, and reads, verifies and decodes the rest on all processors.

use std::fs::File;
use std::io;
use std::iter::{self, successors};
use std::ops::Range;
use std::sync::Arc;

use super::cache::{CHAINS, CachedChain};
use super::chunks::ChunkReader;
use super::frame::{self, EntryHead, HEAD, JournalEntryKind, Seal};
use super::header::{HEADER, Identity};
use super::outline::{Outline, OutlineExtent};
use stategraph_core::store::shared;
use stategraph_core::{Checkpoint, Seq};

/// Minimum length in bytes (1 MiB) of a journal whose load reads only the tail. Scanning a shorter one takes
/// at most a fifth of a millisecond.
const LONG: u64 = 1 << 20;

/// Length of the parts that processors read separately, in bytes.
const SECTION: usize = 128 << 10;

/// An entry in the tail of a journal.
struct TailEntry {
    at: u64,
    head: EntryHead,
    /// Decoded checkpoint; `None` for other kinds.
    checkpoint: Option<Arc<Checkpoint>>,
}

/// Reads and decodes the tail of a file of `len` bytes: the snapshot for the newest state and everything
/// behind it. Returns its outline and checkpoints. `None` if the whole file must be scanned: it is short, its
/// last run did not end in good order, the tail is too long to be cached, or an entry is not as expected.
pub(super) fn read(file: &File, identity: Identity, len: u64) -> io::Result<Option<(Outline, CachedChain)>> {
    let at = len.saturating_sub(HEAD as u64);
    let seal = identity.seal;
    let last = ChunkReader::new(file, seal, HEAD).entry(at, HEAD as u64)?.map(|(head, _)| head);
    let worthwhile = |close: &EntryHead| len >= LONG && len - close.parent <= CHAINS as u64;
    let Some(close) = last.filter(|head| is_clean_close(head, at)).filter(worthwhile) else {
        return Ok(None);
    };
    let Some(snapshot) = ChunkReader::new(file, seal, HEAD).head(close.parent)? else { return Ok(None) };
    let (root, behind) = (close.parent, (close.parent + snapshot.size()).min(len));
    let begins = successors(Some(behind), |at| Some(at + SECTION as u64)).take_while(|at| *at < len);
    let others = begins.map(|at| at..(at + SECTION as u64).min(len));
    let sections: Vec<Range<u64>> = iter::once(root..behind).chain(others).collect();
    let found = shared(
        &sections,
        |section| section.end - section.start,
        |share| {
            share.iter().map(|section| read_section(file, seal, section, len)).collect::<io::Result<Vec<_>>>()
        },
    )?;
    let mut outline = tail_outline(identity, &close);
    let (mut chain, mut checksum) = (Vec::new(), 0);
    for TailEntry { at, head, checkpoint } in found.into_iter().flatten() {
        if at != outline.end || !outline.continues(&head) || !outline.note(&head) {
            return Ok(None);
        }
        if let Some(checkpoint) = checkpoint {
            checksum = head.checksum;
            chain.push(checkpoint);
        }
    }
    let whole = outline.end == len && starts_at_snapshot(&outline, root);
    Ok(whole.then(|| (outline, CachedChain::new(&chain, Some(checksum)))))
}

/// Minimum length in bytes (64 KiB) of a journal of which a listing reads only the tail. For a shorter one
/// the two additional reads cost more than they save.
const WORTHWHILE: u64 = 64 << 10;

/// Returns the outline of the tail of a file of `len` bytes, without decoding entries. `None` if the whole
/// file must be scanned.
pub(super) fn outline(file: &File, identity: Identity, len: u64) -> io::Result<Option<Outline>> {
    if len < WORTHWHILE {
        return Ok(None);
    }
    let at = len.saturating_sub(HEAD as u64);
    let last = ChunkReader::new(file, identity.seal, HEAD).entry(at, HEAD as u64)?.map(|(head, _)| head);
    let Some(close) = last.filter(|head| is_clean_close(head, at)) else { return Ok(None) };
    let mut outline = tail_outline(identity, &close);
    outline.scan(file, len)?;
    Ok(Some(outline).filter(|outline| {
        outline.damage.is_none() && outline.end == len && starts_at_snapshot(outline, close.parent)
    }))
}

/// Returns the outline of the tail of a file that is damaged at offset `damage`, if a later run ended in good
/// order and the snapshot for its newest state is behind the damage. Then the damage does not stop a run.
/// `None` otherwise.
pub(super) fn find_behind_damage(
    file: &File,
    identity: Identity,
    damage: u64,
    len: u64,
) -> io::Result<Option<Outline>> {
    let mut pieces = ChunkReader::new(file, identity.seal, SECTION);
    let (mut from, mut close) = (damage + 1, None);
    while let Some((at, head)) = pieces.next(from, len)? {
        close = Some(head).filter(|head| is_clean_close(head, at) && head.parent > damage).or(close);
        from = at + head.size();
    }
    let Some(close) = close else { return Ok(None) };
    let mut outline = tail_outline(identity, &close);
    outline.scan(file, len)?;
    Ok(Some(outline).filter(|outline| outline.damage.is_none() && starts_at_snapshot(outline, close.parent)))
}

/// Returns true if the entry at `at` ends a run in good order and holds the offset of the newest state's snapshot.
fn is_clean_close(head: &EntryHead, at: u64) -> bool {
    head.kind == JournalEntryKind::Close && head.synced == at && (HEADER..at).contains(&head.parent)
}

/// Makes the empty outline of a tail, which begins at the snapshot that the closing entry names.
fn tail_outline(identity: Identity, close: &EntryHead) -> Outline {
    let mut outline = Outline::new(identity, close.parent);
    (outline.extent, outline.epoch) = (OutlineExtent::Newest, close.seq);
    outline
}

/// Returns true if the first checkpoint of the outline is at offset `root` and has a snapshot.
fn starts_at_snapshot(outline: &Outline, root: u64) -> bool {
    outline.checkpoints().first().is_some_and(|first| first.at == root && first.head.snapshot)
}

/// Reads the entries that begin in a section of the file, up to the first broken one. The first marker begins
/// an entry, because payloads contain none.
fn read_section(file: &File, seal: Seal, section: &Range<u64>, len: u64) -> io::Result<Vec<TailEntry>> {
    let mut pieces = ChunkReader::new(file, seal, SECTION).until(section.end);
    let mut found = Vec::new();
    let Some(mut at) = pieces.marker(section.clone(), len)? else { return Ok(found) };
    while at < section.end {
        let Some((head, payload)) = pieces.entry(at, len - at)? else { break };
        let checkpoint = match head.kind {
            JournalEntryKind::Checkpoint => match frame::checkpoint(payload, Seq(head.seq)) {
                Ok(checkpoint) => Some(checkpoint),
                Err(_) => break,
            },
            JournalEntryKind::Task | JournalEntryKind::Claim | JournalEntryKind::Close => None,
        };
        found.push(TailEntry { at, head, checkpoint });
        at += head.size();
    }
    Ok(found)
}
