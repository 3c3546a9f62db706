//! The built-in tools of graph files: the catalogue of `code-tools`. They read below one folder; none writes.

use std::sync::LazyLock;

use serde_json::Value;

use stategraph_llm::ToolSpec;
use stategraph_repo::Root;

pub use stategraph_code_tools::{TOOLS, toolbox};

/// Descriptions of the built-in tools. They do not depend on the folder. Empty if the current folder cannot
/// be opened.
static SPECS: LazyLock<Vec<ToolSpec>> =
    LazyLock::new(|| Root::open(".").map(|root| toolbox(&root).specs().to_vec()).unwrap_or_default());

/// Returns the JSON Schema of the arguments of a built-in tool; `None` for an unknown one.
pub(super) fn parameters(tool: &str) -> Option<Value> {
    SPECS.iter().find(|spec| spec.name == tool).map(|spec| Value::clone(&spec.parameters))
}
