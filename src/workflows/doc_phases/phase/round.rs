//! The typed question of a round: what rules get in place of messages (a model reads the same as text), and what they answer. Asks
//! nobody.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::budget::{PhaseBudget, Usage};
use super::completion::Completion;
use super::seen::Seen;
use super::{Operation, Phase};

/// Where a phase stands when it is asked what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// The phase.
    pub phase: Phase,
    /// The name of the repository: that of its folder.
    pub repository: String,
    /// The component that is explored; only in phase B.
    pub component: Option<ComponentTask>,
    /// Which round of the phase it is, from 1.
    pub number: u32,
    /// The most rounds there may be.
    pub limit: u32,
    /// The most calls that are run of one answer.
    pub calls_per_round: u32,
    /// The limits of the phase.
    pub budget: PhaseBudget,
    /// What was used of them.
    pub used: Usage,
    /// Every call of the phase so far and what came of it, whole, in order.
    pub answered: Vec<Answered>,
}

impl Round {
    /// Calls that remain; none where there is no limit.
    pub fn left(&self, operation: Operation) -> Option<u32> {
        self.budget.remaining(operation, &self.used)
    }

    /// Whether one more is allowed.
    pub fn allows(&self, operation: Operation) -> bool {
        self.left(operation) != Some(0)
    }
}

/// A component to be explored (DOC-107).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentTask {
    /// Its id.
    pub id: String,
    /// Where it is, as the architecture's boundaries or its entry say; folders or files below the repository.
    pub paths: Vec<String>,
    /// Which one it is, from 1.
    pub number: usize,
    /// How many there are.
    pub of: usize,
    /// In an update: the files of it that are new, changed or deleted.
    #[serde(default)]
    pub changed: Vec<String>,
}

/// A call and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// The round in which it was made, from 1.
    pub round: u32,
    /// The tool.
    pub tool: String,
    /// The arguments, as JSON; as text where they are none.
    pub arguments: Value,
    /// Whether the tool did what it was asked.
    pub success: bool,
    /// What a model reads of it.
    pub content: String,
    /// The same as data; [`Seen::Nothing`] where the call failed or has none.
    #[serde(default)]
    pub seen: Seen,
}

/// What rules want next.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// These calls.
    Call(Vec<Call>),
    /// The phase is complete.
    Complete(Completion),
}

/// A call that is to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool.
    pub tool: &'static str,
    /// Its arguments: an object.
    pub arguments: Value,
}

impl Call {
    /// Of `tool` with these arguments.
    pub fn new(tool: &'static str, arguments: Value) -> Self {
        Self { tool, arguments }
    }
}
