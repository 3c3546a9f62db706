//! The tool `read_lines` (CTX-42, 105 to 107): returns a range of lines of a text file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::read_file::number_lines;
use super::{ANSWER_CHARS, CodeTools, OrRefusal, either, fail};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::{Lines, RepoPath, cut, lines};

/// The tool `read_lines`, which returns a range of lines of a file.
pub struct ReadLines(CodeTools);

/// Arguments of `read_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadLinesArguments {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// The first line, from 1.
    pub first: usize,
    /// The last line, included.
    pub last: usize,
}

impl ReadLines {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for ReadLines {
    type Arguments = ReadLinesArguments;

    fn name(&self) -> &'static str {
        "read_lines"
    }

    fn description(&self) -> &'static str {
        "Reads lines of a text file, from 1, both included; at most 500 lines of 6,000 characters."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: ReadLinesArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || either(read(&tools, &arguments))).await
    }
}

/// Answers a call of the tool with the requested lines under a heading with path and line numbers.
fn read(tools: &CodeTools, arguments: &ReadLinesArguments) -> OrRefusal<ToolOutput> {
    let (path, text) = tools.text(&arguments.path)?;
    let found = lines(&text, arguments.first, arguments.last);
    let found = found.map_err(|error| fail(&error, Some(error.hint())))?;
    let found = if tools.has_line_numbers {
        Lines { text: number_lines(&found.text, found.first), ..found }
    } else {
        found
    };
    Ok(ToolOutput::ok(cut(&excerpt(&path, &found), ANSWER_CHARS).to_string()))
}

/// Formats lines of a file under a heading with the path, the line numbers and the total number of lines.
pub fn excerpt(path: &RepoPath, found: &Lines) -> String {
    format!("`{path}`, lines {} to {} of {}:\n{found}", found.first, found.last, found.total)
}
