//! Encoding of one journal entry: a marker, a head of fixed length with a checksum, the payload as JSON. Pure; touches no file.
//!
//! The head holds the kind and the position of the entry, so that a scan parses no JSON. The marker has bytes that no JSON text can
//! hold, so that a reader finds the next entry behind a damaged one. Each head also records how many bytes of the file were known to be
//! on the disk when it was written. A broken entry before that offset is damage; one behind it is an append that never finished.
//!
//! IMPORTANT: after a power cut, a disk block may hold old content of this file or of another. So the checksum covers the file's random
//! number and the entry's offset ([`Seal`]), and each head has a claim number, because an old block must not be taken for an entry.

use std::error::Error;
use std::sync::Arc;

use serde::Deserialize;

use super::outline::EntryMeta;
use stategraph_core::{Checkpoint, FORMAT, Record, Seq, TaskRecord};

/// The length of a head, in bytes, the marker included.
pub(super) const HEAD: usize = 40;

/// The largest payload, in bytes (1 GiB).
pub(super) const PAYLOAD_MAX: usize = 1 << 30;

/// First bytes of every entry. 0xF5 and 0xFF occur in no UTF-8 text, so no payload contains the marker.
pub(super) const MARKER: [u8; 4] = [0xF5, b'f', b'r', 0xFF];

const SNAPSHOT: u8 = 1;

/// The kind of a journal entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JournalEntryKind {
    /// A [`Checkpoint`].
    Checkpoint,
    /// A [`TaskRecord`].
    Task,
    /// Begin of a claim. No payload.
    Claim,
    /// End of a claim in good order: everything before it is on the disk. No payload. It holds the offset of
    /// the snapshot that the newest state is rebuilt from.
    Close,
}

/// The binding of checksums to a file and an offset, so that an old disk block is not taken for an entry.
/// Part of every checksum since format 2.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seal {
    /// No binding: format 1.
    #[default]
    Open,
    /// Digest of the file's random number.
    File(u32),
}

/// The fields of an entry that depend on its position in the file, and are known only when it is written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamp {
    pub(super) seal: Seal,
    /// Random number of the claim.
    pub(super) claim_number: u16,
    /// Offset of the entry in the file, in bytes.
    pub(super) at: u64,
    /// Number of bytes of the file that are known to be on the disk.
    pub(super) synced: u64,
}

/// The decoded head of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryHead {
    pub(super) kind: JournalEntryKind,
    /// True if the entry is a checkpoint with a snapshot.
    pub(super) snapshot: bool,
    /// Random number of the claim that wrote the entry; 0 in format 1.
    pub(super) claim_number: u16,
    /// Length of the payload, in bytes.
    pub(super) len: u32,
    /// For a checkpoint its number, for a task record the number of its base, for a claim or close the epoch
    /// (0 in a close: unknown).
    pub(super) seq: u64,
    /// Parent of a checkpoint (0: none), process id of a claim, or in a close the offset of the snapshot that the newest state is rebuilt
    /// from (0: unknown).
    pub(super) parent: u64,
    /// Number of bytes of the file that were known to be on the disk when the entry was written.
    pub(super) synced: u64,
    /// Checksum as read from the file.
    pub(super) checksum: u32,
}

/// An entry that is ready to be written, except for its [`Stamp`].
pub(super) struct EntryFrame {
    head: EntryHead,
    payload: Vec<u8>,
    /// CRC-32 of the payload; the head is added to it when the entry is written.
    begun: crc32fast::Hasher,
}

impl EntryFrame {
    /// Encodes a checkpoint or task record. The error is the reason why it cannot be stored.
    pub(super) fn from_record(record: &Record) -> Result<Self, String> {
        let (kind, snapshot, seq, parent, payload) = match record {
            Record::Checkpoint(checkpoint) => (
                JournalEntryKind::Checkpoint,
                checkpoint.snapshot.is_some(),
                checkpoint.seq,
                checkpoint.parent.map_or(0, |seq| seq.0),
                serde_json::to_vec(checkpoint),
            ),
            Record::Task(task) => {
                (JournalEntryKind::Task, false, task.task.base, 0, serde_json::to_vec(task))
            }
        };
        let payload = payload.map_err(|error| format!("a record cannot be written as JSON: {error}"))?;
        if payload.len() > PAYLOAD_MAX {
            return Err(format!("a record has {} bytes, at most {PAYLOAD_MAX} can be stored", payload.len()));
        }
        Ok(Self::new(kind, snapshot, seq.0, parent, payload))
    }

    /// Makes an entry from the head and the payload of an existing one, to be written to another file.
    pub(super) fn with_payload(head: &EntryMeta, payload: Vec<u8>) -> Self {
        Self::new(head.kind, head.snapshot, head.seq, head.parent, payload)
    }

    /// Makes the entry that begins a claim; `process` is the process id.
    pub(super) fn claim(epoch: u64, process: u32) -> Self {
        Self::new(JournalEntryKind::Claim, false, epoch, u64::from(process), Vec::new())
    }

    /// Makes the entry that ends a claim in good order; `root` is the offset of the snapshot for the newest
    /// state.
    pub(super) fn close(epoch: u64, root: Option<u64>) -> Self {
        Self::new(JournalEntryKind::Close, false, epoch, root.unwrap_or(0), Vec::new())
    }

    /// Makes an entry from its head fields and its payload, and begins its checksum.
    fn new(kind: JournalEntryKind, snapshot: bool, seq: u64, parent: u64, payload: Vec<u8>) -> Self {
        let len = u32::try_from(payload.len()).expect("payloads are at most PAYLOAD_MAX long");
        let mut begun = crc32fast::Hasher::new();
        begun.update(&payload);
        Self {
            head: EntryHead { kind, snapshot, claim_number: 0, len, seq, parent, synced: 0, checksum: 0 },
            payload,
            begun,
        }
    }

    pub(super) fn head(&self) -> &EntryHead {
        &self.head
    }

    /// Returns the length of the whole entry, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.head.size()
    }

    /// Appends the encoded entry to `out`, with the fields of the stamp and the checksum.
    pub(super) fn write(&self, stamp: Stamp, out: &mut Vec<u8>) {
        let mut head = EntryHead { synced: stamp.synced, claim_number: stamp.claim_number, ..self.head };
        let mut hasher = self.begun.clone();
        hasher.update(&head.checksummed_bytes());
        head.checksum = stamp.seal.close(hasher, stamp.at);
        out.extend_from_slice(&MARKER);
        out.extend_from_slice(&head.checksum.to_le_bytes());
        out.extend_from_slice(&head.checksummed_bytes());
        out.extend_from_slice(&self.payload);
    }
}

impl Seal {
    /// Returns the seal of the file with this random number in its header.
    pub(super) fn of(generation: u64) -> Self {
        Self::File(crc32fast::hash(&generation.to_le_bytes()))
    }

    /// Returns the checksum of an entry at this offset, from the hash of its payload and head.
    fn close(self, mut hasher: crc32fast::Hasher, at: u64) -> u32 {
        match self {
            Self::Open => hasher.finalize(),
            Self::File(digest) => {
                hasher.update(&at.to_le_bytes());
                hasher.finalize() ^ digest
            }
        }
    }
}

impl EntryHead {
    /// Decodes a head. `None` if the bytes are not one. The checksum is not verified; see
    /// [`checksum_matches`](Self::checksum_matches).
    pub(super) fn read(bytes: &[u8; HEAD]) -> Option<Self> {
        let (marker, rest) = bytes.split_at(MARKER.len());
        if marker != MARKER {
            return None;
        }
        let number = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().expect("eight bytes"));
        let short = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().expect("four bytes"));
        let kind = match rest[8] {
            1 => JournalEntryKind::Checkpoint,
            2 => JournalEntryKind::Task,
            3 => JournalEntryKind::Claim,
            4 => JournalEntryKind::Close,
            _ => return None,
        };
        let head = Self {
            kind,
            snapshot: rest[9] & SNAPSHOT != 0,
            claim_number: u16::from_le_bytes([rest[10], rest[11]]),
            len: short(4),
            seq: number(12),
            parent: number(20),
            synced: number(28),
            checksum: short(0),
        };
        (head.len as usize <= PAYLOAD_MAX).then_some(head)
    }

    /// Returns true if the checksum matches this head and payload, at this offset of a file with this seal.
    pub(super) fn checksum_matches(&self, payload: &[u8], seal: Seal, at: u64) -> bool {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(payload);
        hasher.update(&self.checksummed_bytes());
        payload.len() == self.len as usize && seal.close(hasher, at) == self.checksum
    }

    /// Returns the fields that an outline keeps.
    pub(super) fn meta(&self) -> EntryMeta {
        let Self { kind, snapshot, len, seq, parent, .. } = *self;
        EntryMeta { kind, snapshot, len, seq, parent }
    }

    /// Returns the seal with which the checksum of this head and payload, at this offset, would be valid. A
    /// majority of entries then shows the seal of a file whose header is damaged.
    pub(super) fn implied_seal(&self, payload: &[u8], at: u64) -> Seal {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(payload);
        hasher.update(&self.checksummed_bytes());
        Seal::File(Seal::File(0).close(hasher, at) ^ self.checksum)
    }

    /// Returns the length of the whole entry, in bytes.
    pub(super) fn size(&self) -> u64 {
        HEAD as u64 + u64::from(self.len)
    }

    /// Encodes the part of the head that the checksum covers: everything behind marker and checksum.
    fn checksummed_bytes(&self) -> [u8; HEAD - 8] {
        let mut bytes = [0; HEAD - 8];
        bytes[0..4].copy_from_slice(&self.len.to_le_bytes());
        bytes[4] = match self.kind {
            JournalEntryKind::Checkpoint => 1,
            JournalEntryKind::Task => 2,
            JournalEntryKind::Claim => 3,
            JournalEntryKind::Close => 4,
        };
        bytes[5] = if self.snapshot { SNAPSHOT } else { 0 };
        bytes[6..8].copy_from_slice(&self.claim_number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.seq.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.parent.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.synced.to_le_bytes());
        bytes
    }
}

/// The reason why a payload with a valid checksum cannot be decoded.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The payload has this format number, which is newer than the supported one.
    Newer(u32),
    /// The payload is malformed.
    Malformed(String),
}

/// Decodes the payload of a checkpoint. Fails if it has another number than `seq`.
pub(super) fn checkpoint(payload: &[u8], seq: Seq) -> Result<Arc<Checkpoint>, Unreadable> {
    // Checked as a whole, because serde_json would otherwise check each string of a byte slice again.
    let text = std::str::from_utf8(payload).map_err(|error| unreadable(payload, &error))?;
    match serde_json::from_str::<Checkpoint>(text) {
        Ok(checkpoint) if checkpoint.format > FORMAT => Err(Unreadable::Newer(checkpoint.format)),
        Ok(checkpoint) if checkpoint.seq == seq => Ok(Arc::new(checkpoint)),
        Ok(other) => Err(Unreadable::Malformed(format!("checkpoint {} where {seq} should be", other.seq))),
        Err(error) => Err(unreadable(payload, &error)),
    }
}

/// Makes the error of a payload that does not decode.
fn unreadable(payload: &[u8], error: &dyn Error) -> Unreadable {
    newer(payload).unwrap_or_else(|| Unreadable::Malformed(error.to_string()))
}

/// Decodes the payload of a task record. Fails with the reason.
pub(super) fn task(payload: &[u8]) -> Result<TaskRecord, String> {
    serde_json::from_slice(payload).map_err(|error| error.to_string())
}

/// Returns the error for a payload with a newer format number than this version supports; `None` for others.
/// It reads that field alone, because a newer version may have changed the rest.
fn newer(payload: &[u8]) -> Option<Unreadable> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let found = serde_json::from_slice::<Format>(payload).ok()?.format;
    (found > FORMAT).then_some(Unreadable::Newer(found))
}
