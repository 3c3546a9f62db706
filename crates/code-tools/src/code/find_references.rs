//! The tool `find_references` (CTX-54, 138): lists the lines that contain a name.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ANSWER_CHARS, CodeTools, OrRefusal, either};
use stategraph_agent::{Priority, Tool, ToolOutput, blocking};
use stategraph_repo::cut;

/// The tool `find_references`, which lists the lines of a code base that contain a name as a whole word.
pub struct FindReferences(CodeTools);

/// Arguments of `find_references`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindReferencesArguments {
    /// The name of a function, a type or a variable.
    pub symbol: String,
    /// Only below this folder, or in this file; everywhere if left out.
    #[serde(default)]
    pub scope: Option<String>,
}

impl FindReferences {
    /// Makes the tool for a code base.
    pub fn new(tools: CodeTools) -> Self {
        Self(tools)
    }
}

impl Tool for FindReferences {
    type Arguments = FindReferencesArguments;

    fn name(&self) -> &'static str {
        "find_references"
    }

    fn description(&self) -> &'static str {
        "Finds the lines of source files that name a symbol, as a whole word; definitions, strings and comments are marked. At most 30 are \
         shown, all are counted."
    }

    fn priority(&self) -> Priority {
        Priority::Medium
    }

    async fn run(&self, arguments: FindReferencesArguments) -> ToolOutput {
        let tools = self.0.clone();
        blocking(move || either(find(&tools, &arguments))).await
    }
}

/// Answers a call of the tool with the lines that were found.
fn find(tools: &CodeTools, arguments: &FindReferencesArguments) -> OrRefusal<ToolOutput> {
    let scope = match arguments.scope.as_deref().filter(|scope| !scope.is_empty()) {
        Some(scope) => tools.path(scope)?.relative().to_owned(),
        None => PathBuf::new(),
    };
    let found = tools.code.find_references(&arguments.symbol, scope);
    Ok(ToolOutput::ok(cut(&found.to_string(), ANSWER_CHARS).to_string()))
}
