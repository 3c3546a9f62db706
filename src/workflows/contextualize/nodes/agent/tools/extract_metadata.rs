//! `extract_metadata` (CTX-11, CTX-58): the project of the manifests.

use std::sync::Arc;

use serde_json::json;

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::repo::cut;
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, either, failed};
use crate::workflows::contextualize::nodes::material::as_data;
use crate::workflows::contextualize::state::ContextProject;

/// Most dependencies, entry points and key files of a result.
const LISTED: usize = 40;
/// Longest beginning of the README, in characters.
const README_CHARS: usize = 1_500;

/// Tool that returns the metadata of the repository from its manifests and README.
pub(in super::super) struct ExtractMetadata(pub(super) Arc<AgentContext>);

impl Tool for ExtractMetadata {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "extract_metadata"
    }

    fn description(&self) -> &'static str {
        "Reads the manifests: name, types, dependencies with versions, entry points, key files, and the beginning of the README."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        either(self.0.project().await.map(|project| ToolOutput::ok(describe(&project))).map_err(failed))
    }
}

/// Returns the metadata as JSON for the agent, with lists cut to 40. Optional fields are present and null
/// (CTX-66).
fn describe(project: &ContextProject) -> String {
    let first = |list: &[String]| list.iter().take(LISTED).cloned().collect::<Vec<_>>();
    let dependencies: std::collections::BTreeMap<_, _> = project.dependencies.iter().take(LISTED).collect();
    let readme = project.readme_content.as_deref().map(|text| as_data(cut(text, README_CHARS).kept));
    let described = json!({
        "name": project.name,
        "project_type": project.project_type,
        "project_types": project.project_types,
        "dependencies": dependencies,
        "more_dependencies": project.dependencies.len().saturating_sub(LISTED),
        "entry_points": first(&project.entry_points),
        "key_files": first(&project.key_files),
        "readme_content": readme,
    });
    described.to_string()
}
