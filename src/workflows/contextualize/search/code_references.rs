//! Places in code that a document names, checked against the files (CTX-30).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use stategraph_repo::CodeBase;

/// Lines of a file, and their meaning for a question.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodeReference {
    /// Below the root.
    pub path: String,
    /// The first line, from 1.
    pub start: u32,
    /// The last line, included.
    pub end: u32,
    /// The meaning of the lines, on one line.
    pub description: String,
}

/// Returns the references whose file exists and has their lines, without duplicates and in their order, and the number of wrong ones
/// (CTX-30). Of equal lines the first reference is kept.
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
