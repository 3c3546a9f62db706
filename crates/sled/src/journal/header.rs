//! The header of a journal: magic bytes, format number, and a random number that tells the file from any other file of its name.
//!
//! Since format 2 the header is on the disk before anything is written behind it, so a longer file without a header is damaged.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use uuid::Uuid;

use super::chunks::ChunkReader;
use super::frame::Seal;
use stategraph_core::StoreError;

/// The length of the header, in bytes, in every format.
pub(super) const HEADER: u64 = LEN as u64;

/// The same length, for arrays.
const LEN: usize = 24;

/// The number of the journal format written by this version.
const JOURNAL_FORMAT: u32 = 2;

/// Number of bytes read at a time in a search for entries behind a damaged header.
const CHUNK: usize = 256 << 10;

/// Magic bytes. The line end and the end-of-file character reveal damage by a transfer in text mode.
const MAGIC: [u8; 8] = *b"SGLOG\r\n\x1a";

/// The identity of a journal file, which tells it from any other file under the same name. No two files share
/// it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// The random number in the header.
    pub(super) generation: u64,
    /// The seal that binds the file's entries to it.
    pub(super) seal: Seal,
}

/// The result of reading the beginning of a journal file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// The file has a valid header.
    Journal(Identity),
    /// The file is empty or unfinished: none of its entries was ever acknowledged.
    Blank,
}

/// Makes a header with a new random number. Returns its bytes and the identity that they encode.
pub(super) fn create() -> ([u8; LEN], Identity) {
    let generation = random();
    let mut bytes = [0; LEN];
    bytes[0..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&JOURNAL_FORMAT.to_le_bytes());
    bytes[12..20].copy_from_slice(&generation.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..20]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    (bytes, Identity { generation, seal: Seal::of(generation) })
}

/// Returns a random number for a new claim. It is never 0 in a file of format 2, because entries of format 1
/// have the number 0; in a file of format 1 it is always 0.
pub(super) fn new_claim_number(identity: Identity) -> u16 {
    match identity.seal {
        Seal::Open => 0,
        Seal::File(_) => u16::try_from(random() % u64::from(u16::MAX)).expect("it is less") + 1,
    }
}

/// Returns a random number: the lower half of a version 7 UUID, which contains 62 random bits.
fn random() -> u64 {
    Uuid::now_v7().as_u64_pair().1
}

/// Reads the header of a file of `len` bytes. Fails if it is damaged, or if a newer version of this program
/// wrote it.
pub(super) fn read(mut file: &File, path: &Path, len: u64) -> Result<Header, StoreError> {
    let failed = |error| StoreError::io("read", path, error);
    let mut bytes = Vec::with_capacity(LEN);
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    file.take(HEADER).read_to_end(&mut bytes).map_err(failed)?;
    if len == HEADER {
        // NOTE: a file with only a header was never appended to, so its bytes may not have reached the disk.
        return Ok(Header::Blank);
    }
    if let Some((format, generation)) = parse(&bytes) {
        return match format {
            1 => Ok(Header::Journal(Identity { generation, seal: Seal::Open })),
            2..=JOURNAL_FORMAT => Ok(Header::Journal(Identity { generation, seal: Seal::of(generation) })),
            found => Err(StoreError::Newer { path: path.to_owned(), found, supported: JOURNAL_FORMAT }),
        };
    }
    let torn = is_torn(&bytes) && !was_ever_synced(file, len).map_err(failed)?;
    if torn {
        return Ok(Header::Blank);
    }
    let detail = "it does not begin like a journal".to_owned();
    Err(StoreError::Corrupt { path: path.to_owned(), offset: 0, detail })
}

/// Returns the format number and the random number of a valid header; `None` for an invalid one.
fn parse(bytes: &[u8]) -> Option<(u32, u64)> {
    let bytes: &[u8; LEN] = bytes.try_into().ok()?;
    let checksum = u32::from_le_bytes(bytes[20..24].try_into().expect("four bytes"));
    let format = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    let generation = u64::from_le_bytes(bytes[12..20].try_into().expect("eight bytes"));
    (bytes[..8] == MAGIC && checksum == crc32fast::hash(&bytes[..20])).then_some((format, generation))
}

/// Returns true if the bytes may be a header of which only the beginning reached the disk: the rest is zero,
/// or the magic bytes are whole.
fn is_torn(bytes: &[u8]) -> bool {
    let begun = bytes.iter().zip(MAGIC).take_while(|(is, should)| **is == *should).count();
    begun == MAGIC.len() || bytes[begun..].iter().all(|byte| *byte == 0)
}

/// Determines the identity of a file with a damaged header: by the seal that most of its possible entries
/// agree on. The random number stays 0.
pub(super) fn identity_by_entries(file: &File, len: u64) -> io::Result<Identity> {
    let mut pieces = ChunkReader::new(file, Seal::Open, CHUNK);
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

/// Returns true if an entry behind the damaged header proves that the header was on the disk once.
fn was_ever_synced(file: &File, len: u64) -> io::Result<bool> {
    let (mut pieces, mut from) = (ChunkReader::new(file, Seal::Open, CHUNK), 0);
    // Without the random number, entries of this file cannot be told from old blocks of another. Any plausible head counts as an entry,
    // because the error must be on the safe side: the file is reported as damaged instead of being treated as blank.
    while let Some(at) = pieces.marker(from..len, len)? {
        if pieces.head(at)?.is_some_and(|head| head.claim_number != 0 && head.synced > 0) {
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
