//! The typed question of a round, for rules in place of messages (a model gets the same as text), and the decisions of rules. Calls
//! nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::budget::{BudgetUsage, PhaseBudget};
use super::completion::Completion;
use super::seen::ToolObservation;
use super::{Operation, Phase};

/// Input of one round of a phase as data: phase, component, budget and all earlier calls. The offline rules
/// decide on it; a model gets the same as messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundQuestion {
    /// The phase.
    pub phase: Phase,
    /// Name of the repository's folder.
    pub repository: String,
    /// Component under exploration; `Some` in phase B only.
    pub component: Option<ComponentTask>,
    /// Number of the round in its phase, from 1.
    pub number: u32,
    /// Maximum of rounds in the phase.
    pub limit: u32,
    /// Maximum of calls that run for one answer.
    pub calls_per_round: u32,
    /// Limits of the phase.
    pub budget: PhaseBudget,
    /// Used part of the limits.
    pub used: BudgetUsage,
    /// All calls of the phase so far with their complete results, in order.
    pub answered: Vec<CallRecord>,
}

impl RoundQuestion {
    /// Returns the number of calls of `operation` that the budget still allows; `None` means unlimited.
    pub fn left(&self, operation: Operation) -> Option<u32> {
        self.budget.remaining(operation, &self.used)
    }

    /// Returns true if the budget allows one more call of `operation`.
    pub fn allows(&self, operation: Operation) -> bool {
        self.left(operation) != Some(0)
    }
}

/// A component that phase B explores; one task of the graph (DOC-107).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentTask {
    /// Component id.
    pub id: String,
    /// Folders or files of the component, relative to the repository; from the architecture's boundaries or its entry.
    pub paths: Vec<String>,
    /// Number of the task in the plan, from 1.
    pub number: usize,
    /// Number of tasks in the plan.
    pub of: usize,
    /// In an update: its new, changed and deleted files.
    #[serde(default)]
    pub changed: Vec<String>,
}

/// A tool call of a round with its result, as text for a model and as data for the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRecord {
    /// Round of the call, from 1.
    pub round: u32,
    /// Name of the tool.
    pub tool: String,
    /// Arguments as JSON; a string if they are not valid JSON.
    pub arguments: Value,
    /// True if the tool succeeded.
    pub success: bool,
    /// Result text for the model.
    pub content: String,
    /// The result as data; empty for a failed call or a tool without data.
    #[serde(default)]
    pub seen: ToolObservation,
}

/// Decision of the offline rules in a round: call tools, or end the phase.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundDecision {
    /// Run these calls.
    Call(Vec<ToolRequest>),
    /// The phase is complete.
    Complete(Completion),
}

/// A tool call that rules request.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRequest {
    /// Name of the tool.
    pub tool: &'static str,
    /// Arguments, a JSON object.
    pub arguments: Value,
}

impl ToolRequest {
    /// Returns a call of `tool` with these arguments.
    pub fn new(tool: &'static str, arguments: Value) -> Self {
        Self { tool, arguments }
    }
}
