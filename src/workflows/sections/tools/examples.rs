//! The tools `list_examples` and `get_example` (SEC-130): return shipped documents as examples of style.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::agent::{NoArguments, Priority, Tool, ToolOutput};
use crate::readme::document::parse;
use crate::readme::package::examples;

/// The tool `list_examples`, with which the generator lists the shipped example documents.
pub(super) struct ListExamples;

impl Tool for ListExamples {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "list_examples"
    }

    fn description(&self) -> &'static str {
        "Lists the example documents with their categories."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let lines = examples::list()
            .iter()
            .map(|example| format!("{} ({})", example.name, example.categories.join(", ")));
        ToolOutput::ok(lines.collect::<Vec<_>>().join("\n"))
    }
}

/// The tool `get_example`, with which the generator reads a shipped example document or one of its
/// sections.
pub(super) struct GetExample;

/// Arguments of `get_example`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetExampleArguments {
    /// Name of the example.
    name: String,
    /// Title of a section; the whole document without one.
    #[serde(default)]
    section: Option<String>,
}

impl Tool for GetExample {
    type Arguments = GetExampleArguments;

    fn name(&self) -> &'static str {
        "get_example"
    }

    fn description(&self) -> &'static str {
        "Returns an example document, or one of its sections. It shows style; its facts are about another product."
    }

    fn priority(&self) -> Priority {
        Priority::Low
    }

    async fn run(&self, arguments: GetExampleArguments) -> ToolOutput {
        let Some(example) = examples::get(&arguments.name) else {
            return ToolOutput::failed(format!(
                "there is no example `{}`; `list_examples` names them",
                arguments.name
            ));
        };
        let Some(title) = arguments.section else { return ToolOutput::ok(example.text) };
        match parse(example.text).find(&title) {
            Some(section) => ToolOutput::ok(section.text()),
            None => ToolOutput::failed(format!("the example has no section `{title}`")),
        }
    }
}
