//! `read_file_snippet` (CTX-42, CTX-105 to 107): lines of a file from a line that is counted from 0.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use stategraph_code_tools::{add_hint, excerpt, no_text};

use crate::agent::{Tool, ToolOutput};
use crate::repo::snippet;
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, either, failed};
use crate::workflows::foreign_text::without_secrets;

/// Reads lines of a file of the repository.
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
        "Reads lines of a text file: num_lines (50 unless given, at most 500) after the first start_line."
    }

    async fn run(&self, arguments: ReadFileSnippetArguments) -> ToolOutput {
        let ReadFileSnippetArguments { path, start_line, num_lines } = arguments;
        let input = json!({ "path": path, "start": start_line, "count": num_lines });
        let read = self.0.read("snippet", input, move |repository| match repository.code.text(&path) {
            Err(error) => no_text(&error),
            Ok((path, text)) => match snippet(&text, start_line, num_lines) {
                Err(error) => ToolOutput::failed(add_hint(&error, Some(error.hint()))),
                Ok(found) => ToolOutput::ok(without_secrets(&excerpt(&path, &found)).trim_end()),
            },
        });
        either(read.await.map_err(failed))
    }
}
