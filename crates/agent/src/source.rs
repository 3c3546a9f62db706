//! The interface of a source of tools outside the program, such as a server of tools. The tools are described once, the description is
//! kept with the run, and a tool is made of its description without asking the source again.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::toolbox::{Toolbox, ToolboxError};
use stategraph_core::NodeResult;
use stategraph_llm::ToolSpec;

/// Prefix of the names of foreign tools, as a model and a graph file write them: `mcp__server__tool`.
pub const FOREIGN_PREFIX: &str = "mcp__";

/// A tool that runs outside the program, as its source described it. It is plain data, so a run can journal it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ForeignTool {
    /// The description for a model; its name begins with [`FOREIGN_PREFIX`].
    pub spec: ToolSpec,
    /// Digest of everything that the source said of the tool. A call is refused when the source says something else by then.
    pub digest: String,
    /// True if a person must approve each call.
    #[serde(default)]
    pub needs_approval: bool,
    /// Maximum time of one call, in seconds.
    pub limit_seconds: u64,
}

impl ForeignTool {
    /// Returns the largest time limit of these tools; zero without tools.
    pub fn longest_call(tools: &[Self]) -> Duration {
        Duration::from_secs(tools.iter().map(|tool| tool.limit_seconds).max().unwrap_or(0))
    }

    /// Returns the names of the tools whose calls need the approval of a person.
    pub fn approved_by_a_person(tools: &[Self]) -> Vec<String> {
        tools.iter().filter(|tool| tool.needs_approval).map(|tool| tool.spec.name.clone()).collect()
    }
}

/// A source of foreign tools, such as the servers of a configuration file.
pub trait ToolSource: Send + Sync {
    /// Returns the tools that `names` select, asking the servers for them: a name selects one tool,
    /// `mcp__server__*` all tools of a server. The result has the order of `names`, and each tool once. Fails
    /// if a name selects nothing.
    fn list<'a>(&'a self, names: &'a [String]) -> BoxFuture<'a, NodeResult<Vec<ForeignTool>>>;

    /// Returns the toolbox with these tools added. It connects to no server: that happens at the first call.
    fn add_to(&self, toolbox: Toolbox, tools: &[ForeignTool]) -> Result<Toolbox, ToolboxError>;
}

/// Returns true for the name of a foreign tool, and for a pattern of such names.
pub fn is_foreign(name: &str) -> bool {
    name.starts_with(FOREIGN_PREFIX)
}

/// Returns true if `pattern` selects the tool `name`: it is equal to it, or a prefix of it followed by `*`.
pub fn selects(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => pattern == name,
    }
}
