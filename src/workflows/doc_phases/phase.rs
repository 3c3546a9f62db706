//! The four phases, and what a round of one is: its budget, its typed question, its end. Pure data and rules; the loop that asks is
//! in `nodes/`.

mod budget;
mod completion;
mod round;
mod seen;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use budget::{BudgetCheck, BudgetScale, Budgets, Operation, PhaseBudget, Usage};
pub use completion::{Completion, ParsedCompletion, parse_completion};
pub use round::{Answer, Answered, Call, ComponentTask, Round};
pub use seen::{ListedFile, Seen, SeenCount, SeenLine};

/// A phase of a run, in the order of the run (DOC-37). A new one is a value here, a budget, a prompt and a node (DOC-125).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A: name, stack, entry points, components, style.
    ArchitectureDiscovery,
    /// B: one component, once for each (DOC-38).
    ComponentDeepDive,
    /// C: what spans components.
    CrossCutting,
    /// D: from memory alone.
    DocumentationGeneration,
}

impl Phase {
    /// All four, in order.
    pub const ALL: [Self; 4] = [
        Self::ArchitectureDiscovery,
        Self::ComponentDeepDive,
        Self::CrossCutting,
        Self::DocumentationGeneration,
    ];

    /// Its name, as progress lines, memory and session files have it.
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
