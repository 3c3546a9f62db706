//! `list_files` (DOC-59, DOC-68): what a folder holds. Free.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Desk, failed, hinted};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::repo::{FileList, ListFilesError, list_files_from};
use crate::workflows::doc_phases::phase::{ListedFile, Seen};

pub(super) struct ListFiles(pub(super) Arc<Desk>);

/// What `list_files` is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListFilesArguments {
    /// The folder, from the root of the repository; `.` is the root.
    #[serde(default = "root")]
    directory: String,
    /// A pattern: `*.rs` for names in the folder, `**/*.rs` for everything below it; all entries if left out.
    #[serde(default)]
    pattern: Option<String>,
    /// How many files are passed over, to see those beyond the first 100.
    #[serde(default)]
    skip_files: usize,
}

fn root() -> String {
    ".".into()
}

impl Tool for ListFiles {
    type Arguments = ListFilesArguments;

    fn name(&self) -> &'static str {
        "list_files"
    }

    fn description(&self) -> &'static str {
        "Lists a folder, or what a pattern finds below it: at most 50 folders and 100 files with their sizes. Hidden entries and \
         dependencies are left out. Free."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: ListFilesArguments) -> ToolOutput {
        let desk = self.0.clone();
        blocking(move || listed(&desk, &arguments)).await
    }
}

fn listed(desk: &Desk, arguments: &ListFilesArguments) -> ToolOutput {
    let directory = match arguments.directory.trim() {
        "" => ".",
        directory => directory,
    };
    let pattern = arguments.pattern.as_deref();
    match list_files_from(&**desk.code.files(), directory, pattern, arguments.skip_files) {
        Ok(found) => desk.answer(found.to_string(), || seen(directory, &found)),
        Err(ListFilesError::Path(error)) => ToolOutput::refused(hinted(&error, Some(error.hint()))),
        Err(error) => failed(&error, error.hint()),
    }
}

fn seen(folder: &str, found: &FileList) -> Seen {
    let files = found.files.iter().map(|(path, bytes)| ListedFile { path: path.clone(), bytes: *bytes });
    Seen::Listing {
        folder: folder.trim_end_matches('/').to_owned(),
        folders: found.directories.clone(),
        files: files.collect(),
        left_out: found.more_directories + found.more_files,
        odd: found.odd,
    }
}
