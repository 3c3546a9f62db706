//! The tool `get_readme_template`: returns the template of the package's document.

use std::sync::Arc;

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::readme::package::IntegrationPackage;

/// The tool `get_readme_template`, which returns the template of the package's document to the generator.
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
