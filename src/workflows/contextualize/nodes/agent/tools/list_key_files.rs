//! `list_key_files` (CTX-44): the files to read first, sorted into configuration, entry points and documents.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::repo::{WalkLimits, key_files, project};
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, either, failed};

/// Tool that lists the key files of the repository.
pub(in super::super) struct ListKeyFiles(pub(super) Arc<AgentContext>);

impl Tool for ListKeyFiles {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "list_key_files"
    }

    fn description(&self) -> &'static str {
        "Lists the files to read first, as configs, entry_points and docs."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let read = self.0.read("key files", Value::Null, |repository| {
            let files = repository.code.files();
            let walk = files.walk(WalkLimits::default());
            key_files(&project(&**files, &walk), &walk)
        });
        either(read.await.map(|found| ToolOutput::ok(json!(found).to_string())).map_err(failed))
    }
}
