//! The first bytes of a journal: what it is, which format, and a random number that tells it from any other file of its name.
//!
//! Since format 2 they are on the disk before anything is written behind them, so that a longer file without them is damaged.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use uuid::Uuid;

use super::frame::Seal;
use super::pieces::Pieces;
use stategraph_core::StoreError;

/// The length of the header, in bytes, in every format.
pub(super) const HEADER: u64 = LEN as u64;

const LEN: usize = 24;

/// The number of the journal format written by this version.
const JOURNAL_FORMAT: u32 = 2;

/// How much is read at a time behind a header that is not one, in bytes.
const CHUNK: usize = 256 << 10;

/// A line end and an end-of-file character show damage by a transfer as text.
const MAGIC: [u8; 8] = *b"SGLOG\r\n\x1a";

/// What tells a journal from every other file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// The random number.
    pub(super) generation: u64,
    /// What its entries are bound to it by.
    pub(super) seal: Seal,
}

/// What the beginning of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// It is a journal.
    Journal(Identity),
    /// Nothing was ever acknowledged in this file.
    Blank,
}

/// A header with a new random number, and what it says.
pub(super) fn fresh() -> ([u8; LEN], Identity) {
    let generation = random();
    let mut bytes = [0; LEN];
    bytes[0..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&JOURNAL_FORMAT.to_le_bytes());
    bytes[12..20].copy_from_slice(&generation.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..20]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    (bytes, Identity { generation, seal: Seal::of(generation) })
}

/// The number of a claim; none has 0, which is that of all claims in format 1.
pub(super) fn fresh_turn(identity: Identity) -> u16 {
    match identity.seal {
        Seal::Open => 0,
        Seal::File(_) => u16::try_from(random() % u64::from(u16::MAX)).expect("it is less") + 1,
    }
}

/// A random number; a version 7 ends in 62 random bits.
fn random() -> u64 {
    Uuid::now_v7().as_u64_pair().1
}

/// Reads the header of a file of `len` bytes.
pub(super) fn read(mut file: &File, path: &Path, len: u64) -> Result<Header, StoreError> {
    let failed = |error| StoreError::io("read", path, error);
    let mut bytes = Vec::with_capacity(LEN);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    file.take(HEADER).read_to_end(&mut bytes).map_err(failed)?;
    if len == HEADER {
        // Made, and not written to: its bytes may not have come to the disk.
        return Ok(Header::Blank);
    }
    if let Some((format, generation)) = whole(&bytes) {
        return match format {
            1 => Ok(Header::Journal(Identity { generation, seal: Seal::Open })),
            2..=JOURNAL_FORMAT => Ok(Header::Journal(Identity { generation, seal: Seal::of(generation) })),
            found => Err(StoreError::Newer { path: path.to_owned(), found, supported: JOURNAL_FORMAT }),
        };
    }
    let torn = torn(&bytes) && !ever_synced(file, len).map_err(failed)?;
    if torn {
        return Ok(Header::Blank);
    }
    let detail = "it does not begin like a journal".to_owned();
    Err(StoreError::Corrupt { path: path.to_owned(), offset: 0, detail })
}

/// Format and random number of a header that is right.
fn whole(bytes: &[u8]) -> Option<(u32, u64)> {
    let bytes: &[u8; LEN] = bytes.try_into().ok()?;
    let checksum = u32::from_le_bytes(bytes[20..24].try_into().expect("four bytes"));
    let format = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    let generation = u64::from_le_bytes(bytes[12..20].try_into().expect("eight bytes"));
    (bytes[..8] == MAGIC && checksum == crc32fast::hash(&bytes[..20])).then_some((format, generation))
}

/// Whether these bytes are a header of which only the beginning came to the disk; the rest of the block is zero then.
fn torn(bytes: &[u8]) -> bool {
    let begun = bytes.iter().zip(MAGIC).take_while(|(is, should)| **is == *should).count();
    begun == MAGIC.len() || bytes[begun..].iter().all(|byte| *byte == 0)
}

/// What the entries of a file, whose header is damaged, are bound to: the digest that most of those agree on which could be whole.
pub(super) fn identity_by_entries(file: &File, len: u64) -> io::Result<Identity> {
    let mut pieces = Pieces::new(file, Seal::Open, CHUNK);
    if pieces.next(0, len)?.is_some() {
        return Ok(Identity::default());
    }
    let (mut found, mut from) = (BTreeMap::<Seal, usize>::new(), 0);
    while let Some((at, seal)) = pieces.next_seal(from, len)? {
        *found.entry(seal).or_default() += 1;
        from = at + 1;
    }
    let most = found.into_iter().max_by_key(|(_, count)| *count);
    Ok(Identity { generation: 0, seal: most.map(|(seal, _)| seal).unwrap_or_default() })
}

/// Whether any entry behind the header says that the header was on the disk.
fn ever_synced(file: &File, len: u64) -> io::Result<bool> {
    let (mut pieces, mut from) = (Pieces::new(file, Seal::Open, CHUNK), 0);
    // Without its random number a file's entries cannot be told from those of another; what looks like one is taken for one.
    while let Some(at) = pieces.marker(from..len, len)? {
        if pieces.head(at)?.is_some_and(|head| head.turn != 0 && head.synced > 0) {
            return Ok(true);
        }
        from = at + 1;
    }
    from = 0;
    while let Some((at, head)) = pieces.next(from, len)? {
        if head.synced > 0 {
            return Ok(true);
        }
        from = at + head.size();
    }
    Ok(false)
}
