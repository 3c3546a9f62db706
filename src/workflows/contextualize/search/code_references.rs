//! Places in code that a document names, checked against the files (CTX-30).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stategraph_repo::CodeBase;

/// A range of lines in a file, with a description. Printed as `path:line` or `path:start-end`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeReference {
    /// Path relative to the root of the repository.
    pub path: String,
    /// The first line, from 1.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// The meaning of the lines, on one line.
    pub description: String,
}

/// Checks references against the files (CTX-30). Returns those whose file and lines exist, in their order,
/// each range once (the first is kept), and the number of invalid ones. Paths are normalized.
pub fn check_references(references: Vec<CodeReference>, code: &CodeBase) -> (Vec<CodeReference>, usize) {
    let mut files: BTreeMap<String, Option<(String, usize)>> = BTreeMap::new();
    let mut seen: BTreeSet<(String, u32, u32)> = BTreeSet::new();
    let (mut kept, mut wrong) = (Vec::new(), 0);
    for mut reference in references {
        let known = files.entry(reference.path.clone()).or_insert_with(|| {
            let (path, text) = code.text(&reference.path).ok()?;
            Some((path.to_string(), text.lines().count()))
        });
        let Some((path, count)) = known else {
            wrong += 1;
            continue;
        };
        // `./src/a.rs` and `src/a.rs` are one file.
        reference.path.clone_from(path);
        let is_inside = reference.start >= 1
            && reference.start <= reference.end
            && usize::try_from(reference.end).is_ok_and(|end| end <= *count);
        if !is_inside {
            wrong += 1;
        } else if seen.insert((reference.path.clone(), reference.start, reference.end)) {
            kept.push(reference);
        }
    }
    (kept, wrong)
}

impl std::fmt::Display for CodeReference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.start == self.end {
            return write!(f, "{}:{}", self.path, self.start);
        }
        write!(f, "{}:{}-{}", self.path, self.start, self.end)
    }
}
