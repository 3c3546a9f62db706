//! What a tool answered, as data: for whoever must not read prose. Made by the tools; nothing is decided on it here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::repo::FileOutline;

/// What a call of a tool showed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Seen {
    /// No data: the call failed, or its content says all.
    #[default]
    Nothing,
    /// Of `list_files`.
    Listing {
        /// The folder, below the repository; `.` is the repository.
        folder: String,
        /// Folders below it, by their whole paths, in order.
        folders: Vec<String>,
        /// Files, likewise.
        files: Vec<ListedFile>,
        /// Folders and files that are not shown, as there are more than the limits.
        left_out: usize,
        /// Files, shown or not, whose names are no plain text: with line breaks or bytes of another encoding. Their paths open nothing.
        #[serde(default)]
        odd: usize,
    },
    /// Of `read_file`.
    File {
        /// The file.
        path: String,
        /// Its text, as far as it was read.
        text: String,
        /// The first line of it, from 1.
        first: usize,
        /// The lines that the file has.
        total: usize,
    },
    /// Of `get_symbols`.
    Outline {
        /// The outline.
        outline: FileOutline,
    },
    /// Of `grep`.
    Hits {
        /// The pattern.
        pattern: String,
        /// Those that are shown, code before tests before everything else.
        hits: Vec<SeenLine>,
        /// Matching lines, shown or not.
        lines: usize,
        /// Files with one.
        files: usize,
    },
    /// Of `grep` that counts.
    Counts {
        /// The pattern.
        pattern: String,
        /// Those that are shown, the most frequent first.
        counts: Vec<SeenCount>,
        /// How many different ones there are, shown or not.
        different: usize,
    },
    /// Of `query_memory`: the entries found, as they are in memory.
    Entries {
        /// The type that was asked for.
        query_type: String,
        /// The entries.
        entries: Vec<Value>,
        /// How many there are, shown or not.
        total: usize,
    },
    /// Of `store_discovery`.
    Stored {
        /// The type of the entry.
        entry_type: String,
        /// Its id.
        id: String,
    },
}

/// A file of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    /// Where it is, below the repository.
    pub path: String,
    /// Its size.
    pub bytes: u64,
}

/// A text that a pattern matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCount {
    /// The text.
    pub text: String,
    /// The lines that it stands in.
    pub lines: usize,
    /// The files that these are in.
    pub files: usize,
}

/// A line that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenLine {
    /// Its file.
    pub path: String,
    /// Its number, from 1.
    pub line: u64,
    /// Its text, cut if it is long.
    pub text: String,
}
