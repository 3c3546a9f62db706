//! The tool `read_symbol` (CTX-53, 56): returns one function, type or method with its body.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ANSWER_CHARS, CodeTools, OrRefusal, either, fail};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::cut;

/// The tool `read_symbol`, which returns the source text of one definition.
pub struct ReadSymbol(CodeTools);

/// Arguments of `read_symbol`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadSymbolArguments {
    /// Path of the source file, relative to the repository.
    pub path: String,
    /// The name, as the outline shows it: `open` or `Store.open`.
    pub name: String,
}

impl ReadSymbol {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for ReadSymbol {
    type Arguments = ReadSymbolArguments;

    fn name(&self) -> &'static str {
        "read_symbol"
    }

    fn description(&self) -> &'static str {
        "Reads one function, type or method of a source file with its body and its lines."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: ReadSymbolArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || either(read(&tools, &arguments))).await
    }
}

/// Answers a call of the tool with the position and body of the definition, and the names of others that
/// match, too.
fn read(
    tools: &CodeTools,
    ReadSymbolArguments { path, name }: &ReadSymbolArguments,
) -> OrRefusal<ToolOutput> {
    let (path, _) = tools.text(path)?;
    let found = tools.code.read_symbol(path.relative(), name).ok_or_else(|| {
        let reason = format!("`{path}` is in no language that is outlined");
        fail(&reason, Some("read_lines shows its lines"))
    })?;
    let found = found.map_err(|error| fail(&error, Some(&error.hint())))?;
    let (first, last) = (found.symbol.line, found.symbol.line_end);
    let others = match found.alternatives.as_slice() {
        [] => String::new(),
        others => format!("\n[also: {}]", others.join(", ")),
    };
    let body = cut(&found.body, ANSWER_CHARS);
    Ok(ToolOutput::ok(format!("{path}:{first}-{last}\n{body}{others}")))
}
