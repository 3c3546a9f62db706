//! The state of a documentation run (DOC-53, 54). Holds no key, no handle and no text of the repository: the conversation of a
//! phase is in the journal of its node, the findings are in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::input::{DocSettings, Mode};
use super::memory::Timestamp;
use super::phase::{BudgetUsage, ComponentTask, Phase};
use crate::agent::{AnswerTotals, Spent};
use crate::engine::State;
use crate::repo::ContentHash;

/// State of a documentation run, stored in the checkpoints and in the session file. Nodes read it and return
/// updates of it; the findings themselves are in the agent's memory.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Documentation {
    /// Id of the session: `doc_<date>_<time>_<6 hex>` (DOC-54).
    pub session_id: String,
    /// Absolute path of the repository.
    pub repository: PathBuf,
    /// Start of the run, and time stamp of everything that it stores.
    pub started: Timestamp,
    /// Scope of the run.
    pub mode: Mode,
    /// Settings that the run began with.
    pub settings: DocSettings,
    /// Records of the phases that have begun.
    #[state(merge)]
    pub phases: BTreeMap<Phase, PhaseRecord>,
    /// Components to explore, in order; `None` before the plan is made.
    pub planned: Option<Vec<ComponentTask>>,
    /// Records of the components that were explored, by id.
    #[state(merge)]
    pub components: BTreeMap<String, ComponentRecord>,
    /// Differences between repository and memory; `Some` in an update.
    pub changed: Option<ChangedFiles>,
    /// Errors that did not end the run, in order (DOC-32).
    #[state(append)]
    pub errors: Vec<String>,
    /// Totals of the run: answers, tokens, cost, and calls by tool.
    #[state(add)]
    pub spent: Spent,
    /// Written files; `None` before the writer has run.
    pub written: Option<WrittenFiles>,
}

/// Status of a phase or of the exploration of a component (DOC-54).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// Not begun.
    #[default]
    Pending,
    /// In progress.
    InProgress,
    /// The model declared it complete.
    Completed,
    /// Its rounds were used up first (DOC-29), or its model ended it as not ready for the next phase (DOC-35). In phase B, not
    /// every component was explored to its end.
    BudgetExhausted,
}

impl PhaseStatus {
    /// Returns true if the phase, or the exploration, has ended, completed or not. It does not run again.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::BudgetExhausted)
    }
}

/// Progress and result of one phase: status, times, used budget, summary and error (DOC-54). Kept in the
/// state and in the session file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Status of the phase.
    pub status: PhaseStatus,
    /// Time of its first round.
    pub start: Option<Timestamp>,
    /// Time of its end.
    pub end: Option<Timestamp>,
    /// Used part of its budget; for phase B the sum over its components.
    pub usage: BudgetUsage,
    /// Number of rounds so far; for phase B the sum over its components.
    pub rounds: u32,
    /// Tokens and money so far; for phase B those of its components are in their own records.
    #[serde(default, skip_serializing_if = "is_unspent")]
    pub spent: AnswerTotals,
    /// In phase B, the component in progress; the last started one if several are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_component: Option<String>,
    /// Summary of the findings, from the model's completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings_summary: Option<String>,
    /// Confidence that the model states, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Entries that a review changed, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// Error of the phase, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

fn is_unspent(spent: &AnswerTotals) -> bool {
    *spent == AnswerTotals::default()
}

/// Progress and result of the exploration of one component in phase B; its usage and rounds count this
/// component alone (DOC-49).
pub type ComponentRecord = PhaseRecord;

/// Differences between the repository and the file tree that the agent's memory remembers from the last run.
/// An update finds them at its start (DOC-90).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChangedFiles {
    /// New, changed, deleted and moved files, sorted, each once.
    pub files: Vec<String>,
    /// The changed files that belong to no component.
    pub without_component: Vec<String>,
    /// The changed files that concern the architecture; `None` if the architecture is not explored again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_architecture: Option<Vec<String>>,
    /// Paths of the components before the update, by component id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub boundaries: BTreeMap<String, Vec<String>>,
}

/// Result of the writer of a run: the documents, and the counts that the final report shows (DOC-12).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WrittenFiles {
    /// All documents, relative to the repository, in order.
    pub documents: Vec<String>,
    /// Removed documents of earlier runs: their entries are gone, or they are in another format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Number of entries in memory, by type.
    pub memory: BTreeMap<String, usize>,
    /// Parts of the repository that were not read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Documentation {
    /// Returns the state of a new run. The session id is derived from the time and the path of the repository (DOC-14).
    pub fn new(repository: PathBuf, started_ms: u64, mode: Mode, settings: DocSettings) -> Self {
        let started = Timestamp::from_ms(started_ms);
        let mark = ContentHash::of(format!("{}\n{started_ms}", repository.display()).as_bytes()).to_string();
        Self {
            session_id: format!("doc_{}_{}", started.compact(), &mark[..6]),
            repository,
            started,
            mode,
            settings,
            phases: BTreeMap::new(),
            planned: None,
            components: BTreeMap::new(),
            changed: None,
            errors: Vec::new(),
            spent: Spent::default(),
            written: None,
        }
    }

    /// Returns the state with another session id.
    #[must_use]
    pub fn with_session_id(self, id: impl Into<String>) -> Self {
        Self { session_id: id.into(), ..self }
    }

    /// Returns a copy of the record of a phase; the default record, with the status `Pending`, if it has not
    /// begun.
    pub fn phase(&self, phase: Phase) -> PhaseRecord {
        self.phases.get(&phase).cloned().unwrap_or_default()
    }

    /// Returns a copy of the record of the component with this id; the default record, with the status
    /// `Pending`, if its exploration has not begun.
    pub fn component(&self, id: &str) -> ComponentRecord {
        self.components.get(id).cloned().unwrap_or_default()
    }
}
