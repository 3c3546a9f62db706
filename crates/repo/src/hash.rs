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

/// The BLAKE3 hash of a content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Hashes bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().to_string())
    }

    /// Hashes a file of any size in constant memory. For a file that is larger than the read limit ([`READ_BYTES`]) the hash covers its
    /// size and its two ends, [`HASHED_ENDS`] each, because files of gigabytes are data and reading them would take too long.
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

/// The hashes of a tree's files, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeSnapshot(pub BTreeMap<String, ContentHash>);

impl TreeSnapshot {
    /// Hashes all files of a walk. Files that cannot be read, or are gone by now, are omitted.
    pub fn of(files: &dyn Files, walk: &Walk) -> Self {
        let hashes = parallel_map(walk.files.len(), |index| {
            let path = &walk.files[index].path;
            Some((path.to_string(), ContentHash::of_file(files, path).ok()?))
        });
        Self(hashes.into_iter().flatten().collect())
    }

    /// Returns the changes from this snapshot to `now`.
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

/// The differences between two snapshots of a tree; each path once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Same path, other content.
    pub changed: Vec<String>,
    /// Not there before.
    pub new: Vec<String>,
    /// Not there now.
    pub deleted: Vec<String>,
    /// Same content, other path: from, to.
    pub moved: Vec<(String, String)>,
}

impl Changes {
    /// Returns true if the snapshots are equal.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
