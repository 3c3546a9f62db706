//! `read_file` (EXP-12): the beginning of one text file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{refused_path, unreadable};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::{Root, cut, read_text};

/// Maximum number of characters of a file that `read_file` returns (EXP-12).
pub const READ_FILE_CHARS: usize = 12_000;

/// The tool `read_file`, which returns the beginning of a text file, at most [`READ_FILE_CHARS`] characters
/// unless set.
#[derive(Clone, Debug)]
pub struct ReadFile {
    root: Root,
    /// Maximum number of characters returned.
    chars: usize,
    /// True if each line is preceded by its number.
    has_numbers: bool,
}

/// Arguments of `read_file`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadFileArguments {
    /// Path of the file, relative to the repository.
    pub path: String,
}

impl ReadFile {
    /// Makes the tool for the files below `root`, with the limit [`READ_FILE_CHARS`].
    pub fn new(root: Root) -> Self {
        Self { root, chars: READ_FILE_CHARS, has_numbers: false }
    }

    /// Sets the maximum number of characters returned.
    pub fn chars(mut self, limit: usize) -> Self {
        self.chars = limit;
        self
    }

    /// Makes the tool put the line number before each line, as in `12 | text`, so that a model can cite the
    /// line.
    pub fn with_line_numbers(mut self) -> Self {
        self.has_numbers = true;
        self
    }

    /// Answers a call of the tool with the beginning of the file at `path`.
    fn read(&self, path: &str) -> ToolOutput {
        let path = match self.root.path(path) {
            Ok(path) => path,
            Err(error) => return refused_path(&error),
        };
        match read_text(&path) {
            Ok(text) if text.is_empty() => ToolOutput::ok(format!("[`{path}` is empty]")),
            Ok(text) if self.has_numbers => {
                ToolOutput::ok(cut(&number_lines(&text, 1), self.chars).to_string())
            }
            Ok(text) => ToolOutput::ok(cut(&text, self.chars).to_string()),
            Err(error) => unreadable(&error),
        }
    }
}

/// Returns a text with a number before each line, `12 | text`. `first` is the number of the first line.
pub(crate) fn number_lines(text: &str, first: usize) -> String {
    let numbered = text.lines().zip(first..).map(|(line, number)| format!("{number} | {line}"));
    numbered.collect::<Vec<_>>().join("\n")
}

impl Tool for ReadFile {
    type Arguments = ReadFileArguments;

    fn name(&self) -> &'static str {
        "read_file"
    }

    fn description(&self) -> &'static str {
        "Reads a text file of the repository. Long files are cut, and the last line says how much is missing."
    }

    /// Returns the low priority of this tool's output in a conversation that must shrink, because a file
    /// can be read again (CTX-82).
    fn priority(&self) -> Priority {
        Priority::Low
    }

    async fn run(&self, arguments: ReadFileArguments) -> ToolOutput {
        let tool = self.clone();
        blocking(move || tool.read(&arguments.path)).await
    }
}
