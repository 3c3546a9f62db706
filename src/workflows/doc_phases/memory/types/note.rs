//! Remarks about places in the code.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Entry, EntryType, MemoryEntry, Removals, normalize_path};
use crate::facts::SourceLines;
use crate::repo::ContentHash;

/// Remark about lines of a file, such as a defect or an invariant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Its id; made from its kind, place and text unless set.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub note_id: String,
    /// Kind of the remark.
    pub kind: NoteKind,
    /// The lines that it is about, as `path:start-end` or `path:line`.
    #[schemars(length(min = 1, max = 4096))]
    pub place: String,
    /// The remark, in one to three sentences.
    #[schemars(length(min = 1, max = 2000))]
    pub text: String,
    /// The id of the component that it belongs to.
    #[serde(default)]
    pub component: String,
}

/// Kind of a note; pages show them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// The code does something wrong.
    Defect,
    /// Documentation and code, or two parts of the code, disagree.
    Contradiction,
    /// A condition that the code relies on and does not check everywhere.
    Invariant,
    /// Steps to add or change something common.
    HowTo,
    /// Something that the code does not do.
    Limit,
    /// A licence of the whole or of a part.
    #[serde(alias = "license")]
    Licence,
}

impl NoteKind {
    /// All kinds, in the order of pages.
    pub const ALL: [Self; 6] =
        [Self::Defect, Self::Contradiction, Self::Invariant, Self::HowTo, Self::Limit, Self::Licence];

    /// Returns the name of the kind in entries, such as `how-to`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Defect => "defect",
            Self::Contradiction => "contradiction",
            Self::Invariant => "invariant",
            Self::HowTo => "how-to",
            Self::Limit => "limit",
            Self::Licence => "licence",
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Note {
    /// Returns the file and lines that the note is about; `None` if its `place` is no path with a line
    /// number.
    pub fn lines(&self) -> Option<SourceLines> {
        parse_place(&self.place)
    }

    /// Returns the path of the file that the note is about: its `place` without what follows the last colon.
    fn path(&self) -> &str {
        self.place.rsplit_once(':').map_or(self.place.as_str(), |(path, _)| path)
    }
}

/// Parses the lines of a file written as `path:start-end` or `path:line`, also with `L` before a number.
/// Lines count from 1. `None` for any other text.
pub fn parse_place(place: &str) -> Option<SourceLines> {
    let (path, lines) = place.rsplit_once(':')?;
    let (start, end) = lines.split_once('-').unwrap_or((lines, lines));
    let (start, end): (usize, usize) =
        (start.trim_start_matches('L').parse().ok()?, end.trim_start_matches('L').parse().ok()?);
    (!path.is_empty() && start > 0 && start <= end).then(|| SourceLines { path: path.to_owned(), start, end })
}

impl MemoryEntry for Note {
    const TYPE: EntryType = EntryType::Note;

    fn id(&self) -> &str {
        &self.note_id
    }

    /// Returns 1: a note is checked before it is stored, and has no degrees of confidence.
    fn confidence(&self) -> f64 {
        1.0
    }

    fn from_entry(entry: &Entry) -> Option<&Self> {
        if let Entry::Note(entry) = entry { Some(entry) } else { None }
    }

    fn strip_removed(&mut self, gone: &Removals) -> bool {
        if gone.has_component(&self.component) {
            self.component.clear();
        }
        !gone.has_file(self.path()) && !gone.is_mentioned_in(&self.text)
    }

    fn normalize(&mut self) {
        if let Some(mut lines) = self.lines() {
            normalize_path(&mut lines.path);
            self.place = lines.to_string();
        }
        if self.note_id.is_empty() {
            let hash = ContentHash::of(format!("{}\n{}", self.place, self.text).as_bytes()).to_string();
            self.note_id = format!("{}-{}", self.kind, &hash[..12]);
        }
    }

    fn component(&self) -> Option<&str> {
        Some(self.component.as_str()).filter(|component| !component.is_empty())
    }

    fn files(&self) -> Vec<(&'static str, &str)> {
        vec![("place", self.path())]
    }
}
