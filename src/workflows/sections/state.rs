//! The states of both graphs: plain data that a checkpoint holds. They have no key, no handle and no file
//! of the package; the services read the package again after a resume.

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

/// The state of a run of the graph `sections`: about one document, or about a batch of packages.
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
    /// Request for a change that this round carries out; `None` while the whole document is written.
    pub request: Option<String>,
    /// Sections to write in the current round.
    pub planned: Vec<SectionTask>,
    /// Written sections of all rounds, by round and index.
    #[state(merge)]
    pub written_sections: BTreeMap<SectionKey, SectionResult>,
    /// Number of the current round of writing, from 1; a request for changes begins another.
    pub round: u32,
    /// The combined document; `None` before it is made.
    pub document: Option<String>,
    /// Repairs that the node `fix` made, one sentence each.
    #[state(append)]
    pub repairs: Vec<String>,
    /// Verdicts about the document.
    pub validations: Vec<Validation>,
    /// Verdict of the critic about the whole document, where it ran alone.
    pub critic: Option<CriticVerdict>,
    /// The decision of a person; `None` before one is made.
    pub decision: Option<ReviewDecision>,
    /// Results of evaluations, by index in the list of packages; 0 for a single package.
    #[state(merge)]
    pub evaluations: BTreeMap<usize, EvaluationResult>,
    /// Files that the generator wrote, by path below the package; the node `save` writes them to the disk.
    #[state(merge)]
    pub extra_files: BTreeMap<String, String>,
    /// Messages to the user.
    #[state(append)]
    pub notes: Vec<String>,
    /// Files that were written to the disk.
    pub written: Vec<PathBuf>,
    /// Tokens, money and calls of all sections.
    #[state(add)]
    pub spent: Spent,
}

/// Key of a written section: the round of writing and the index in the document, such as `001.004`.
pub type SectionKey = String;

/// A section that is to be written in a round: an item of the fan-out over all planned sections.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SectionTask {
    /// Round of writing.
    pub round: u32,
    /// Index of the section in the document, from 0.
    pub index: usize,
    /// Title.
    pub title: String,
    /// Level of the heading.
    pub level: u8,
    /// Titles of the sub-sections that the template has in it.
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
    /// Returns the key under which the written section is stored in the state of the run.
    pub fn key(&self) -> SectionKey {
        format!("{:03}.{:03}", self.round, self.index)
    }
}

/// The result of writing one section: the chosen text, and how the loop ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionResult {
    /// Title.
    pub title: String,
    /// Text with its heading.
    pub text: String,
    /// The way in which the section's loop ended.
    pub outcome: SectionOutcome,
    /// Number of iterations.
    pub iterations: u32,
    /// Issues of the chosen version.
    pub issues: Vec<Issue>,
}

/// The way in which the loop of a section ended: approved, best of all versions, or failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionOutcome {
    /// All judges accepted the version (SEC-65).
    Approved,
    /// No version was accepted; the best one was chosen (SEC-67).
    Best,
    /// No version was written, for this reason. The text is the earlier one, or empty (SEC-59).
    Failed(String),
}

/// The state of the graph `sections-section`, the loop that writes one section and lets it be judged.
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
    /// Version that is being judged; `None` if the generator gave none.
    pub candidate: Option<String>,
    /// Verdict of the critic about the candidate.
    pub critic: Option<CriticVerdict>,
    /// Verdicts of validators about the candidate.
    pub validations: Vec<Validation>,
    /// Issues of the candidate from other checks than validators: dead links, tools that were not called.
    pub issues: Vec<Issue>,
    /// Feedback for the next iteration, one line each (SEC-68).
    pub feedback: Vec<String>,
    /// Versions of all iterations so far.
    #[state(append)]
    pub versions: Vec<SectionVersion>,
    /// Reason why the generator gave no version; `None` if it did.
    pub failure: Option<String>,
    /// True if the loop ends.
    pub is_over: bool,
    /// Files that the generator wrote.
    #[state(merge)]
    pub extra_files: BTreeMap<String, String>,
    /// Tokens, money and calls.
    #[state(add)]
    pub spent: Spent,
}

/// A version of a section that one iteration wrote, with its verdict.
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

/// The verdict of the critic on a section or document (SEC-69).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriticVerdict {
    /// 1 to 10; 0 if the critic gave no readable answer.
    pub score: u8,
    /// True if the critic approves: a model with a score of 7 or more, the rules also without a blocking
    /// issue.
    pub is_approved: bool,
    /// Faults, one line each.
    pub feedback: Vec<String>,
}

/// Minimum score with which the critic approves (SEC-69).
pub const APPROVAL_SCORE: u8 = 7;

/// The decision of a person about a finished document (SEC-143).
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
    /// Returns the initial state of a run about one document or a batch.
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

    /// Returns the planned sections of the current round with their results, in document order. A planned
    /// section without a result is left out.
    pub fn current_sections(&self) -> impl Iterator<Item = (&SectionTask, &SectionResult)> {
        self.planned.iter().filter_map(|task| Some((task, self.written_sections.get(&task.key())?)))
    }

    /// Returns the initial state of the loop for one section.
    pub fn section(&self, task: &SectionTask) -> SectionRun {
        SectionRun {
            task: task.clone(),
            judges: self.settings.effective_judges(),
            max_iterations: self.settings.max_iterations.max(1),
            feedback: task.faults.clone(),
            ..SectionRun::default()
        }
    }

    /// Returns the update with which the finished loop of a section is written to the state of the run: its
    /// result, files and costs.
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
    /// Returns the version in the form that [`is_better`] compares.
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
    /// Returns the result of the loop: its best version. Without any version the section keeps its earlier
    /// text, which is empty if there is none (SEC-59).
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

    /// Returns the best version of all iterations (SEC-67, SEC-77 to 82); `None` if none was written. Of
    /// equal versions the earlier one is returned.
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

    /// Returns all issues of the candidate, those of validators last.
    pub fn all_issues(&self) -> Vec<Issue> {
        let found = self.validations.iter().flat_map(|validation| &validation.issues);
        self.issues.iter().chain(found).cloned().collect()
    }
}
