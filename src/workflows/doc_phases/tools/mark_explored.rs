//! `mark_explored` (DOC-63, DOC-71): marks a component as explored. Free.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ToolContext, failed_output};
use crate::agent::{Tool, ToolOutput, blocking};
use crate::workflows::doc_phases::phase::{Phase, ToolObservation};

pub(super) struct MarkExplored(pub(super) Arc<ToolContext>);

/// Arguments of `mark_explored`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkExploredArguments {
    /// Kind of the entry: `component`.
    #[serde(rename = "type", alias = "target_type")]
    kind: String,
    /// Its id.
    #[serde(alias = "target_id")]
    id: String,
}

impl Tool for MarkExplored {
    type Arguments = MarkExploredArguments;

    fn name(&self) -> &'static str {
        "mark_explored"
    }

    fn description(&self) -> &'static str {
        "Says that a component is explored. It must be stored before. Free."
    }

    async fn run(&self, arguments: MarkExploredArguments) -> ToolOutput {
        let context = self.0.clone();
        blocking(move || mark_component(&context, &arguments)).await
    }
}

fn mark_component(
    context: &ToolContext,
    MarkExploredArguments { kind, id }: &MarkExploredArguments,
) -> ToolOutput {
    if context.phase == Phase::DocumentationGeneration {
        return ToolOutput::refused("this phase only reads memory");
    }
    if kind != "component" {
        let kind = crate::repo::cut(kind, 100);
        return ToolOutput::failed(format!(
            "unknown type `{kind}`; hint: only a `component` can be marked as explored"
        ));
    }
    match context.memory.mark_explored(id) {
        Ok(()) => context
            .output(format!("The component `{id}` is marked as explored."), || ToolObservation::Nothing),
        Err(error) => failed_output(&error, Some(&error.hint())),
    }
}
