//! `get_readme_template`: the template of the package's document.

use std::sync::Arc;

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::readme::package::IntegrationPackage;

/// The tool.
pub(super) struct GetReadmeTemplate(pub(super) Arc<IntegrationPackage>);

impl Tool for GetReadmeTemplate {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "get_readme_template"
    }

    fn description(&self) -> &'static str {
        "Returns the template of the README with its headings and instructions."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        ToolOutput::ok(self.0.template.clone())
    }
}
