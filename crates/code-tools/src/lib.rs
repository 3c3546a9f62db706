//! Ready-made tools that read a repository, one catalogue for all agents; none writes. If the repository
//! refuses a path, the result of the call has the reason (CTX-45). Tools with short results that tell where
//! to look have a high priority (CTX-80 to 82).
//!
//! Without the feature `code` there are `read_file` and `list_directory` only, and no grammar is compiled.

#[cfg(feature = "code")]
mod code;
mod list_directory;
mod read_file;

#[cfg(feature = "code")]
pub use code::{
    ANSWER_CHARS, CodeTools, FactKindName, FindFacts, FindFactsArguments, FindReferences,
    FindReferencesArguments, GetFileOutline, GetFileOutlineArguments, GrepInFiles, GrepInFilesArguments,
    ReadLines, ReadLinesArguments, ReadSymbol, ReadSymbolArguments, SearchForFiles, SearchForFilesArguments,
    excerpt, no_text,
};
pub use list_directory::{ListDirectory, ListDirectoryArguments};
pub use read_file::{READ_FILE_CHARS, ReadFile, ReadFileArguments};

use std::fmt::Display;

use stategraph_agent::{ToolOutput, Toolbox};
use stategraph_repo::{PathError, ReadError, Root};

/// Names of the tools of the catalogue, in alphabetic order.
#[cfg(feature = "code")]
pub const TOOLS: &[&str] = &[
    "facts",
    "find_references",
    "get_file_outline",
    "grep_in_files",
    "list_directory",
    "read_file",
    "read_lines",
    "read_symbol",
    "search_for_files",
];

/// Names of the tools of the catalogue, in alphabetic order.
#[cfg(not(feature = "code"))]
pub const TOOLS: &[&str] = &["list_directory", "read_file"];

/// Returns a toolbox with all tools of [`TOOLS`], for the files below `root`.
pub fn toolbox(root: &Root) -> Toolbox {
    #[cfg(feature = "code")]
    return CodeTools::new(root.clone()).toolbox();
    #[cfg(not(feature = "code"))]
    reading(root)
}

/// Returns a toolbox with the tools that parse no code: `read_file` and `list_directory`.
pub fn reading(root: &Root) -> Toolbox {
    Toolbox::new()
        .with(ListDirectory::new(root.clone()))
        .and_then(|tools| tools.with(ReadFile::new(root.clone())))
        .expect("the names are portable and different")
}

/// Returns the tool output for a path that the repository refuses, with its hint.
pub fn refused_path(error: &PathError) -> ToolOutput {
    ToolOutput::refused(add_hint(error, Some(error.hint())))
}

/// Returns the tool output for a file or directory that cannot be read, with its hint.
pub fn unreadable(error: &ReadError) -> ToolOutput {
    ToolOutput::failed(add_hint(error, error.hint()))
}

/// Returns the message of an error for a tool output, followed by `; hint: …` if there is a hint.
pub fn add_hint(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_string(),
    }
}
