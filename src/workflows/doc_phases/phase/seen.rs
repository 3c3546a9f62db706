//! Tool results as data, for rules, which must not parse prose. The tools produce them; nothing here decides on them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::completion::Completion;
use crate::repo::FileOutline;

/// Result of a tool call as data. The tools make it, the rules decide on it; a model gets the result as text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ToolObservation {
    /// No data: the call failed, or its text says everything.
    #[default]
    Nothing,
    /// Result of `list_files`.
    Listing {
        /// Listed folder, relative to the repository; `.` is the repository.
        folder: String,
        /// Full paths of the folders in it, in order.
        folders: Vec<String>,
        /// Full paths of the files in it, in order.
        files: Vec<ListedFile>,
        /// Number of folders and files that exceed the limits and are not shown.
        left_out: usize,
        /// Number of files, shown or not, whose names contain line breaks or are not UTF-8. Their paths open nothing.
        #[serde(default)]
        odd: usize,
    },
    /// Result of `read_file`.
    File {
        /// Path of the file.
        path: String,
        /// Text that was read.
        text: String,
        /// Number of the first line read, from 1.
        first: usize,
        /// Number of lines in the file.
        total: usize,
    },
    /// Result of `get_symbols`.
    Outline {
        /// Outline of the file.
        outline: FileOutline,
    },
    /// Result of `grep`.
    Hits {
        /// Searched pattern.
        pattern: String,
        /// Shown matches: code first, then tests, then everything else.
        hits: Vec<MatchedLine>,
        /// Number of matching lines, shown or not.
        lines: usize,
        /// Number of files with a match.
        files: usize,
    },
    /// Result of `grep` that counts.
    Counts {
        /// Searched pattern.
        pattern: String,
        /// Shown texts, the most frequent first.
        counts: Vec<MatchCount>,
        /// Number of different texts, shown or not.
        different: usize,
    },
    /// Result of `query_memory`: the entries, as stored.
    Entries {
        /// Queried type.
        query_type: String,
        /// Returned entries.
        entries: Vec<Value>,
        /// Number of matching entries, returned or not.
        total: usize,
    },
    /// Result of `store_discovery`.
    Stored {
        /// Type of the stored entry.
        entry_type: String,
        /// Id of the stored entry.
        id: String,
    },
    /// Result of `store_discovery` for a model: several entries, and perhaps the end of the phase.
    Findings {
        /// Entries that changed.
        stored: Vec<StoredEntry>,
        /// Completion of the phase, if it was accepted.
        completion: Option<Completion>,
        /// Weak purposes that stay although they were asked for again.
        weak: Vec<String>,
        /// True if the completion was sent back, to mend unknown names or weak purposes.
        is_returned: bool,
    },
}

/// An entry of the agent's memory that a call of `store_discovery` added or changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredEntry {
    /// Type of the entry.
    pub entry_type: String,
    /// Id of the entry.
    pub id: String,
    /// True if memory had no entry of this id.
    pub is_new: bool,
}

/// A file in the result of `list_files`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    /// Path, relative to the repository.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// A text that a counting `grep` matched, with its frequency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchCount {
    /// Matched text.
    pub text: String,
    /// Number of lines that contain it.
    pub lines: usize,
    /// Number of files that contain it.
    pub files: usize,
}

/// A line of a file that a `grep` matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchedLine {
    /// Path of its file.
    pub path: String,
    /// Line number, from 1.
    pub line: u64,
    /// Text of the line; long lines are shortened.
    pub text: String,
}
