//! Ready-made tools over a repository. They read; none writes. Where a repository refuses, the result says why (CTX-45).

mod list_directory;
mod read_file;

pub use list_directory::{ListDirectory, ListDirectoryArguments};
pub use read_file::{READ_FILE_CHARS, ReadFile, ReadFileArguments};

use std::fmt::Display;

use stategraph_agent::ToolOutput;
use stategraph_repo::{PathError, ReadError};

/// The result for a path that was refused.
fn refused_path(error: &PathError) -> ToolOutput {
    ToolOutput::refused(hinted(error, Some(error.hint())))
}

/// The result for a place that cannot be read.
fn unreadable(error: &ReadError) -> ToolOutput {
    ToolOutput::failed(hinted(error, error.hint()))
}

fn hinted(error: &impl Display, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{error}; hint: {hint}"),
        None => error.to_string(),
    }
}
