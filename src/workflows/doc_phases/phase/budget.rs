//! Limits of the tools in each phase (DOC-39 to 52, 73, 130, 132). Does not count: callers pass the usage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Phase;
use crate::agent::around::Allowance;

/// Kind of tool call that a phase counts and limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// A call of `read_file` that read a file.
    FileRead,
    /// A call of `grep`.
    Grep,
    /// A call of `get_symbols`.
    SymbolCall,
    /// A call of `query_memory`.
    MemoryQuery,
    /// A memory query about a component that the current concern does not name; counted in phase C only (DOC-51).
    CrossComponentQuery,
}

impl Operation {
    /// All values, in the order of their definition.
    pub const ALL: [Self; 5] =
        [Self::FileRead, Self::Grep, Self::SymbolCall, Self::MemoryQuery, Self::CrossComponentQuery];

    /// Returns the name for refusals and warnings, such as `file read`.
    pub fn singular(self) -> &'static str {
        match self {
            Self::FileRead => "file read",
            Self::Grep => "grep call",
            Self::SymbolCall => "symbol call",
            Self::MemoryQuery => "memory query",
            Self::CrossComponentQuery => "cross-component query",
        }
    }

    /// Returns the name in the plural, such as `memory queries`.
    pub fn plural(self) -> String {
        match self.singular().strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{}s", self.singular()),
        }
    }

    /// Returns the name of the tool whose calls count as this operation.
    pub fn tool(self) -> &'static str {
        match self {
            Self::FileRead => "read_file",
            Self::Grep => "grep",
            Self::SymbolCall => "get_symbols",
            Self::MemoryQuery | Self::CrossComponentQuery => "query_memory",
        }
    }

    /// Returns the threshold of the warning: a tool result warns the model when at most this number of calls
    /// remains (DOC-46, DOC-52).
    pub fn warn_at(self) -> u32 {
        if self == Self::SymbolCall { 1 } else { 2 }
    }
}

/// Maximum number of calls of each operation in one phase; in phase B for each component. `None` means
/// unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseBudget {
    /// Number of files read.
    pub max_files_read: u32,
    /// Number of searches.
    pub max_grep_calls: u32,
    /// Number of outlines.
    pub max_symbols_calls: u32,
    /// Number of memory queries.
    #[serde(default)]
    pub max_memory_queries: Option<u32>,
    /// Number of memory queries about other components.
    #[serde(default)]
    pub max_cross_component_queries: Option<u32>,
}

/// Result of checking one more call against a budget (DOC-130).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetCheck {
    /// The call is allowed; the text is `OK`.
    Allowed,
    /// The call is refused, with the text for the model.
    Refused(String),
}

impl BudgetCheck {
    /// Returns the text for the model: `OK` if the call is allowed, else the refusal.
    pub fn text(&self) -> &str {
        match self {
            Self::Allowed => "OK",
            Self::Refused(text) => text,
        }
    }
}

impl PhaseBudget {
    /// Returns the default budget of a phase (DOC-39 to 42, DOC-50).
    pub fn of(phase: Phase) -> Self {
        let new = |files, greps, symbols| Self {
            max_files_read: files,
            max_grep_calls: greps,
            max_symbols_calls: symbols,
            max_memory_queries: None,
            max_cross_component_queries: None,
        };
        match phase {
            Phase::ArchitectureDiscovery => new(10, 15, 5),
            Phase::ComponentDeepDive => new(20, 10, 10),
            Phase::CrossCutting => Self { max_cross_component_queries: Some(5), ..new(15, 10, 0) },
            Phase::DocumentationGeneration => Self { max_memory_queries: Some(20), ..new(0, 0, 0) },
        }
    }

    /// Returns the limit of an operation; `None` means unlimited.
    pub fn limit(&self, operation: Operation) -> Option<u32> {
        match operation {
            Operation::FileRead => Some(self.max_files_read),
            Operation::Grep => Some(self.max_grep_calls),
            Operation::SymbolCall => Some(self.max_symbols_calls),
            Operation::MemoryQuery => self.max_memory_queries,
            Operation::CrossComponentQuery => self.max_cross_component_queries,
        }
    }

    /// Returns the number of calls of `operation` that are left after `used`; `None` means unlimited.
    pub fn remaining(&self, operation: Operation, used: &BudgetUsage) -> Option<u32> {
        self.limit(operation).map(|limit| limit.saturating_sub(used.of(operation)))
    }

    /// Returns the limit of an operation in the form that the tool loop enforces: tool, maximum, and
    /// threshold of the warning. `None` if the operation is unlimited.
    pub fn allowance(&self, operation: Operation) -> Option<Allowance> {
        let limit = self.limit(operation)?;
        Some(Allowance::new(operation.singular(), limit, [operation.tool()]).warn_at(operation.warn_at()))
    }

    /// Returns `Refused` if the calls so far have reached the limit of the operation (DOC-43), else
    /// `Allowed`. The text of the refusal is always the same for an operation and limit (DOC-132).
    pub fn check(&self, operation: Operation, used: &BudgetUsage) -> BudgetCheck {
        match self.allowance(operation) {
            Some(allowance) if used.of(operation) >= allowance.limit => {
                BudgetCheck::Refused(allowance.refusal())
            }
            _ => BudgetCheck::Allowed,
        }
    }

    /// Returns the budget with the limits of file reads, searches and outlines multiplied by `factor`.
    fn scale_reading(self, factor: u32) -> Self {
        Self {
            max_files_read: self.max_files_read.saturating_mul(factor),
            max_grep_calls: self.max_grep_calls.saturating_mul(factor),
            max_symbols_calls: self.max_symbols_calls.saturating_mul(factor),
            ..self
        }
    }
}

/// Number of calls of each operation so far in one phase, in phase B for one component (DOC-49).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BudgetUsage {
    /// Number of files read.
    pub files_read: u32,
    /// Number of searches.
    pub grep_calls: u32,
    /// Number of outlines.
    pub symbols_calls: u32,
    /// Number of memory queries.
    pub memory_queries: u32,
    /// Number of memory queries about other components.
    pub cross_component_queries: u32,
}

impl BudgetUsage {
    /// Returns the number of calls of an operation so far.
    pub fn of(&self, operation: Operation) -> u32 {
        match operation {
            Operation::FileRead => self.files_read,
            Operation::Grep => self.grep_calls,
            Operation::SymbolCall => self.symbols_calls,
            Operation::MemoryQuery => self.memory_queries,
            Operation::CrossComponentQuery => self.cross_component_queries,
        }
    }

    /// Returns a mutable reference to the count of an operation.
    pub fn of_mut(&mut self, operation: Operation) -> &mut u32 {
        match operation {
            Operation::FileRead => &mut self.files_read,
            Operation::Grep => &mut self.grep_calls,
            Operation::SymbolCall => &mut self.symbols_calls,
            Operation::MemoryQuery => &mut self.memory_queries,
            Operation::CrossComponentQuery => &mut self.cross_component_queries,
        }
    }
}

/// Rule by which budgets grow with the number of files in the repository (DOC-48).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScale {
    /// Budgets do not grow.
    #[default]
    Fixed,
    /// Reads, searches and outlines are doubled at 1,000 files, and again at 10,000 and at 100,000.
    Adaptive,
}

/// Budgets of all phases, with their scale. As YAML: `scale: adaptive`, and the overridden limits by phase
/// (DOC-47).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Growth with the code base; fixed unless set.
    #[serde(default)]
    pub scale: BudgetScale,
    /// Budget of each phase; an absent phase has its default.
    #[serde(flatten)]
    pub phases: BTreeMap<Phase, PhaseBudget>,
}

impl Default for Budgets {
    fn default() -> Self {
        let phases = Phase::ALL.map(|phase| (phase, PhaseBudget::of(phase)));
        Self { scale: BudgetScale::Fixed, phases: phases.into() }
    }
}

impl Budgets {
    /// Returns the budget of a phase; its default if none is set.
    pub fn of(&self, phase: Phase) -> PhaseBudget {
        self.phases.get(&phase).copied().unwrap_or_else(|| PhaseBudget::of(phase))
    }

    /// Returns the budgets for a code base of `files` files. An adaptive scale multiplies the limits and
    /// becomes fixed, so that it is applied once. A limit of zero stays zero.
    #[must_use]
    pub fn for_files(mut self, files: usize) -> Self {
        if self.scale == BudgetScale::Adaptive {
            let tenfolds = files.checked_ilog10().unwrap_or(0).saturating_sub(2).min(3);
            let factor = 2_u32.pow(tenfolds);
            self.phases.values_mut().for_each(|budget| *budget = budget.scale_reading(factor));
            self.scale = BudgetScale::Fixed;
        }
        self
    }
}
