//! `list_directory` (EXP-13): the entries of one directory.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{refused_path, unreadable};
use stategraph_agent::{Tool, ToolOutput, blocking};
use stategraph_repo::{Files, Root};

/// The tool `list_directory`, which lists the entries of one directory of a repository.
#[derive(Clone, Debug)]
pub struct ListDirectory {
    root: Root,
}

/// Arguments of `list_directory`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListDirectoryArguments {
    /// Path of the directory, relative to the repository; `.` is the repository itself.
    #[serde(default = "repository_path")]
    pub path: String,
}

/// Returns the path of the repository itself, the default when a call names no path.
fn repository_path() -> String {
    ".".into()
}

impl ListDirectory {
    /// Makes the tool for the directories below `root`.
    pub fn new(root: Root) -> Self {
        Self { root }
    }

    /// Answers a call of the tool with the entries of the directory at `path`.
    fn list(&self, path: &str) -> ToolOutput {
        let path = match self.root.path(path) {
            Ok(path) => path,
            Err(error) => return refused_path(&error),
        };
        match self.root.list(&path) {
            Ok(listing) => ToolOutput::ok(listing.to_string()),
            Err(error) => unreadable(&error),
        }
    }
}

impl Tool for ListDirectory {
    type Arguments = ListDirectoryArguments;

    fn name(&self) -> &'static str {
        "list_directory"
    }

    fn description(&self) -> &'static str {
        "Lists a directory of the repository: directories first, then files with their sizes in bytes. Hidden entries, \
         dependencies and build outputs are left out."
    }

    async fn run(&self, arguments: ListDirectoryArguments) -> ToolOutput {
        let tool = self.clone();
        blocking(move || tool.list(&arguments.path)).await
    }
}
