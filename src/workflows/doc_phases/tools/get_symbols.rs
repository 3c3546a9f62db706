//! `get_symbols` (DOC-58, DOC-69): outlines the definitions of a source file. Costs one symbols call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::hidden::refuse_private;
use super::{ANSWER_CHARS, ToolContext, unreadable_output};
use crate::agent::{Priority, Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::phase::ToolObservation;

pub(super) struct GetSymbols(pub(super) Arc<ToolContext>);

/// Arguments of `get_symbols`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetSymbolsArguments {
    /// Path of the source file, from the root of the repository.
    path: String,
}

impl Tool for GetSymbols {
    type Arguments = GetSymbolsArguments;

    fn name(&self) -> &'static str {
        "get_symbols"
    }

    fn description(&self) -> &'static str {
        "Outlines a source file: imports, types, functions and methods with signatures and lines, no bodies. Costs one symbol call."
    }

    fn priority(&self) -> Priority {
        Priority::High
    }

    async fn run(&self, arguments: GetSymbolsArguments) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || outline_file(&context, &arguments.path)).await
    }
}

fn outline_file(context: &ToolContext, path: &str) -> ToolOutput {
    if let Some(refusal) = refuse_private(&context.code, path) {
        return refusal;
    }
    let path = match context.code.text(path) {
        Ok((path, _)) => path,
        Err(error) => return unreadable_output(&error),
    };
    match context.code.get_outline(path.relative()) {
        Some(outline) => context
            .output(outline.brief(ANSWER_CHARS), || ToolObservation::Outline { outline: (*outline).clone() }),
        None => ToolOutput::failed(format!(
            "`{path}` is in no language that is outlined; hint: read_file shows it as it is"
        )),
    }
}
