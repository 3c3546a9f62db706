//! One entry of a journal as bytes: a marker, a head of fixed length with a checksum, the payload as JSON. Pure; touches no file.
//!
//! The head says what kind of entry it is and where it belongs, so that a scan parses no JSON. The marker holds bytes that no
//! JSON text can hold, so that the next entry is found again behind a damaged one. Each head also says how much of the file was
//! known to be on the disk when it was written: damage before that point is damage, behind it an append that never was finished.
//!
//! After a power cut, a block of a file may hold what another file, or this one, had there before. So the checksum covers the file's
//! random number and the offset ([`Seal`]), and each head has the number of its claim (`turn`): old blocks are no entries.

use std::error::Error;
use std::sync::Arc;

use serde::Deserialize;

use super::outline::SpotHead;
use stategraph_core::{Checkpoint, FORMAT, Record, Seq, TaskRecord};

/// The length of a head, in bytes, the marker included.
pub(super) const HEAD: usize = 40;

/// The largest payload, in bytes (1 GiB).
pub(super) const PAYLOAD_MAX: usize = 1 << 30;

/// How every entry begins. 0xF5 and 0xFF are in no UTF-8 text.
pub(super) const MARKER: [u8; 4] = [0xF5, b'f', b'r', 0xFF];

const SNAPSHOT: u8 = 1;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A [`Checkpoint`].
    Checkpoint,
    /// A [`TaskRecord`].
    Task,
    /// A run took the thread. No payload.
    Claim,
    /// A run gave the thread back, everything before is on the disk. No payload. It says where the newest state begins.
    Close,
}

/// What binds an entry to its file and to its place in it: part of every checksum since format 2.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seal {
    /// Nothing does: format 1.
    #[default]
    Open,
    /// A digest of the file's random number.
    File(u32),
}

/// What only the writer of an entry knows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stamp {
    pub(super) seal: Seal,
    /// The number of the claim.
    pub(super) turn: u16,
    /// The offset of the entry.
    pub(super) at: u64,
    /// How many bytes of the file are known to be on the disk.
    pub(super) synced: u64,
}

/// The head of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Whether a checkpoint has a snapshot.
    pub(super) snapshot: bool,
    /// Random number of the claim that wrote it; 0 in format 1.
    pub(super) turn: u16,
    /// The length of the payload, in bytes.
    pub(super) len: u32,
    /// A checkpoint's position, the base of a task, the epoch of a claim; of a close how often the thread was claimed (0: not said).
    pub(super) seq: u64,
    /// A checkpoint's parent (0: none), the process of a claim; of a close the offset of the snapshot that the newest state is made
    /// from (0: not said).
    pub(super) parent: u64,
    /// How many bytes of the file were known to be on the disk when this was written.
    pub(super) synced: u64,
    /// The checksum as read.
    pub(super) checksum: u32,
}

/// An entry to be written, whole but for what only its writer knows.
pub(super) struct Frame {
    head: Head,
    payload: Vec<u8>,
    /// The checksum over the payload, to be continued over the head.
    begun: crc32fast::Hasher,
}

impl Frame {
    /// An entry for a record. Fails, saying why, when it cannot be stored.
    pub(super) fn of(record: &Record) -> Result<Self, String> {
        let (kind, snapshot, seq, parent, payload) = match record {
            Record::Checkpoint(checkpoint) => (
                Kind::Checkpoint,
                checkpoint.snapshot.is_some(),
                checkpoint.seq,
                checkpoint.parent.map_or(0, |seq| seq.0),
                serde_json::to_vec(checkpoint),
            ),
            Record::Task(task) => (Kind::Task, false, task.task.base, 0, serde_json::to_vec(task)),
        };
        let payload = payload.map_err(|error| format!("a record cannot be written as JSON: {error}"))?;
        if payload.len() > PAYLOAD_MAX {
            return Err(format!("a record has {} bytes, at most {PAYLOAD_MAX} can be stored", payload.len()));
        }
        Ok(Self::new(kind, snapshot, seq.0, parent, payload))
    }

    /// An entry with the payload of another.
    pub(super) fn again(head: &SpotHead, payload: Vec<u8>) -> Self {
        Self::new(head.kind, head.snapshot, head.seq, head.parent, payload)
    }

    /// The entry of a claim.
    pub(super) fn claim(epoch: u64, process: u32) -> Self {
        Self::new(Kind::Claim, false, epoch, u64::from(process), Vec::new())
    }

    /// The entry that ends a claim.
    pub(super) fn close(epoch: u64, root: Option<u64>) -> Self {
        Self::new(Kind::Close, false, epoch, root.unwrap_or(0), Vec::new())
    }

    fn new(kind: Kind, snapshot: bool, seq: u64, parent: u64, payload: Vec<u8>) -> Self {
        let len = u32::try_from(payload.len()).expect("payloads are at most PAYLOAD_MAX long");
        let mut begun = crc32fast::Hasher::new();
        begun.update(&payload);
        Self {
            head: Head { kind, snapshot, turn: 0, len, seq, parent, synced: 0, checksum: 0 },
            payload,
            begun,
        }
    }

    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// The length of the whole entry, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.head.size()
    }

    /// Puts the entry at the end of `out`.
    pub(super) fn write(&self, stamp: Stamp, out: &mut Vec<u8>) {
        let mut head = Head { synced: stamp.synced, turn: stamp.turn, ..self.head };
        let mut hasher = self.begun.clone();
        hasher.update(&head.checked());
        head.checksum = stamp.seal.close(hasher, stamp.at);
        out.extend_from_slice(&MARKER);
        out.extend_from_slice(&head.checksum.to_le_bytes());
        out.extend_from_slice(&head.checked());
        out.extend_from_slice(&self.payload);
    }
}

impl Seal {
    /// The seal of the file with this random number.
    pub(super) fn of(generation: u64) -> Self {
        Self::File(crc32fast::hash(&generation.to_le_bytes()))
    }

    /// The checksum of an entry at this offset.
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

impl Head {
    /// Reads a head; none when these bytes cannot be one. Whether its entry is whole, [`fits`](Self::fits) says.
    pub(super) fn read(bytes: &[u8; HEAD]) -> Option<Self> {
        let (marker, rest) = bytes.split_at(MARKER.len());
        if marker != MARKER {
            return None;
        }
        let number = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().expect("eight bytes"));
        let short = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().expect("four bytes"));
        let kind = match rest[8] {
            1 => Kind::Checkpoint,
            2 => Kind::Task,
            3 => Kind::Claim,
            4 => Kind::Close,
            _ => return None,
        };
        let head = Self {
            kind,
            snapshot: rest[9] & SNAPSHOT != 0,
            turn: u16::from_le_bytes([rest[10], rest[11]]),
            len: short(4),
            seq: number(12),
            parent: number(20),
            synced: number(28),
            checksum: short(0),
        };
        (head.len as usize <= PAYLOAD_MAX).then_some(head)
    }

    /// Whether the checksum is the one of this head with this payload, at this offset of a file with this seal.
    pub(super) fn fits(&self, payload: &[u8], seal: Seal, at: u64) -> bool {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(payload);
        hasher.update(&self.checked());
        payload.len() == self.len as usize && seal.close(hasher, at) == self.checksum
    }

    /// What is remembered of it.
    pub(super) fn remembered(&self) -> SpotHead {
        let Self { kind, snapshot, len, seq, parent, .. } = *self;
        SpotHead { kind, snapshot, len, seq, parent }
    }

    /// The digest of a file that this head with this payload, at this offset, would be whole in.
    pub(super) fn seal_of(&self, payload: &[u8], at: u64) -> Seal {
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(payload);
        hasher.update(&self.checked());
        Seal::File(Seal::File(0).close(hasher, at) ^ self.checksum)
    }

    /// The length of the whole entry, in bytes.
    pub(super) fn size(&self) -> u64 {
        HEAD as u64 + u64::from(self.len)
    }

    /// What stands behind marker and checksum, and is covered by it.
    fn checked(&self) -> [u8; HEAD - 8] {
        let mut bytes = [0; HEAD - 8];
        bytes[0..4].copy_from_slice(&self.len.to_le_bytes());
        bytes[4] = match self.kind {
            Kind::Checkpoint => 1,
            Kind::Task => 2,
            Kind::Claim => 3,
            Kind::Close => 4,
        };
        bytes[5] = if self.snapshot { SNAPSHOT } else { 0 };
        bytes[6..8].copy_from_slice(&self.turn.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.seq.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.parent.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.synced.to_le_bytes());
        bytes
    }
}

/// Why a payload with the right checksum cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It has this format, which is newer than ours.
    Newer(u32),
    /// It is not what it should be.
    Malformed(String),
}

/// Reads the payload of a checkpoint.
pub(super) fn checkpoint(payload: &[u8], seq: Seq) -> Result<Arc<Checkpoint>, Unreadable> {
    // Text that is known to be UTF-8 is not looked at again piece by piece.
    let text = std::str::from_utf8(payload).map_err(|error| unreadable(payload, &error))?;
    match serde_json::from_str::<Checkpoint>(text) {
        Ok(checkpoint) if checkpoint.format > FORMAT => Err(Unreadable::Newer(checkpoint.format)),
        Ok(checkpoint) if checkpoint.seq == seq => Ok(Arc::new(checkpoint)),
        Ok(other) => Err(Unreadable::Malformed(format!("checkpoint {} where {seq} should be", other.seq))),
        Err(error) => Err(unreadable(payload, &error)),
    }
}

fn unreadable(payload: &[u8], error: &dyn Error) -> Unreadable {
    newer(payload).unwrap_or_else(|| Unreadable::Malformed(error.to_string()))
}

/// Reads the payload of a task record, or says why it cannot be read.
pub(super) fn task(payload: &[u8]) -> Result<TaskRecord, String> {
    serde_json::from_slice(payload).map_err(|error| error.to_string())
}

/// A newer version may have changed anything but the format number.
fn newer(payload: &[u8]) -> Option<Unreadable> {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let found = serde_json::from_slice::<Format>(payload).ok()?.format;
    (found > FORMAT).then_some(Unreadable::Newer(found))
}
