//! What the user gives a documentation run: the settings, checked once. Reads the one file that it is told to read, the budgets.

mod budgets_file;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::phase::Budgets;
use super::writer::Format;
use crate::agent::xml::Offer;

pub use budgets_file::{BudgetsFile, BudgetsFileError};

/// The most times a model is asked in a phase, unless the user says otherwise (DOC-19).
pub const DEFAULT_ROUNDS_PER_PHASE: u32 = 30;

/// The most tools that are run of one answer, unless the user says otherwise (DOC-20).
pub const DEFAULT_CALLS_PER_ROUND: u32 = 5;

/// The most components that are explored at once.
pub const PARALLEL_MAX: u32 = 64;

/// What a run was set up with; a resumed one goes on with these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocSettings {
    /// The model: `provider/model`, or `offline`.
    pub model: String,
    /// How its tools are offered to it.
    #[serde(default)]
    pub tools: ToolForm,
    /// The model that tells how near texts are in meaning; words do where there is none (DOC-99).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embeddings: Option<String>,
    /// How many components are explored at once (DOC-126).
    pub parallel: u32,
    /// What the documents are written in (DOC-120).
    pub format: Format,
    /// The budgets of the phases.
    pub budgets: Budgets,
    /// The most times a model is asked in a phase (DOC-19).
    pub max_rounds_per_phase: u32,
    /// The most tools that are run of one answer (DOC-20).
    pub max_tool_calls_per_round: u32,
    /// Whether debug files are written (DOC-21).
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
            max_rounds_per_phase: DEFAULT_ROUNDS_PER_PHASE,
            max_tool_calls_per_round: DEFAULT_CALLS_PER_ROUND,
            debug: Debugging::Files,
        }
    }
}

/// How tools are offered to a model (DOC-33). Calls that are written as XML are read either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolForm {
    /// As its endpoint has it.
    #[default]
    Native,
    /// As XML in text, for models without.
    Xml,
}

impl From<ToolForm> for Offer {
    fn from(form: ToolForm) -> Self {
        match form {
            ToolForm::Native => Self::Native,
            ToolForm::Xml => Self::Told,
        }
    }
}

impl FromStr for ToolForm {
    type Err = UnknownToolForm;

    fn from_str(text: &str) -> Result<Self, UnknownToolForm> {
        match text {
            "native" => Ok(Self::Native),
            "xml" => Ok(Self::Xml),
            _ => Err(UnknownToolForm(text.to_owned())),
        }
    }
}

/// A form of tools that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no form of tools `{0}`")]
pub struct UnknownToolForm(String);

/// Whether debug files are written beside the session (DOC-21).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Debugging {
    /// A log of all operations, and the whole context of the last round.
    #[default]
    Files,
    /// None.
    Off,
}

/// What a run is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// All four phases (DOC-15).
    #[default]
    Full,
    /// The components that hold changed files (DOC-17, DOC-91).
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
