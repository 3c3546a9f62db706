//! `read_file` (DOC-57, DOC-67): returns lines of one text file. Costs one file read; a missing file costs none (DOC-73).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ToolContext, failed_output, unreadable_output};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::repo::lines;
use crate::workflows::doc_phases::phase::ToolObservation;
use stategraph_code_tools::excerpt;

pub(super) struct ReadFileTool(pub(super) Arc<ToolContext>);

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The schema keeps the name `ReadFileArguments` because it is part of the tool's published arguments.
#[schemars(rename = "ReadFileArguments")]
pub(super) struct ReadFileLines {
    /// Path of the file, from the root of the repository.
    path: String,
    /// The first line, from 1.
    #[serde(default = "default_start_line")]
    start_line: usize,
    /// Most lines that are read, at most 500.
    #[serde(default = "default_max_lines")]
    max_lines: usize,
}

fn default_start_line() -> usize {
    1
}

fn default_max_lines() -> usize {
    200
}

impl Tool for ReadFileTool {
    type Arguments = ReadFileLines;

    fn name(&self) -> &'static str {
        "read_file"
    }

    fn description(&self) -> &'static str {
        "Reads a text file, 200 lines unless told otherwise; the last line says how many are left out. Costs one file read."
    }

    fn priority(&self) -> Priority {
        Priority::Low
    }

    async fn run(&self, arguments: ReadFileLines) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || read_lines(&context, &arguments)).await
    }
}

fn read_lines(context: &ToolContext, arguments: &ReadFileLines) -> ToolOutput {
    let (path, text) = match context.code.text(&arguments.path) {
        Ok(found) => found,
        Err(error) => return unreadable_output(&error),
    };
    if text.is_empty() {
        let seen =
            || ToolObservation::File { path: path.to_string(), text: String::new(), first: 1, total: 0 };
        return context.output(format!("[`{path}` is empty]"), seen);
    }
    let first = arguments.start_line.max(1);
    let last = first.saturating_add(arguments.max_lines.max(1) - 1);
    match lines(&text, first, last) {
        Ok(found) => context.output(excerpt(&path, &found), || ToolObservation::File {
            path: path.to_string(),
            text: found.text.clone(),
            first: found.first,
            total: found.total,
        }),
        Err(error) => failed_output(&error, Some(error.hint())),
    }
}
