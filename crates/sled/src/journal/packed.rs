//! The encoding of the index values: little-endian numbers of fixed length. Pure; knows no database.

use super::frame::JournalEntryKind;
use super::outline::{EntryLocation, EntryMeta};

/// Length of one packed entry, in bytes.
const PACKED: usize = 29;

/// The part of a journal that the index covers: the value of a thread in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexCoverage {
    /// Random number of the journal file.
    pub(super) generation: u64,
    /// Offset behind the last covered entry.
    pub(super) end: u64,
    /// Number of claims of the thread.
    pub(super) epoch: u64,
    /// Process id of the last claim.
    pub(super) process: u64,
    /// Number of pages with entries of the journal.
    pub(super) pages: u64,
    /// Number of those pages that are full, and therefore final.
    pub(super) full: u64,
}

impl IndexCoverage {
    /// Encodes the value.
    pub(super) fn write(self) -> Vec<u8> {
        [self.generation, self.end, self.epoch, self.process, self.pages, self.full]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    /// Decodes the value; `None` if the length is wrong.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<8>() else { return None };
        let &[generation, end, epoch, process, pages, full] = numbers else { return None };
        let [generation, end, epoch, process, pages, full] =
            [generation, end, epoch, process, pages, full].map(u64::from_le_bytes);
        Some(Self { generation, end, epoch, process, pages, full })
    }
}

/// Encodes entry locations as one page.
pub(super) fn write(spots: &[EntryLocation]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(spots.len() * PACKED);
    for EntryLocation { at, head } in spots {
        bytes.push(u8::from(head.kind == JournalEntryKind::Task) | u8::from(head.snapshot) << 1);
        bytes.extend_from_slice(&head.len.to_le_bytes());
        for number in [*at, head.seq, head.parent] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    bytes
}

/// Decodes a page of entry locations; `None` if the length is wrong.
pub(super) fn read(bytes: &[u8]) -> Option<Vec<EntryLocation>> {
    let (spots, []) = bytes.as_chunks::<PACKED>() else { return None };
    Some(spots.iter().map(unpack).collect())
}

/// Decodes one entry location.
fn unpack(bytes: &[u8; PACKED]) -> EntryLocation {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let len = u32::from_le_bytes(bytes[1..5].try_into().expect("four bytes"));
    let kind = if bytes[0] & 1 == 0 { JournalEntryKind::Checkpoint } else { JournalEntryKind::Task };
    let head = EntryMeta { kind, snapshot: bytes[0] & 2 != 0, len, seq: number(13), parent: number(21) };
    EntryLocation { at: number(5), head }
}
