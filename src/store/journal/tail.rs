//! The end of a long journal whose last run ended in good order: the last entry says where the snapshot stands that the newest state
//! is made from. So a load passes over what is older, and reads, checks and decodes the rest in one go, on all processors.

use std::fs::File;
use std::io;
use std::iter::{self, successors};
use std::ops::Range;
use std::sync::Arc;

use super::frame::{self, HEAD, Head, Kind};
use super::header::HEADER;
use super::outline::{Extent, Outline};
use super::pieces::Pieces;
use super::recent::Chain;
use crate::engine::share::shared;
use crate::engine::{Checkpoint, Seq};

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
/// or anything is not as it should be.
pub(super) fn read(file: &File, generation: u64, len: u64) -> io::Result<Option<(Outline, Chain)>> {
    let Some(close) = close(file, len)? else { return Ok(None) };
    let (root, end) = (close.parent, |head: Head| close.parent + head.size());
    let snapshot = |head: &Head| head.kind == Kind::Checkpoint && head.snapshot;
    let Some(behind) = Pieces::new(file, HEAD).head(root)?.filter(snapshot).map(end) else { return Ok(None) };
    let begins = successors(Some(behind), |at| Some(at + SECTION as u64)).take_while(|at| *at < len);
    let others = begins.map(|at| at..(at + SECTION as u64).min(len));
    let sections: Vec<Range<u64>> = iter::once(root..behind.min(len)).chain(others).collect();
    let found = shared(
        &sections,
        |section| section.end - section.start,
        |share| share.iter().map(|section| look(file, section, len)).collect::<io::Result<Vec<_>>>(),
    )?;
    let mut outline = Outline::new(generation, root);
    (outline.extent, outline.epoch) = (Extent::Newest, close.seq);
    let (mut chain, mut checksum) = (Vec::new(), 0);
    for Found { at, head, checkpoint } in found.into_iter().flatten() {
        if at != outline.end || !outline.note(&head) {
            return Ok(None);
        }
        if let Some(checkpoint) = checkpoint {
            checksum = head.checksum;
            chain.push(checkpoint);
        }
    }
    let whole = outline.end == len;
    Ok(whole.then(|| (outline, Chain::new(&chain, Some(checksum)))))
}

/// The head of the last entry, if that ends a run of a long journal and says what is needed.
fn close(file: &File, len: u64) -> io::Result<Option<Head>> {
    if len < LONG {
        return Ok(None);
    }
    let at = len - HEAD as u64;
    let last = Pieces::new(file, HEAD).entry(at, HEAD as u64)?.map(|(head, _)| head);
    let says =
        |head: &Head| head.kind == Kind::Close && head.synced == at && (HEADER..at).contains(&head.parent);
    Ok(last.filter(says))
}

/// The entries that begin in a section, up to the first that is not whole.
fn look(file: &File, section: &Range<u64>, len: u64) -> io::Result<Vec<Found>> {
    let mut pieces = Pieces::new(file, SECTION).until(section.end);
    let (mut next, mut found) = (pieces.marker(section.clone(), len)?, Vec::new());
    while let Some(at) = next.filter(|at| *at < section.end) {
        let Some((head, payload)) = pieces.entry(at, len - at)? else {
            // In the first place it may be no entry at all.
            next = if found.is_empty() { pieces.marker(at + 1..section.end, len)? } else { None };
            continue;
        };
        let checkpoint = match head.kind {
            Kind::Checkpoint => match frame::checkpoint(payload, Seq(head.seq)) {
                Ok(checkpoint) => Some(checkpoint),
                Err(_) => break,
            },
            Kind::Task | Kind::Claim | Kind::Close => None,
        };
        found.push(Found { at, head, checkpoint });
        next = Some(at + head.size());
    }
    Ok(found)
}
