//! The settings of a documentation run, validated once. The only file read here is the budgets file.

mod budgets_file;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::phase::Budgets;
use super::writer::Format;
use crate::llm::layer::BudgetLimits;

pub use crate::workflows::tool_form::{ToolForm, UnknownToolForm};
pub use budgets_file::{BudgetsFile, BudgetsFileError};

/// Default maximum of rounds in a phase (DOC-19).
pub const DEFAULT_ROUNDS_PER_PHASE: u32 = 30;

/// Default maximum of tool calls that run for one model answer (DOC-20).
pub const DEFAULT_CALLS_PER_ROUND: u32 = 5;

/// Upper bound of concurrently explored components.
pub const PARALLEL_MAX: u32 = 64;

/// Settings of a documentation run: model, budgets, format. They are part of its state, so a resumed run
/// keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocSettings {
    /// Model name: `provider/model`, or `offline` for the rules.
    pub model: String,
    /// Form in which the tools are offered to the model; native unless set.
    #[serde(default)]
    pub tools: ToolForm,
    /// Embedding model that ranks memory queries by meaning; `None` ranks by words (DOC-99).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<String>,
    /// Number of components explored concurrently; `1` unless set (DOC-126).
    pub parallel: u32,
    /// Markup of the documents; Markdown unless set (DOC-120).
    pub format: Format,
    /// Tool budgets of the phases.
    pub budgets: Budgets,
    /// Limits of tokens and money of the whole run; no limits unless set.
    #[serde(default)]
    pub caps: BudgetLimits,
    /// Maximum of rounds in a phase; default [`DEFAULT_ROUNDS_PER_PHASE`] (DOC-19).
    pub max_rounds_per_phase: u32,
    /// Maximum of tool calls that run for one answer; default [`DEFAULT_CALLS_PER_ROUND`] (DOC-20).
    pub max_tool_calls_per_round: u32,
    /// Debug files of the session; written unless switched off (DOC-21).
    pub debug: Debugging,
}

impl Default for DocSettings {
    fn default() -> Self {
        Self {
            model: "offline".to_owned(),
            tools: ToolForm::Native,
            embeddings: None,
            parallel: 1,
            format: Format::default(),
            budgets: Budgets::default(),
            caps: BudgetLimits::default(),
            max_rounds_per_phase: DEFAULT_ROUNDS_PER_PHASE,
            max_tool_calls_per_round: DEFAULT_CALLS_PER_ROUND,
            debug: Debugging::Files,
        }
    }
}

/// Switch for the debug files beside the session file (DOC-21).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Debugging {
    /// A log of all operations, and the complete context of the last round.
    #[default]
    Files,
    /// No debug files.
    Off,
}

/// Scope of a run: everything, or an update of the components that changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// All four phases (DOC-15).
    #[default]
    Full,
    /// Only the components that contain changed files (DOC-17, DOC-91).
    Update,
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Full => "full",
            Self::Update => "update",
        })
    }
}
