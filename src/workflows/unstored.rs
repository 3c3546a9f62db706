//! Options of a run of a graph file that no checkpoint stores, so that a command that continues the
//! thread may need them again.

use super::tool_servers::MCP;
use crate::agent::is_foreign;
use crate::definition::Definition;
use crate::definition::kind::Kind;
use crate::kinds::{Models, files};

/// Returns the names, without dashes, of those options that a resume of this graph file may need again.
pub fn unstored_options(definition: &Definition) -> Vec<&'static str> {
    let files = files(definition);
    let names_no_model = Models::uses(definition).iter().any(|used| used.name.is_empty());
    let options = [
        ("context", !definition.context().is_empty()),
        ("model", names_no_model),
        ("allow-http", files.iter().any(sends_requests)),
        (MCP.name, files.iter().flat_map(Definition::named_tools).any(is_foreign)),
    ];
    options.into_iter().filter_map(|(option, is_needed)| is_needed.then_some(option)).collect()
}

/// Returns true if a node, a tool or the body of a `map` in the file sends HTTP requests.
fn sends_requests(file: &Definition) -> bool {
    let bodies = file.tools().map(|(_, tool)| &tool.body);
    let mut kinds = file.nodes().chain(file.handlers()).map(|node| node.kind).chain(bodies);
    kinds.any(|kind| {
        let kind = if let Kind::Map(map) = kind { &map.body } else { kind };
        matches!(kind, Kind::Http(_))
    })
}
