//! The four phases, and the data of a round: its budget, its typed question and its completion. Pure; the loop of rounds is in
//! `nodes/`.

mod budget;
mod completion;
mod round;
mod seen;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use budget::{BudgetCheck, BudgetScale, BudgetUsage, Budgets, Operation, PhaseBudget};
pub use completion::{Completion, ParsedCompletion, completion_from_value, parse_completion};
pub use round::{CallRecord, ComponentTask, RoundDecision, RoundQuestion, ToolRequest};
pub use seen::{ListedFile, MatchCount, MatchedLine, StoredEntry, ToolObservation};

/// A phase of a run; the variants are in execution order (DOC-37). A new phase needs a variant, a budget, a prompt and a node
/// (DOC-125).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A: name, stack, entry points, components, style.
    ArchitectureDiscovery,
    /// B: one component, once for each (DOC-38).
    ComponentDeepDive,
    /// C: concerns that span components.
    CrossCutting,
    /// D: reviews memory, and corrects it.
    DocumentationGeneration,
}

impl Phase {
    /// All phases, in execution order.
    pub const ALL: [Self; 4] = [
        Self::ArchitectureDiscovery,
        Self::ComponentDeepDive,
        Self::CrossCutting,
        Self::DocumentationGeneration,
    ];

    /// Returns the names of our tools that a model is offered in this phase. The toolbox has more, but each
    /// tool in a request costs tokens.
    pub fn offered_tools(self) -> &'static [&'static str] {
        match self {
            Self::ArchitectureDiscovery => {
                &["list_files", "grep", "read_file", "get_symbols", "store_discovery"]
            }
            Self::ComponentDeepDive => &["grep", "read_file", "get_symbols", "store_discovery"],
            Self::CrossCutting => &["grep", "read_file", "query_memory", "store_discovery"],
            Self::DocumentationGeneration => &["query_memory", "store_discovery"],
        }
    }

    /// Returns true for phases A to C, whose tools read the code and which may use tools of MCP servers.
    /// Phase D works from the agent's memory alone.
    pub fn reads_code(self) -> bool {
        self != Self::DocumentationGeneration
    }

    /// Returns the name of the phase in progress lines and stored files, such as `cross_cutting`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ArchitectureDiscovery => "architecture_discovery",
            Self::ComponentDeepDive => "component_deep_dive",
            Self::CrossCutting => "cross_cutting",
            Self::DocumentationGeneration => "documentation_generation",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
