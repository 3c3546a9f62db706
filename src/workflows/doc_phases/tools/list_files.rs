//! `list_files` (DOC-59, DOC-68): lists a folder. Free.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::hidden::{explaining_files, refuse_private};
use super::{ToolContext, failed_output};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::repo::{FileList, ListFilesError, list_files_from};
use crate::workflows::doc_phases::phase::{ListedFile, ToolObservation};

pub(super) struct ListFiles(pub(super) Arc<ToolContext>);

/// Arguments of `list_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListFilesArguments {
    /// The folder; `.` is the root.
    #[serde(default = "default_directory")]
    directory: String,
    /// `*.rs` for names in the folder, `**/*.rs` for everything below it.
    #[serde(default)]
    pattern: Option<String>,
    /// Number of files to skip, to go on.
    #[serde(default)]
    skip_files: usize,
}

fn default_directory() -> String {
    ".".into()
}

impl Tool for ListFiles {
    type Arguments = ListFilesArguments;

    fn name(&self) -> &'static str {
        "list_files"
    }

    fn description(&self) -> &'static str {
        "Lists a folder, or what a pattern finds below it: at most 50 folders and 100 files with their sizes. Free."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: ListFilesArguments) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || list_folder(&context, &arguments)).await
    }
}

fn list_folder(context: &ToolContext, arguments: &ListFilesArguments) -> ToolOutput {
    let directory = match arguments.directory.trim() {
        "" => ".",
        directory => directory,
    };
    let pattern = arguments.pattern.as_deref();
    if let Some(refusal) = refuse_private(&context.code, directory) {
        return refusal;
    }
    let hidden =
        if directory == "." && pattern.is_none() { explaining_files(&context.code) } else { Vec::new() };
    match list_files_from(&**context.code.files(), directory, pattern, arguments.skip_files) {
        Ok(found) => context.output(with_hidden(&found, &hidden), || listing_data(directory, &found)),
        Err(ListFilesError::Path(error)) => stategraph_code_tools::refused_path(&error),
        Err(error) => failed_output(&error, error.hint()),
    }
}

/// Returns the listing as text; with a last line that names the `hidden` files, if there are any.
fn with_hidden(found: &FileList, hidden: &[String]) -> String {
    if hidden.is_empty() {
        return found.to_string();
    }
    format!("{found}\nHidden, and readable: {}", hidden.join(", "))
}

fn listing_data(folder: &str, found: &FileList) -> ToolObservation {
    let files = found.files.iter().map(|(path, bytes)| ListedFile { path: path.clone(), bytes: *bytes });
    ToolObservation::Listing {
        folder: folder.trim_end_matches('/').to_owned(),
        folders: found.directories.clone(),
        files: files.collect(),
        left_out: found.more_directories + found.more_files,
        odd: found.odd,
    }
}
