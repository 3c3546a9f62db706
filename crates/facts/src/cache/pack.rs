//! Pack: one file with the parsed parts of a code base. It holds the parts, an index of them, and a footer
//! of fixed length. A pack is never changed in place: a new one is written beside it and then takes its
//! name. A reader has the old bytes or the new ones, and of two writers the later one wins.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use stategraph_base::owner_only;
use stategraph_base::regular::{self, Links};
use stategraph_repo::{PartKey, PartStore};
use tempfile::NamedTempFile;

/// Last bytes of a pack. The digit is the version of the file format.
const MAGIC: &[u8; 16] = b"stategraph pack1";
/// Size of the footer, in bytes: the length of the index, its hash, [`MAGIC`].
const FOOTER: u64 = 8 + 16 + 16;
/// Maximum size of an index, in bytes; a longer one is refused.
const INDEX_BYTES: u64 = 64 * 1024 * 1024;
/// Number of times that a pack is written before a part that was not used since then is dropped.
const KEPT_WRITINGS: u32 = 8;

/// Index entry of a part (the parsed result of one source file): its position in the pack, its checksum and
/// its last use.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PackEntry {
    at: u64,
    bytes: u32,
    /// First half of the hash of the bytes.
    check: [u8; 16],
    /// Number of the writing (see `Index::writing`) at which the part was last used.
    used: u32,
}

/// Index at the end of a pack file: the position of each part (the parsed result of one source file).
#[derive(Default, Serialize, Deserialize)]
struct Index {
    /// Number of times that the pack was written so far.
    writing: u32,
    entries: Vec<(PartKey, PackEntry)>,
}

/// Cache file of one code base with the parsed results of its source files ("parts"). Reads the parts of
/// earlier runs, and collects new ones until it is saved.
pub(crate) struct Pack {
    path: PathBuf,
    folder: PathBuf,
    state: Mutex<PackState>,
}

/// Mutable state of an open pack: the index of earlier runs, the keys used in this run, and the new file.
#[derive(Default)]
struct PackState {
    /// The pack of an earlier run.
    old: Option<File>,
    writing: u32,
    old_entries: HashMap<PartKey, PackEntry>,
    used: Vec<PartKey>,
    /// The pack of this run, from its first new part on.
    new: Option<NewPack>,
    /// A write failed; nothing more is written.
    is_broken: bool,
}

/// Temporary file to which the parts of a new pack are written; `end` is its length so far, in bytes.
struct NewPack {
    file: BufWriter<NamedTempFile>,
    end: u64,
    entries: Vec<(PartKey, PackEntry)>,
}

impl Pack {
    /// Opens the pack file at `path`; a missing or damaged one counts as empty. `folder` is for temporary
    /// files.
    pub(crate) fn open(folder: &Path, path: &Path) -> Self {
        let mut state = PackState::default();
        if let Ok((file, index)) = read_index(path) {
            state.writing = index.writing;
            state.old_entries = index.entries.into_iter().collect();
            state.old = Some(file);
        }
        Self { path: path.to_owned(), folder: folder.to_owned(), state: Mutex::new(state) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the new parts, and the old ones that are still in use, to a new file that replaces the pack.
    /// Old parts that exceed `most_bytes` are dropped. Does nothing if there are no new parts.
    pub(crate) fn save(self, most_bytes: u64) -> io::Result<()> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(mut new) = state.new.take() else { return Ok(()) };
        if state.is_broken {
            return Err(io::Error::other("the pack could not be written"));
        }
        let writing = state.writing.wrapping_add(1);
        for key in std::mem::take(&mut state.used) {
            if let Some(entry) = state.old_entries.get_mut(&key) {
                entry.used = writing;
            }
        }
        let mut old: Vec<(PartKey, PackEntry)> = state.old_entries.drain().collect();
        old.retain(|(_, entry)| writing.wrapping_sub(entry.used) <= KEPT_WRITINGS);
        old.sort_by_key(|(key, entry)| (std::cmp::Reverse(entry.used), entry.at, *key));
        for (key, entry) in old {
            if new.end + u64::from(entry.bytes) <= most_bytes
                && let Some(bytes) = state.old.as_mut().and_then(|file| read_part(file, &entry))
            {
                new.append(key, &bytes, entry.used)?;
            }
        }
        new.entries
            .iter_mut()
            .filter(|(_, entry)| entry.used == 0)
            .for_each(|(_, entry)| entry.used = writing);
        if new.end > most_bytes {
            return Err(io::Error::other("the pack is larger than the whole cache may be"));
        }
        let file = new.finish(writing)?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// Locks the state of the cache's pack file, which threads share, and returns the guard.
    fn state(&self) -> MutexGuard<'_, PackState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartStore for Pack {
    fn load(&self, key: &PartKey) -> Option<Vec<u8>> {
        let mut state = self.state();
        let entry = *state.old_entries.get(key)?;
        let bytes = read_part(state.old.as_mut()?, &entry);
        match bytes {
            Some(_) => state.used.push(*key),
            None => {
                state.old_entries.remove(key);
            }
        }
        bytes
    }

    fn store(&self, key: PartKey, bytes: &[u8]) {
        let mut state = self.state();
        if state.is_broken {
            return;
        }
        let stored = match state.new.take() {
            Some(new) => Ok(new),
            None => NewPack::create(&self.folder),
        };
        let stored = stored.and_then(|mut new| new.append(key, bytes, 0).map(|()| new));
        state.is_broken = stored.is_err();
        state.new = stored.ok();
    }
}

impl NewPack {
    /// Creates the temporary file for a new pack in the folder.
    fn create(folder: &Path) -> io::Result<Self> {
        owner_only::create_dir_all(folder)?;
        // Temporary files have the mode 0600.
        let file = tempfile::Builder::new().prefix("pack-").suffix(".tmp").tempfile_in(folder)?;
        Ok(Self { file: BufWriter::with_capacity(256 * 1024, file), end: 0, entries: Vec::new() })
    }

    /// Writes the bytes of a part and adds its index entry. `used` is the number of its last use; 0 for a
    /// new part.
    fn append(&mut self, key: PartKey, bytes: &[u8], used: u32) -> io::Result<()> {
        let Ok(length) = u32::try_from(bytes.len()) else { return Ok(()) };
        self.file.write_all(bytes)?;
        self.entries.push((key, PackEntry { at: self.end, bytes: length, check: check(bytes), used }));
        self.end += u64::from(length);
        Ok(())
    }

    /// Writes index and footer, and returns the complete temporary file.
    fn finish(mut self, writing: u32) -> io::Result<NamedTempFile> {
        let index = Index { writing, entries: self.entries };
        let index = postcard::to_allocvec(&index).map_err(io::Error::other)?;
        self.file.write_all(&index)?;
        self.file.write_all(&(index.len() as u64).to_le_bytes())?;
        self.file.write_all(&check(&index))?;
        self.file.write_all(MAGIC)?;
        self.file.into_inner().map_err(io::IntoInnerError::into_error)
    }
}

/// Opens a pack and reads its index. Fails if the file is no valid pack.
fn read_index(path: &Path) -> io::Result<(File, Index)> {
    let mut file = regular::open(path, Links::Refused)?;
    let end = file.metadata()?.len();
    let footer_at = end.checked_sub(FOOTER).ok_or(io::ErrorKind::InvalidData)?;
    file.seek(SeekFrom::Start(footer_at))?;
    let (mut length, mut hash, mut magic) = ([0; 8], [0; 16], [0; 16]);
    file.read_exact(&mut length)?;
    file.read_exact(&mut hash)?;
    file.read_exact(&mut magic)?;
    let length = u64::from_le_bytes(length);
    let at = footer_at.checked_sub(length).filter(|_| magic == *MAGIC && length <= INDEX_BYTES);
    let at = at.ok_or(io::ErrorKind::InvalidData)?;
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    (&mut file).take(length).read_to_end(&mut bytes)?;
    if check(&bytes) != hash {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let index = postcard::from_bytes(&bytes).map_err(io::Error::other)?;
    Ok((file, index))
}

/// Reads the bytes of a part (the parsed result of a source file); `None` if they do not match the
/// checksum.
fn read_part(file: &mut File, entry: &PackEntry) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(entry.at)).ok()?;
    file.take(u64::from(entry.bytes)).read_to_end(&mut bytes).ok()?;
    (check(&bytes) == entry.check).then_some(bytes)
}

/// Returns the checksum of the bytes: the first half of their hash.
fn check(bytes: &[u8]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    half
}
