//! What a tree looked like, so that a later look tells what changed (DOC-89, 90). Keeps hashes, no contents.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;

use serde::{Deserialize, Serialize};

use super::files::Files;
use super::guard::RepoPath;
use super::parallel::parallel_map;
use super::read::{ReadError, ReadProblem};
use super::walk::Walk;

/// The BLAKE3 hash of a content, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// Of bytes at hand.
    pub fn of(bytes: &[u8]) -> Self {
        Self(blake3::hash(bytes).to_hex().to_string())
    }

    /// Of a file of any size, in constant memory.
    pub fn of_file(files: &dyn Files, path: &RepoPath) -> Result<Self, ReadError> {
        let mut reader = files.open(path)?;
        let (mut hasher, mut buffer) = (blake3::Hasher::new(), vec![0; 64 * 1024]);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(Self(hasher.finalize().to_hex().to_string())),
                Ok(length) => hasher.update(&buffer[..length]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(ReadError { path: path.to_string(), problem: ReadProblem::from(error) });
                }
            };
        }
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The hashes of a tree's files, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot(pub BTreeMap<String, ContentHash>);

impl Snapshot {
    /// Of all files of a walk. A file that cannot be read, or is gone by now, is not in it.
    pub fn of(files: &dyn Files, walk: &Walk) -> Self {
        let hashes = parallel_map(walk.files.len(), |index| {
            let path = &walk.files[index].path;
            Some((path.to_string(), ContentHash::of_file(files, path).ok()?))
        });
        Self(hashes.into_iter().flatten().collect())
    }

    /// What is different in `now`.
    ///
    /// ```
    /// use stategraph::repo::{ContentHash, Snapshot};
    ///
    /// let tree = |files: &[(&str, &str)]| Snapshot(files.iter().map(|(path, text)| (path.to_string(), ContentHash::of(text.as_bytes()))).collect());
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

/// What is different between two looks at a tree; each path once, in order.
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
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
