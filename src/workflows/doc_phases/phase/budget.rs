//! How often a phase may use its tools (DOC-39 to 52, 73, 130, 132). Counts nothing: what was used is given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Phase;
use crate::agent::around::Allowance;

/// What is counted.
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
    /// A query of memory about another component than the concern at hand names; only in phase C (DOC-51).
    CrossComponentQuery,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::FileRead, Self::Grep, Self::SymbolCall, Self::MemoryQuery, Self::CrossComponentQuery];

    /// One of them, as refusals and warnings name it.
    pub fn singular(self) -> &'static str {
        match self {
            Self::FileRead => "file read",
            Self::Grep => "grep call",
            Self::SymbolCall => "symbol call",
            Self::MemoryQuery => "memory query",
            Self::CrossComponentQuery => "cross-component query",
        }
    }

    /// Several of them.
    pub fn plural(self) -> String {
        match self.singular().strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{}s", self.singular()),
        }
    }

    /// The tool that costs it.
    pub fn tool(self) -> &'static str {
        match self {
            Self::FileRead => "read_file",
            Self::Grep => "grep",
            Self::SymbolCall => "get_symbols",
            Self::MemoryQuery | Self::CrossComponentQuery => "query_memory",
        }
    }

    /// From how many remaining calls on results carry a warning (DOC-46, DOC-52).
    pub fn warn_at(self) -> u32 {
        if self == Self::SymbolCall { 1 } else { 2 }
    }
}

/// The limits of one phase, for phase B of one component. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseBudget {
    /// Files read.
    pub max_files_read: u32,
    /// Searches.
    pub max_grep_calls: u32,
    /// Outlines.
    pub max_symbols_calls: u32,
    /// Queries of memory.
    #[serde(default)]
    pub max_memory_queries: Option<u32>,
    /// Queries of memory about other components.
    #[serde(default)]
    pub max_cross_component_queries: Option<u32>,
}

/// Whether a call is allowed, with the text of the check (DOC-130).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetCheck {
    /// It is: `OK`.
    Allowed,
    /// It is not; what the model is told.
    Refused(String),
}

impl BudgetCheck {
    /// The text: `OK` when allowed.
    pub fn text(&self) -> &str {
        match self {
            Self::Allowed => "OK",
            Self::Refused(text) => text,
        }
    }
}

impl PhaseBudget {
    /// The budget of a phase unless the user says otherwise (DOC-39 to 42, DOC-50).
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

    /// The limit of an operation; none where there is no limit.
    pub fn limit(&self, operation: Operation) -> Option<u32> {
        match operation {
            Operation::FileRead => Some(self.max_files_read),
            Operation::Grep => Some(self.max_grep_calls),
            Operation::SymbolCall => Some(self.max_symbols_calls),
            Operation::MemoryQuery => self.max_memory_queries,
            Operation::CrossComponentQuery => self.max_cross_component_queries,
        }
    }

    /// Calls that remain; none where there is no limit.
    pub fn remaining(&self, operation: Operation, used: &Usage) -> Option<u32> {
        self.limit(operation).map(|limit| limit.saturating_sub(used.of(operation)))
    }

    /// What the tool of an operation is allowed, where it is limited.
    pub fn allowance(&self, operation: Operation) -> Option<Allowance> {
        let limit = self.limit(operation)?;
        Some(Allowance::new(operation.singular(), limit, [operation.tool()]).warn_at(operation.warn_at()))
    }

    /// Whether one more is allowed: refused when used >= limit (DOC-43), each time with the same text (DOC-132).
    pub fn check(&self, operation: Operation, used: &Usage) -> BudgetCheck {
        match self.allowance(operation) {
            Some(allowance) if used.of(operation) >= allowance.limit => {
                BudgetCheck::Refused(allowance.refusal())
            }
            _ => BudgetCheck::Allowed,
        }
    }

    /// The same with other limits of reading, for a larger code base.
    fn scale_reading(self, factor: u32) -> Self {
        Self {
            max_files_read: self.max_files_read.saturating_mul(factor),
            max_grep_calls: self.max_grep_calls.saturating_mul(factor),
            max_symbols_calls: self.max_symbols_calls.saturating_mul(factor),
            ..self
        }
    }
}

/// What a phase has used, for phase B one component (DOC-49).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Files read.
    pub files_read: u32,
    /// Searches.
    pub grep_calls: u32,
    /// Outlines.
    pub symbols_calls: u32,
    /// Queries of memory.
    pub memory_queries: u32,
    /// Queries of memory about other components.
    pub cross_component_queries: u32,
}

impl Usage {
    /// How often an operation was used.
    pub fn of(&self, operation: Operation) -> u32 {
        match operation {
            Operation::FileRead => self.files_read,
            Operation::Grep => self.grep_calls,
            Operation::SymbolCall => self.symbols_calls,
            Operation::MemoryQuery => self.memory_queries,
            Operation::CrossComponentQuery => self.cross_component_queries,
        }
    }

    /// The same, to be changed.
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

/// Whether budgets grow with the code base (DOC-48).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScale {
    /// They are as they stand.
    #[default]
    Fixed,
    /// Reads, searches and outlines are doubled from 1,000 files on, and again from 10,000 and from 100,000.
    Adaptive,
}

/// The budgets of all phases. A file of them is YAML: `scale: adaptive`, and by phase what is to differ (DOC-47).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Whether they grow with the code base.
    #[serde(default)]
    pub scale: BudgetScale,
    /// By phase.
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
    /// The budget of a phase.
    pub fn of(&self, phase: Phase) -> PhaseBudget {
        self.phases.get(&phase).copied().unwrap_or_else(|| PhaseBudget::of(phase))
    }

    /// Those for a code base of so many files. What a phase may not do at all stays so.
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
