//! Ready-made tools that read a repository; none writes. If the repository refuses a path, the result of the call has the reason (CTX-45).

mod list_directory;
mod read_file;

pub use list_directory::{ListDirectory, ListDirectoryArguments};
pub use read_file::{READ_FILE_CHARS, ReadFile, ReadFileArguments};

use std::fmt::Display;

use stategraph_agent::ToolOutput;
use stategraph_repo::{PathError, ReadError};

/// Returns the result for a path that was refused.
fn refused_path(error: &PathError) -> ToolOutput {
    ToolOutput::refused(add_hint(error, Some(error.hint())))
}

/// Returns the result for a file or directory that cannot be read.
fn unreadable(error: &ReadError) -> ToolOutput {
    ToolOutput::failed(add_hint(error, error.hint()))
}

/// Returns the message of an error with its hint.
fn add_hint(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_string(),
    }
}
