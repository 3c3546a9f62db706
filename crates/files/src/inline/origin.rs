//! The origin of the graph of a thread, so that its file can be found again and a change of it be noticed. Reads no
//! file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use stategraph_core::Digest;

/// The record of the graph file that a thread stores: path and digest, also of included files. It shows later
/// whether they changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOrigin {
    /// Path of the file, as the user typed it.
    pub file: String,
    /// Digest of its text.
    pub digest: Digest,
    /// Directly and indirectly included files: paths with the digests of their texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub includes: BTreeMap<String, Digest>,
}

impl FileOrigin {
    /// Creates the record of the file at the path `file` with this text, without includes.
    pub fn new(file: impl Into<String>, text: &str) -> Self {
        Self { file: file.into(), digest: Digest::of(text), includes: BTreeMap::new() }
    }

    /// Adds the record of an included file, and the files that it includes itself.
    #[must_use]
    pub fn including(mut self, child: Self) -> Self {
        self.includes.extend(child.includes);
        self.includes.insert(child.file, child.digest);
        self
    }

    /// Returns the paths of the files that differ from the earlier record `then`: the file itself first, then
    /// included ones, sorted. Files that were added or removed since count as changed.
    pub fn changed_since<'a>(&'a self, then: &'a Self) -> Vec<&'a str> {
        let mut changed: Vec<&str> = Vec::new();
        if self.digest != then.digest {
            changed.push(&self.file);
        }
        let both = self.includes.keys().chain(then.includes.keys());
        let both: BTreeSet<&String> = both.collect();
        changed.extend(
            both.into_iter()
                .filter(|file| self.includes.get(*file) != then.includes.get(*file))
                .map(String::as_str),
        );
        changed
    }
}
