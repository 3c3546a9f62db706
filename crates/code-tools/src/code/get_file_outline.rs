//! The tool `get_file_outline` (CTX-52): lists imports, names, signatures and lines of a file without
//! bodies.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ANSWER_CHARS, CodeTools, OrRefusal, either, fail};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};

/// The tool `get_file_outline`, which shows the imports, signatures and line numbers of a source file
/// without bodies.
pub struct GetFileOutline(CodeTools);

/// Arguments of `get_file_outline`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetFileOutlineArguments {
    /// Path of the source file, relative to the repository.
    pub path: String,
}

impl GetFileOutline {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for GetFileOutline {
    type Arguments = GetFileOutlineArguments;

    fn name(&self) -> &'static str {
        "get_file_outline"
    }

    fn description(&self) -> &'static str {
        "Outlines a source file: imports, types and functions with their signatures and lines, no bodies. Never read a code file before \
         you have outlined it. Knows Rust, Python, JavaScript, TypeScript, Go, Java, C, C++, C#, Ruby, PHP and Bash."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: GetFileOutlineArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || either(outline(&tools, &arguments.path))).await
    }
}

/// Answers a call of the tool with the outline of the file at `path`.
fn outline(tools: &CodeTools, path: &str) -> OrRefusal<ToolOutput> {
    let (path, _) = tools.text(path)?;
    let outline = tools.code.get_outline(path.relative()).ok_or_else(|| {
        let reason = format!("`{path}` is in no language that is outlined");
        fail(&reason, Some("read_file shows it"))
    })?;
    Ok(ToolOutput::ok(outline.brief(ANSWER_CHARS)))
}
