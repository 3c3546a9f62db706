//! `read_file` (DOC-57, DOC-67): returns lines of one text file. Costs one file read; a missing file costs none (DOC-73).

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::hidden::refuse_private;
use super::{ANSWER_CHARS, ToolAnswerForm, ToolContext, failed_output, unreadable_output};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::repo::{Lines, RepoPath, lines};
use crate::workflows::doc_phases::phase::ToolObservation;
use stategraph_code_tools::excerpt;

/// Maximum length of the lines in an answer, in characters; the rest of its bound is for the words around them.
const FILE_CHARS: usize = ANSWER_CHARS - 1_000;

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
    /// Maximum number of lines, up to 500.
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
        "Reads a text file: 200 lines, 500 if asked, at most 11,000 characters; the end says where to continue. Costs one file read."
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
    if let Some(refusal) = refuse_private(&context.code, &arguments.path) {
        return refusal;
    }
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
    match lines(&text, first, last).map(|found| cut_lines(found, context.answers)) {
        Ok(found) => context.output(shown_lines(&path, &found), || ToolObservation::File {
            path: path.to_string(),
            text: found.text.clone(),
            first: found.first,
            total: found.total,
        }),
        Err(error) => failed_output(&error, Some(error.hint())),
    }
}

/// Returns the lines that fit into an answer for a model, at least the first one, cut if it is too long.
/// Answers for the rules are not cut.
fn cut_lines(mut found: Lines, answers: ToolAnswerForm) -> Lines {
    if answers == ToolAnswerForm::Data || found.text.chars().count() <= FILE_CHARS {
        return found;
    }
    let (mut chars, mut kept) = (0, 0);
    for line in found.text.lines() {
        chars += line.chars().count() + 1;
        if kept > 0 && chars > FILE_CHARS {
            break;
        }
        kept += 1;
    }
    found.last = found.first + kept - 1;
    found.text = found.text.lines().take(kept).collect::<Vec<_>>().join("\n");
    if found.text.chars().count() > FILE_CHARS {
        let line = crate::repo::cut(&found.text, FILE_CHARS).to_string();
        found.text = line;
    }
    found
}

/// Returns the lines with their numbers as text; if the file goes on, with the line number from which to
/// continue.
fn shown_lines(path: &RepoPath, found: &Lines) -> String {
    let text = excerpt(path, found);
    if found.last >= found.total {
        return text;
    }
    format!("{text}\n[continue with start_line {}]", found.last + 1)
}
