//! Snapshots of a tree as hashes, for finding changes later (DOC-89, 90). Holds no contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;

use serde::{Deserialize, Serialize};

use super::files::Files;
use super::guard::RepoPath;
use super::limit::{HASHED_ENDS, READ_BYTES};
use super::parallel::parallel_map;
use super::read::{ReadError, ReadProblem};
use super::walk::Walk;

/// The BLAKE3 hash of a file's content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Returns the BLAKE3 hash of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().to_string())
    }

    /// Hashes a file of any size in constant memory. Of a file above [`READ_BYTES`], only the size and the
    /// first and last [`HASHED_ENDS`] bytes are hashed, because such files are data and reading them would
    /// take too long.
    pub fn of_file(files: &dyn Files, path: &RepoPath) -> Result<Self, ReadError> {
        let size = files.size(path)?;
        let mut hasher = blake3::Hasher::new();
        if size <= READ_BYTES as u64 {
            hash(&mut hasher, files.open(path)?, path)?;
        } else {
            // With its size and a word before, it is no hash of any small file.
            hasher.update(b"the ends of a file of ").update(&size.to_le_bytes());
            hash(&mut hasher, files.open(path)?.take(HASHED_ENDS), path)?;
            hash(&mut hasher, files.open_at(path, size - HASHED_ENDS)?.take(HASHED_ENDS), path)?;
        }
        Ok(Self(hasher.finalize().to_hex().to_string()))
    }
}

fn hash(hasher: &mut blake3::Hasher, reader: impl Read, path: &RepoPath) -> Result<(), ReadError> {
    let read = hasher.update_reader(reader).map(|_| ());
    read.map_err(|error| ReadError { path: path.to_string(), problem: ReadProblem::from(error) })
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The content hashes of all files of a tree, by path. Two of them give the changed files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeSnapshot(pub BTreeMap<String, ContentHash>);

impl TreeSnapshot {
    /// Hashes all files of a walk. Files that cannot be read any more are omitted. Works on all cores.
    pub fn of(files: &dyn Files, walk: &Walk) -> Self {
        let hashes = parallel_map(walk.files.len(), |index| {
            let path = &walk.files[index].path;
            Some((path.to_string(), ContentHash::of_file(files, path).ok()?))
        });
        Self(hashes.into_iter().flatten().collect())
    }

    /// Returns the files that changed, appeared, disappeared or moved from this snapshot to `now`. A file
    /// counts as moved if another path has its content.
    ///
    /// ```
    /// use stategraph_repo::{ContentHash, TreeSnapshot};
    ///
    /// let tree = |files: &[(&str, &str)]| TreeSnapshot(files.iter().map(|(path, text)| (path.to_string(), ContentHash::of(text.as_bytes()))).collect());
    /// let changes = tree(&[("a", "1"), ("b", "2")]).changes_to(&tree(&[("a", "1!"), ("c", "2")]));
    /// assert_eq!(changes.changed, ["a"]);
    /// assert_eq!(changes.moved, [("b".to_string(), "c".to_string())]);
    /// ```
    pub fn changes_to(&self, now: &Self) -> Changes {
        let differing =
            self.0.iter().filter(|(path, hash)| now.0.get(*path).is_some_and(|other| other != *hash));
        let mut changes =
            Changes { changed: differing.map(|(path, _)| path.clone()).collect(), ..Changes::default() };
        let mut new: BTreeSet<&String> = now.0.keys().filter(|path| !self.0.contains_key(*path)).collect();
        for (path, hash) in self.0.iter().filter(|(path, _)| !now.0.contains_key(*path)) {
            match new.iter().find(|to| now.0.get(**to) == Some(hash)).copied() {
                Some(to) => {
                    new.remove(to);
                    changes.moved.push((path.clone(), to.clone()));
                }
                None => changes.deleted.push(path.clone()),
            }
        }
        changes.new = new.into_iter().cloned().collect();
        changes
    }
}

/// The differences between two snapshots of a tree. Each path is in one list only; the lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Files that exist in both, with different content.
    pub changed: Vec<String>,
    /// Files that exist only in the later snapshot, without moved ones.
    pub new: Vec<String>,
    /// Files that exist only in the earlier snapshot, without moved ones.
    pub deleted: Vec<String>,
    /// Files with the same content under another path: earlier path, later path.
    pub moved: Vec<(String, String)>,
}

impl Changes {
    /// Returns true if there are no changes, because the compared snapshots are equal.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
