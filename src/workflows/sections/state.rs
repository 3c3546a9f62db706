//! The states of the graphs: plain data that a checkpoint holds. They have no key, no handle and no file of the package; the services read
//! the package again after a resume.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::input::{SectionJudges, SectionsSettings};
use crate::agent::Spent;
use crate::engine::State;
use crate::readme::evaluate::EvaluationResult;
use crate::readme::validate::best::{Iteration, is_better};
use crate::readme::validate::{Issue, Validation};
use crate::workflows::timestamp::Timestamp;

/// The state of a run about one document, or about a batch of packages.
#[derive(State, Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SectionsRun {
    /// Settings that the run began with.
    pub settings: SectionsSettings,
    /// Absolute path of the package, or of the README of a project.
    pub package: PathBuf,
    /// Start of the run.
    pub started: Timestamp,
    /// The document as it was before the run; `None` without one.
    pub original: Option<String>,
    /// The request of a change that is under way; `None` while the whole document is written.
    pub request: Option<String>,
    /// Sections to write in the current round.
    pub planned: Vec<SectionTask>,
    /// Written sections, by round and place.
    #[state(merge)]
    pub written_sections: BTreeMap<SectionKey, SectionResult>,
    /// Number of the current round of writing, from 1; a request for changes begins another.
    pub round: u32,
    /// The combined document; `None` before it is made.
    pub document: Option<String>,
    /// Repairs that were made, in words.
    #[state(append)]
    pub repairs: Vec<String>,
    /// Verdicts about the document.
    pub validations: Vec<Validation>,
    /// Verdict of the critic about the whole document, where it ran alone.
    pub critic: Option<CriticVerdict>,
    /// The decision of a person; `None` before one is made.
    pub decision: Option<ReviewDecision>,
    /// Results of evaluations, by place in the list of packages.
    #[state(merge)]
    pub evaluations: BTreeMap<usize, EvaluationResult>,
    /// Files that the generator wrote, by path below the package; they are written when the document is accepted.
    #[state(merge)]
    pub extra_files: BTreeMap<String, String>,
    /// Messages to the user.
    #[state(append)]
    pub notes: Vec<String>,
    /// Files that were written.
    pub written: Vec<PathBuf>,
    /// Tokens, money and calls of all sections.
    #[state(add)]
    pub spent: Spent,
}

/// Key of a written section: the round of writing and the place in the document.
pub type SectionKey = String;

/// A section to write: an item of the fan-out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SectionTask {
    /// Round of writing.
    pub round: u32,
    /// Place in the document, from 0.
    pub index: usize,
    /// Title.
    pub title: String,
    /// Level of the heading.
    pub level: u8,
    /// Titles of the parts that the template has in the section.
    pub parts: Vec<String>,
    /// Instruction of the template.
    pub instruction: String,
    /// Text of the section before the run; empty without one.
    pub existing: String,
    /// Request of the user; empty unless the document is changed on request.
    pub request: String,
    /// Known faults of the existing text, as feedback.
    pub faults: Vec<String>,
}

impl SectionTask {
    /// Returns the key of the written section.
    pub fn key(&self) -> SectionKey {
        format!("{:03}.{:03}", self.round, self.index)
    }
}

/// A written section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionResult {
    /// Title.
    pub title: String,
    /// Text with its heading.
    pub text: String,
    /// The end of the section's loop.
    pub outcome: SectionOutcome,
    /// Number of iterations.
    pub iterations: u32,
    /// Issues of the chosen version.
    pub issues: Vec<Issue>,
}

/// The end of a section's loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionOutcome {
    /// All judges accepted the version (SEC-65).
    Approved,
    /// No version was accepted; the best one was chosen (SEC-67).
    Best,
    /// No version was written, for this reason. The section has its earlier text or the marker (SEC-59).
    Failed(String),
}

/// The state of one section's loop.
#[derive(State, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SectionRun {
    /// The section.
    pub task: SectionTask,
    /// Judges of the section.
    pub judges: SectionJudges,
    /// Maximum number of iterations.
    pub max_iterations: u32,
    /// Number of the current iteration, from 1; 0 before the first.
    pub iteration: u32,
    /// Version under judgement; `None` if the generator gave none.
    pub candidate: Option<String>,
    /// Verdict of the critic about the candidate.
    pub critic: Option<CriticVerdict>,
    /// Verdicts of validators about the candidate.
    pub validations: Vec<Validation>,
    /// Issues about the candidate that no validator found: links, tools that were not called.
    pub issues: Vec<Issue>,
    /// Feedback for the next iteration, one line each (SEC-68).
    pub feedback: Vec<String>,
    /// Versions of all iterations so far.
    #[state(append)]
    pub versions: Vec<SectionVersion>,
    /// Reason why the generator gave no version; `None` if it did.
    pub failure: Option<String>,
    /// True after the last iteration.
    pub is_over: bool,
    /// Files that the generator wrote.
    #[state(merge)]
    pub extra_files: BTreeMap<String, String>,
    /// Tokens, money and calls.
    #[state(add)]
    pub spent: Spent,
}

/// A version of a section with its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionVersion {
    /// Number of the iteration, from 1.
    pub number: u32,
    /// Text.
    pub text: String,
    /// True if all judges accepted it.
    pub is_approved: bool,
    /// Score of the critic; `None` without a critic.
    pub critic_score: Option<u8>,
    /// Issues.
    pub issues: Vec<Issue>,
}

/// Verdict of the critic (SEC-69).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticVerdict {
    /// 1 to 10; 0 if the critic gave no readable answer.
    pub score: u8,
    /// True from a score of 7.
    pub is_approved: bool,
    /// Faults, one line each.
    pub feedback: Vec<String>,
}

/// Score from which the critic approves (SEC-69).
pub const APPROVAL_SCORE: u8 = 7;

/// Decision of a person about a document (SEC-143).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    /// Write it.
    Accept,
    /// Change it as this text says.
    Change(String),
    /// Write the sections again.
    Retry,
    /// Leave everything as it was.
    Cancel,
}

impl SectionsRun {
    /// Returns the state of a run that begins.
    pub fn new(settings: SectionsSettings, package: PathBuf, started: Timestamp) -> Self {
        Self {
            settings,
            package,
            started,
            original: None,
            request: None,
            planned: Vec::new(),
            written_sections: BTreeMap::new(),
            round: 0,
            document: None,
            repairs: Vec::new(),
            validations: Vec::new(),
            critic: None,
            decision: None,
            evaluations: BTreeMap::new(),
            extra_files: BTreeMap::new(),
            notes: Vec::new(),
            written: Vec::new(),
            spent: Spent::default(),
        }
    }

    /// Returns the sections of the current round, in document order. A planned section without a result is missing.
    pub fn current_sections(&self) -> impl Iterator<Item = (&SectionTask, &SectionResult)> {
        self.planned.iter().filter_map(|task| Some((task, self.written_sections.get(&task.key())?)))
    }

    /// Returns the state of a section's loop.
    pub fn section(&self, task: &SectionTask) -> SectionRun {
        SectionRun {
            task: task.clone(),
            judges: self.settings.effective_judges(),
            max_iterations: self.settings.max_iterations.max(1),
            feedback: task.faults.clone(),
            ..SectionRun::default()
        }
    }

    /// Returns the update of a section's end.
    pub fn section_update(section: &SectionRun) -> SectionsRunUpdate {
        let written = BTreeMap::from([(section.task.key(), section.result())]);
        let mut update = Self::update().written_sections(written).spent(section.spent.clone());
        if !section.extra_files.is_empty() {
            update = update.extra_files(section.extra_files.clone());
        }
        update
    }
}

impl SectionVersion {
    /// Returns the version in the form that versions are compared in.
    fn iteration(&self) -> Iteration {
        let blocking = self.issues.iter().filter(|issue| issue.is_blocking()).count();
        Iteration {
            text: self.text.clone(),
            is_approved: self.is_approved,
            blocking,
            issues: self.issues.len(),
        }
    }
}

impl SectionRun {
    /// Returns the chosen version. Without a version the section keeps its earlier text, which is empty if there is none (SEC-59).
    pub fn result(&self) -> SectionResult {
        let title = self.task.title.clone();
        match self.best() {
            Some(best) => SectionResult {
                title,
                text: best.text.clone(),
                outcome: if best.is_approved { SectionOutcome::Approved } else { SectionOutcome::Best },
                iterations: self.iteration,
                issues: best.issues.clone(),
            },
            None => SectionResult {
                title,
                text: self.task.existing.clone(),
                outcome: SectionOutcome::Failed(self.failure.clone().unwrap_or_default()),
                iterations: self.iteration,
                issues: Vec::new(),
            },
        }
    }

    /// Returns the best version of all iterations (SEC-67, SEC-77 to 82).
    pub fn best(&self) -> Option<&SectionVersion> {
        let mut best: Option<&SectionVersion> = None;
        for version in &self.versions {
            let is_better = best.is_none_or(|best| is_better(&version.iteration(), &best.iteration()));
            if is_better {
                best = Some(version);
            }
        }
        best
    }

    /// Returns all issues about the candidate.
    pub fn all_issues(&self) -> Vec<Issue> {
        let found = self.validations.iter().flat_map(|validation| &validation.issues);
        self.issues.iter().chain(found).cloned().collect()
    }
}
