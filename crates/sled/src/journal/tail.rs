//! The end of a long journal whose last run ended in good order: the last entry says where the snapshot stands that the newest state
//! is made from. So a load passes over what is older, and reads, checks and decodes the rest in one go, on all processors.

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

/// From which length on, in bytes (1 MiB): to look at all of a shorter one takes a fifth of a millisecond.
const LONG: u64 = 1 << 20;

/// How much is looked through at a time, in bytes.
const SECTION: usize = 128 << 10;

/// An entry of the tail.
struct Found {
    at: u64,
    head: Head,
    /// What it holds, if it is a checkpoint.
    checkpoint: Option<Arc<Checkpoint>>,
}

/// Reads the tail of a file of `len` bytes. None where the whole file has to be looked at: it is short, its last run did not end,
/// the tail is too long to be kept, or anything is not as it should be.
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

/// From which length on a listing looks at the tail alone, in bytes: two more reads are paid then.
const WORTHWHILE: u64 = 64 << 10;

/// What the tail of a file of `len` bytes holds, without decoding it. None where the whole file has to be looked at.
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

/// The tail of a file that is damaged at `damage`, where a run that ended in good order later on says that the newest state begins
/// behind it: then the damage is in nobody's way who goes on.
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

/// Whether an entry that stands at `at` ends a run, and says where the newest state begins.
fn says(head: &Head, at: u64) -> bool {
    head.kind == Kind::Close && head.synced == at && (HEADER..at).contains(&head.parent)
}

/// What is known of a tail before it is read.
fn beginning(identity: Identity, close: &Head) -> Outline {
    let mut outline = Outline::new(identity, close.parent);
    (outline.extent, outline.epoch) = (Extent::Newest, close.seq);
    outline
}

/// Whether there is a snapshot where the newest state should begin.
fn rooted(outline: &Outline, root: u64) -> bool {
    outline.checkpoints().first().is_some_and(|first| first.at == root && first.head.snapshot)
}

/// The entries that begin in a section, up to the first that is not whole. JSON has no marker in it, so the first found begins one.
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
