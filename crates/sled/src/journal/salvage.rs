//! Reads, verifies and decodes all of a journal, damaged or not, for inspection and repair. Writes nothing.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use super::chunks::ChunkReader;
use super::entries::EntryReader;
use super::frame::{self, JournalEntryKind};
use super::header::{self, HEADER, Header};
use super::outline::{Damage, EntryLocation, Outline, find_damage};
use super::reader::JournalReader;
use stategraph_core::StoreError;

/// Number of bytes read at a time.
const CHUNK: usize = 256 << 10;

/// The usable part of a journal: checkpoints that can be rebuilt, with their task records, and a report on
/// the rest.
pub(super) struct Salvaged {
    /// Reader whose outline has only the usable entries.
    pub(super) journal: JournalReader,
    /// The defects, in file order.
    pub(super) damage: Vec<StoreError>,
    /// Number of entries that are dropped: those that do not decode, and those whose base is lost.
    pub(super) left_out: usize,
}

/// Reads a whole journal and collects its usable entries and its defects. `None` if the file is blank.
pub(super) fn salvage(path: &Path, file: File) -> Result<Option<Salvaged>, StoreError> {
    let failed = |error| StoreError::io("read", path, error);
    let len = file.metadata().map_err(failed)?.len();
    let mut damage = Vec::new();
    let identity = match header::read(&file, path, len) {
        Ok(Header::Journal(identity)) => identity,
        Ok(Header::Blank) => return Ok(None),
        Err(error @ StoreError::Corrupt { .. }) => {
            damage.push(error);
            header::identity_by_entries(&file, len).map_err(failed)?
        }
        Err(error) => return Err(error),
    };
    let mut outline = Outline::new(identity, HEADER);
    let mut broken = Vec::new();
    let spots = locate_entries(&file, len, &mut outline, &mut broken).map_err(failed)?;
    let mut journal = JournalReader::of(path, file, outline.clone());
    damage.extend(broken.into_iter().map(|Damage { at, detail }| journal.corrupt(at, detail)));
    let left_out = keep_sound(&journal, &spots, &mut outline, &mut damage)?;
    journal.set_outline(outline);
    Ok(Some(Salvaged { journal, damage, left_out }))
}

/// Returns the locations of the complete checkpoints and task records, also behind damage. Stores facts about
/// the claims in `outline`, and adds the damage to `damage`.
fn locate_entries(
    file: &File,
    len: u64,
    outline: &mut Outline,
    damage: &mut Vec<Damage>,
) -> std::io::Result<Vec<EntryLocation>> {
    let seal = outline.identity.seal;
    let (mut pieces, mut spots) = (ChunkReader::new(file, seal, CHUNK), Vec::new());
    let mut at = HEADER;
    while at < len {
        let entry = pieces.entry(at, len - at)?.map(|(head, _)| head);
        if let Some(head) = entry.filter(|head| outline.continues(head)) {
            outline.claim_number = Some(head.claim_number);
            match head.kind {
                JournalEntryKind::Claim => (outline.epoch, outline.process) = (head.seq, head.parent),
                JournalEntryKind::Close => {}
                JournalEntryKind::Checkpoint | JournalEntryKind::Task => {
                    spots.push(EntryLocation { at, head: head.meta() });
                }
            }
            at += head.size();
            continue;
        }
        // Without proof of damage the rest is an append that was never acknowledged.
        let Some(found) = find_damage(file, seal, at, len)? else { break };
        damage.push(found);
        let Some((next, _)) = pieces.next(at + 1, len)? else { break };
        (at, outline.claim_number) = (next, None);
    }
    Ok(spots)
}

/// Adds those entries to `outline` that can be decoded and whose base is present. Adds defects to `damage`
/// and returns the number of entries left out.
fn keep_sound(
    journal: &JournalReader,
    spots: &[EntryLocation],
    outline: &mut Outline,
    damage: &mut Vec<StoreError>,
) -> Result<usize, StoreError> {
    let (mut entries, mut sound, mut left_out) = (EntryReader::new(journal), BTreeSet::new(), 0);
    for spot in spots {
        let readable = match spot.head.kind {
            JournalEntryKind::Checkpoint => entries.checkpoint(spot).map(|_| ()),
            _ => entries
                .require_payload(spot)
                .and_then(|payload| frame::task(payload).map_err(|detail| journal.corrupt(spot.at, detail)))
                .map(|_| ()),
        };
        match readable {
            Ok(()) => {}
            Err(error @ StoreError::Corrupt { .. }) => {
                damage.push(error);
                left_out += 1;
                continue;
            }
            Err(error) => return Err(error),
        }
        let link = spot.chain_link();
        let rests = match spot.head.kind {
            JournalEntryKind::Checkpoint => {
                link.has_snapshot || link.parent.is_none_or(|parent| sound.contains(&parent))
            }
            _ => sound.contains(&link.seq),
        };
        if !rests {
            left_out += 1;
            continue;
        }
        match outline.insert(*spot) {
            Ok(()) if spot.head.kind == JournalEntryKind::Checkpoint => drop(sound.insert(link.seq)),
            Ok(()) => {}
            Err(detail) => {
                damage.push(journal.corrupt(spot.at, detail));
                left_out += 1;
            }
        }
    }
    Ok(left_out)
}
