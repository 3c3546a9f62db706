//! `read_file_snippet` (CTX-42, CTX-105 to 107): lines of a file from a line that is counted from 0.

use std::fmt::Write as _;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use stategraph_code_tools::{add_hint, no_text};

use crate::agent::{Tool, ToolOutput};
use crate::repo::{Lines, RepoPath, snippet};
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, either, failed};
use crate::workflows::foreign_text::without_secrets;

/// Tool that reads some lines of a file of the repository.
pub(in super::super) struct ReadFileSnippet(pub(super) Arc<AgentContext>);

/// Arguments of `read_file_snippet`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct ReadFileSnippetArguments {
    /// Path of the file, relative to the repository.
    path: String,
    /// Number of lines to skip: 0 is the beginning of the file.
    #[serde(default)]
    start_line: i64,
    /// Number of lines, at most 500.
    #[serde(default = "default_count")]
    num_lines: i64,
}

fn default_count() -> i64 {
    50
}

impl Tool for ReadFileSnippet {
    type Arguments = ReadFileSnippetArguments;

    fn name(&self) -> &'static str {
        "read_file_snippet"
    }

    fn description(&self) -> &'static str {
        "Reads lines of a text file: num_lines (50 unless given, at most 500) after the first start_line. Each has its number, from 1, \
         before `|`."
    }

    async fn run(&self, arguments: ReadFileSnippetArguments) -> ToolOutput {
        let ReadFileSnippetArguments { path, start_line, num_lines } = arguments;
        let input = json!({ "path": path, "start": start_line, "count": num_lines });
        let read = self.0.read("snippet", input, move |repository| match repository.code.text(&path) {
            Err(error) => no_text(&error),
            Ok((path, text)) => match snippet(&text, start_line, num_lines) {
                Err(error) => ToolOutput::failed(add_hint(&error, Some(error.hint()))),
                Ok(found) => ToolOutput::ok(number_lines(&path, &found)),
            },
        });
        either(read.await.map_err(failed))
    }
}

/// Returns lines of a file as `12| text` below a heading with the path and their range; a last line counts
/// the lines that follow.
fn number_lines(path: &RepoPath, found: &Lines) -> String {
    let mut shown = format!("`{path}`, lines {} to {} of {}:\n", found.first, found.last, found.total);
    for (number, line) in (found.first..).zip(without_secrets(&found.text).lines()) {
        let _ = writeln!(shown, "{number}| {line}");
    }
    match found.total.saturating_sub(found.last) {
        0 => {}
        more => {
            let _ = writeln!(shown, "[{more} more lines, {} in all]", found.total);
        }
    }
    shown.trim_end().to_owned()
}
