//! The tool `search_for_files` (CTX-27, 28, 41): finds the files that match some keywords best.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;

use super::CodeTools;
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::{Candidate, find_files};

/// Maximum and default number of files in an answer (CTX-41).
const FILES: usize = 15;

/// The tool `search_for_files`, which ranks the files of a code base by keywords in their names, folders
/// and texts.
pub struct SearchForFiles(CodeTools);

/// Arguments of `search_for_files`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchForFilesArguments {
    /// Words that occur in the names or the texts of the files, such as `login` and `session`; at most 20.
    pub keywords: Vec<String>,
    /// Most files of the answer, at most 15.
    #[serde(default = "default_limit")]
    pub max_results: usize,
}

fn default_limit() -> usize {
    FILES
}

impl SearchForFiles {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for SearchForFiles {
    type Arguments = SearchForFilesArguments;

    fn name(&self) -> &'static str {
        "search_for_files"
    }

    fn description(&self) -> &'static str {
        "Finds the files that some keywords are about, by their names, their folders and their texts; the best first. The cheapest tool: \
         begin with it."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: SearchForFilesArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || {
            if arguments.keywords.iter().all(|word| word.trim().is_empty()) {
                return ToolOutput::failed(
                    "no keyword was given; hint: name one to five words of the question",
                );
            }
            let found =
                find_files(&**tools.code.files(), &arguments.keywords, arguments.max_results.clamp(1, FILES));
            let mut text = String::new();
            for file in &found.files {
                let _ = writeln!(text, "{}{}", file.path, describe_match(file));
            }
            let _ = match (found.total, found.total - found.files.len()) {
                (0, _) => write!(text, "no file has one of these words"),
                (total, 0) => write!(text, "({total} files)"),
                (total, more) => write!(text, "({total} files, {more} not shown)"),
            };
            ToolOutput::ok(text)
        })
        .await
    }
}

/// Says which keywords a file matches in its name, its folders and its text: `  (name: login; text:
/// session)`.
fn describe_match(file: &Candidate) -> String {
    let places = [("name", &file.in_name), ("folder", &file.in_folders), ("text", &file.in_text)];
    let said = places.iter().filter(|(_, words)| !words.is_empty());
    let said: Vec<String> = said.map(|(place, words)| format!("{place}: {}", words.join(", "))).collect();
    format!("  ({})", said.join("; "))
}
