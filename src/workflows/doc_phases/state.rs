//! The state of a documentation run (DOC-53, 54). Holds no key, no handle and no text of the repository: what was said in a phase is in
//! the journal of its node, what was found is in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::input::{DocSettings, Mode};
use super::memory::Timestamp;
use super::phase::{ComponentTask, Phase, Usage};
use crate::agent::Spent;
use crate::engine::State;
use crate::repo::ContentHash;

/// A run as it stands.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Documentation {
    /// The session: `doc_<date>_<time>_<6 hex>` (DOC-54).
    pub session_id: String,
    /// The repository, by its absolute path.
    pub repository: PathBuf,
    /// When the run began; whatever is stored in it bears this time.
    pub started: Timestamp,
    /// What it is to do.
    pub mode: Mode,
    /// What it was set up with.
    pub settings: DocSettings,
    /// What is known of each phase that has begun.
    #[state(merge)]
    pub phases: BTreeMap<Phase, PhaseRecord>,
    /// The components to explore, in order; none before that is known.
    pub planned: Option<Vec<ComponentTask>>,
    /// What is known of each component that was explored, by its id.
    #[state(merge)]
    pub components: BTreeMap<String, ComponentRecord>,
    /// In an update: what is different from what memory knows.
    pub changed: Option<ChangedFiles>,
    /// What went wrong and did not end the run, in order (DOC-32).
    #[state(append)]
    pub errors: Vec<String>,
    /// Answers, tokens, money, and calls by tool, over everything.
    #[state(add)]
    pub spent: Spent,
    /// What was written, once it is.
    pub written: Option<WrittenFiles>,
}

/// Where a phase, or the exploration of a component, is (DOC-54).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseStatus {
    /// It has not begun.
    #[default]
    Pending,
    /// It is under way.
    InProgress,
    /// Its model said that it is complete.
    Completed,
    /// Its rounds were used up before (DOC-29), or its model ended it as not ready for the next (DOC-35); of phase B, not every component was explored to its end.
    BudgetExhausted,
}

impl PhaseStatus {
    /// Whether nothing is left to do.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::BudgetExhausted)
    }
}

/// What is known of a phase (DOC-54).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PhaseRecord {
    /// Where it is.
    pub status: PhaseStatus,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub end: Option<Timestamp>,
    /// What it used of its budget; for phase B the sum over its components.
    pub usage: Usage,
    /// Rounds so far; for phase B the sum.
    pub rounds: u32,
    /// The component under way, of phase B; with several at once the one that began last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_component: Option<String>,
    /// What was found, as the model says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings_summary: Option<String>,
    /// How sure the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// What was wrong, if anything was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is known of the exploration of a component: the same as of a phase, with counters of its own (DOC-49).
pub type ComponentRecord = PhaseRecord;

/// What is different from what memory knows (DOC-90).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChangedFiles {
    /// Files that are new, changed, deleted or moved, each once, in order.
    pub files: Vec<String>,
    /// Those of them that no component holds.
    pub without_component: Vec<String>,
    /// Those of them that concern the whole; none where the architecture is not explored again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_architecture: Option<Vec<String>>,
    /// Where the components were before that, by their ids.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub boundaries: BTreeMap<String, Vec<String>>,
}

/// What was written (DOC-12).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WrittenFiles {
    /// All documents, below the repository, in order.
    pub documents: Vec<String>,
    /// Documents of earlier runs that were removed: nothing stands behind them, or they are in another format.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// How many entries of each type memory holds.
    pub memory: BTreeMap<String, usize>,
    /// What of the repository was not read, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Documentation {
    /// A run that has not begun. Its session is named by its time and place, unless it is named (DOC-14).
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

    /// The same as a session of this id.
    #[must_use]
    pub fn with_session_id(self, id: impl Into<String>) -> Self {
        Self { session_id: id.into(), ..self }
    }

    /// What is known of a phase.
    pub fn phase(&self, phase: Phase) -> PhaseRecord {
        self.phases.get(&phase).cloned().unwrap_or_default()
    }

    /// What is known of the exploration of a component.
    pub fn component(&self, id: &str) -> ComponentRecord {
        self.components.get(id).cloned().unwrap_or_default()
    }
}
