//! Which file a thread's graph came from, so that it can be found again, and a changed one be noticed. Reads no file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use stategraph_core::Digest;

/// A graph file as a thread remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its path, as it was typed.
    pub file: String,
    /// The digest of its text.
    pub digest: Digest,
    /// The files that it includes, and those that they include, by path, with the digests of their texts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub includes: BTreeMap<String, Digest>,
}

impl Origin {
    /// Of a file with this text.
    pub fn new(file: impl Into<String>, text: &str) -> Self {
        Self { file: file.into(), digest: Digest::of(text), includes: BTreeMap::new() }
    }

    /// With a file that it includes, and all that this one includes.
    #[must_use]
    pub fn including(mut self, child: Self) -> Self {
        self.includes.extend(child.includes);
        self.includes.insert(child.file, child.digest);
        self
    }

    /// The files that are not what they were when `then` was remembered, sorted; those that were not included then, or are not any
    /// more, among them.
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
