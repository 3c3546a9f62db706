//! Reads only the end of a long journal whose last run ended in good order. The last entry holds the offset of the snapshot that the
//! newest state is rebuilt from. A load skips everything older, and reads, verifies and decodes the rest on all processors.

use std::fs::File;
use std::io;
use std::iter::{self, successors};
use std::ops::Range;
use std::sync::Arc;

use super::frame::{self, HEAD, Head, Kind, Seal};
use super::header::{HEADER, Identity};
use super::outline::{Extent, Outline};
use super::pieces::Pieces;
use super::recent::{CHAINS, Chain};
use stategraph_core::store::shared;
use stategraph_core::{Checkpoint, Seq};

/// Length in bytes (1 MiB) from which a load reads only the tail; scanning a shorter journal takes a fifth of a millisecond.
const LONG: u64 = 1 << 20;

/// Bytes read at a time.
const SECTION: usize = 128 << 10;

/// An entry of the tail.
struct Found {
    at: u64,
    head: Head,
    /// Decoded checkpoint; `None` for other kinds.
    checkpoint: Option<Arc<Checkpoint>>,
}

/// Reads the tail of a file of `len` bytes. Returns `None` if the whole file must be scanned: it is short, its last run did not end in
/// good order, the tail is too long to be cached, or an entry is not as expected.
pub(super) fn read(file: &File, identity: Identity, len: u64) -> io::Result<Option<(Outline, Chain)>> {
    let at = len.saturating_sub(HEAD as u64);
    let seal = identity.seal;
    let last = Pieces::new(file, seal, HEAD).entry(at, HEAD as u64)?.map(|(head, _)| head);
    let worthwhile = |close: &Head| len >= LONG && len - close.parent <= CHAINS as u64;
    let Some(close) = last.filter(|head| says(head, at)).filter(worthwhile) else { return Ok(None) };
    let Some(snapshot) = Pieces::new(file, seal, HEAD).head(close.parent)? else { return Ok(None) };
    let (root, behind) = (close.parent, (close.parent + snapshot.size()).min(len));
    let begins = successors(Some(behind), |at| Some(at + SECTION as u64)).take_while(|at| *at < len);
    let others = begins.map(|at| at..(at + SECTION as u64).min(len));
    let sections: Vec<Range<u64>> = iter::once(root..behind).chain(others).collect();
    let found = shared(
        &sections,
        |section| section.end - section.start,
        |share| share.iter().map(|section| look(file, seal, section, len)).collect::<io::Result<Vec<_>>>(),
    )?;
    let mut outline = beginning(identity, &close);
    let (mut chain, mut checksum) = (Vec::new(), 0);
    for Found { at, head, checkpoint } in found.into_iter().flatten() {
        if at != outline.end || !outline.continues(&head) || !outline.note(&head) {
            return Ok(None);
        }
        if let Some(checkpoint) = checkpoint {
            checksum = head.checksum;
            chain.push(checkpoint);
        }
    }
    let whole = outline.end == len && rooted(&outline, root);
    Ok(whole.then(|| (outline, Chain::new(&chain, Some(checksum)))))
}

/// Length in bytes (64 KiB) from which a listing reads only the tail; below, its two additional reads do not pay.
const WORTHWHILE: u64 = 64 << 10;

/// Returns the outline of the tail of a file of `len` bytes, without decoding it. Returns `None` if the whole file must be scanned.
pub(super) fn outline(file: &File, identity: Identity, len: u64) -> io::Result<Option<Outline>> {
    if len < WORTHWHILE {
        return Ok(None);
    }
    let at = len.saturating_sub(HEAD as u64);
    let last = Pieces::new(file, identity.seal, HEAD).entry(at, HEAD as u64)?.map(|(head, _)| head);
    let Some(close) = last.filter(|head| says(head, at)) else { return Ok(None) };
    let mut outline = beginning(identity, &close);
    outline.scan(file, len)?;
    Ok(Some(outline)
        .filter(|outline| outline.damage.is_none() && outline.end == len && rooted(outline, close.parent)))
}

/// Returns the outline of the tail of a file that is damaged at `damage`, if a later run ended in good order and its newest state begins
/// behind the damage. Then the damage does not stop a run, because the state needs nothing before it.
pub(super) fn behind(file: &File, identity: Identity, damage: u64, len: u64) -> io::Result<Option<Outline>> {
    let mut pieces = Pieces::new(file, identity.seal, SECTION);
    let (mut from, mut close) = (damage + 1, None);
    while let Some((at, head)) = pieces.next(from, len)? {
        close = Some(head).filter(|head| says(head, at) && head.parent > damage).or(close);
        from = at + head.size();
    }
    let Some(close) = close else { return Ok(None) };
    let mut outline = beginning(identity, &close);
    outline.scan(file, len)?;
    Ok(Some(outline).filter(|outline| outline.damage.is_none() && rooted(outline, close.parent)))
}

/// Returns true if the entry at `at` ends a run in good order and holds the offset of the newest state's snapshot.
fn says(head: &Head, at: u64) -> bool {
    head.kind == Kind::Close && head.synced == at && (HEADER..at).contains(&head.parent)
}

/// Makes the outline of a tail before it is read.
fn beginning(identity: Identity, close: &Head) -> Outline {
    let mut outline = Outline::new(identity, close.parent);
    (outline.extent, outline.epoch) = (Extent::Newest, close.seq);
    outline
}

/// Returns true if the tail begins with a snapshot at the expected offset.
fn rooted(outline: &Outline, root: u64) -> bool {
    outline.checkpoints().first().is_some_and(|first| first.at == root && first.head.snapshot)
}

/// Reads the entries that begin in a section, up to the first broken one. The first marker begins an entry, because JSON contains none.
fn look(file: &File, seal: Seal, section: &Range<u64>, len: u64) -> io::Result<Vec<Found>> {
    let mut pieces = Pieces::new(file, seal, SECTION).until(section.end);
    let mut found = Vec::new();
    let Some(mut at) = pieces.marker(section.clone(), len)? else { return Ok(found) };
    while at < section.end {
        let Some((head, payload)) = pieces.entry(at, len - at)? else { break };
        let checkpoint = match head.kind {
            Kind::Checkpoint => match frame::checkpoint(payload, Seq(head.seq)) {
                Ok(checkpoint) => Some(checkpoint),
                Err(_) => break,
            },
            Kind::Task | Kind::Claim | Kind::Close => None,
        };
        found.push(Found { at, head, checkpoint });
        at += head.size();
    }
    Ok(found)
}
