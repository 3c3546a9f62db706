//! The tool `grep_in_files` (CTX-41, 134 to 137): lists lines that match a regular expression.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ANSWER_CHARS, CodeTools, OrRefusal, either, fail};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::{Search, cut, search};

/// Maximum and default number of matching lines in an answer (CTX-41).
const LINES: usize = 15;

/// The tool `grep_in_files`, which searches all files of a code base for a regular expression.
pub struct GrepInFiles(CodeTools);

/// Arguments of `grep_in_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepInFilesArguments {
    /// A regular expression. Upper and lower case are the same.
    pub pattern: String,
    /// Only below this folder, or in this file; everywhere if left out.
    #[serde(default)]
    pub path: Option<String>,
    /// Most matching lines of the answer, at most 15.
    #[serde(default = "default_limit")]
    pub max_results: usize,
}

fn default_limit() -> usize {
    LINES
}

impl GrepInFiles {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for GrepInFiles {
    type Arguments = GrepInFilesArguments;

    fn name(&self) -> &'static str {
        "grep_in_files"
    }

    fn description(&self) -> &'static str {
        "Searches the texts of all files for a regular expression. Shows matching lines with one line around them, code before tests and \
         everything else, and counts all matches."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: GrepInFilesArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || either(grep(&tools, arguments))).await
    }
}

/// Answers a call of the tool with the matching lines with their context and the number of all matches.
fn grep(tools: &CodeTools, arguments: GrepInFilesArguments) -> OrRefusal<ToolOutput> {
    let under = match arguments.path.as_deref().filter(|path| !path.is_empty()) {
        Some(path) => tools.path(path)?.relative().to_owned(),
        None => PathBuf::new(),
    };
    let limit = arguments.max_results.clamp(1, LINES);
    let wanted = Search { under, context: 1, limit, ..Search::new(arguments.pattern) };
    match search(&**tools.code.files(), &wanted) {
        Ok(found) => Ok(ToolOutput::ok(cut(&found.to_string(), ANSWER_CHARS).to_string())),
        Err(error) => Err(fail(&error, Some(error.hint()))),
    }
}
