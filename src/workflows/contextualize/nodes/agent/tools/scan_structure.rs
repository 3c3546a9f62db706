//! `scan_structure` (CTX-10, CTX-18): the tree of the repository with its totals.

use std::sync::Arc;

use serde_json::json;

use crate::agent::{NoArguments, Tool, ToolOutput};
use crate::repo::ScanLimits;
use crate::workflows::contextualize::nodes::agent::context::{AgentContext, either, failed};
use crate::workflows::contextualize::nodes::material::tree_digest;

/// Longest tree, in characters.
const TREE_CHARS: usize = 5_000;

/// Tool that shows the files and folders of the repository as a tree.
pub(in super::super) struct ScanStructure(pub(super) Arc<AgentContext>);

impl Tool for ScanStructure {
    type Arguments = NoArguments;

    fn name(&self) -> &'static str {
        "scan_structure"
    }

    fn description(&self) -> &'static str {
        "Shows the folders and files of the repository as a tree, and counts them. Deep levels are left out if there are too many."
    }

    async fn run(&self, _: NoArguments) -> ToolOutput {
        let read = self.0.read("structure", json!(TREE_CHARS), |repository| {
            let scan = crate::repo::scan(&**repository.code.files(), ScanLimits::default());
            let tree = tree_digest(repository, TREE_CHARS);
            format!("{} files in {} directories\n{tree}", scan.total_files, scan.total_directories)
        });
        either(read.await.map(ToolOutput::ok).map_err(failed))
    }
}
