//! Conditional edges of both graphs: functions from a state to the next step. Pure: no model, no file, no
//! clock.

use super::input::{DocumentApproval, SectionsProfile, SectionsTask};
use super::state::{ReviewDecision, SectionRun, SectionTask, SectionsRun};
use crate::engine::Choice;
use crate::readme::validate::Issue;

/// The step of a run after the node `open`, which has read the package; the conditional edge chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum FirstStep {
    /// Plan the sections to write.
    Plan,
    /// Check the document.
    Check,
    /// Judge the document by the critic.
    Critic,
    /// Evaluate packages.
    Batch,
    /// Nothing: the report tells how the document is written by hand.
    ByHand,
}

/// Returns the step after `open`. The README of a project is only checked if rules write; with a model it
/// is improved.
pub fn first_step(run: &SectionsRun) -> FirstStep {
    match (&run.settings.task, run.settings.profile) {
        (SectionsTask::Batch(_), _) => FirstStep::Batch,
        (SectionsTask::ByHand, _) => FirstStep::ByHand,
        (SectionsTask::Critic, _) => FirstStep::Critic,
        (SectionsTask::Validators, _) => FirstStep::Check,
        (SectionsTask::Update, SectionsProfile::Readme) if run.settings.is_offline() => FirstStep::Check,
        _ => FirstStep::Plan,
    }
}

/// The step of a run after the node `check`, which has validated the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterCheck {
    /// Ask a person.
    Review,
    /// Write the document.
    Save,
    /// Measure it.
    Measure,
    /// End of the run, which was only about the check.
    Done,
}

/// Returns the step after the document was validated, by task and approval (SEC-7, SEC-8, SEC-10, SEC-13).
pub fn after_check(run: &SectionsRun) -> AfterCheck {
    match (&run.settings.task, run.settings.approval) {
        (SectionsTask::Evaluate, _) => AfterCheck::Measure,
        _ if first_step(run) == FirstStep::Check => AfterCheck::Done,
        (_, DocumentApproval::Asked) => AfterCheck::Review,
        (_, DocumentApproval::Given) => AfterCheck::Save,
    }
}

/// The step of a run after the node `review`, which has asked a person about the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterReview {
    /// Write the document.
    Save,
    /// Write sections again.
    Plan,
    /// Nothing: every file stays as it was.
    Cancel,
}

/// Returns the step after a person was asked about the document, by the decision (SEC-143).
pub fn after_review(run: &SectionsRun) -> AfterReview {
    match run.decision {
        Some(ReviewDecision::Accept) => AfterReview::Save,
        Some(ReviewDecision::Change(_) | ReviewDecision::Retry) => AfterReview::Plan,
        Some(ReviewDecision::Cancel) | None => AfterReview::Cancel,
    }
}

/// Returns the sections to write in this round; each becomes a task of the fan-out (SEC-53).
pub fn planned_sections(run: &SectionsRun) -> Vec<SectionTask> {
    run.planned.clone()
}

/// Returns the indices of the packages of a batch; each becomes a task of the fan-out (SEC-134). Empty for
/// another task.
pub fn batch_places(run: &SectionsRun) -> Vec<usize> {
    match &run.settings.task {
        SectionsTask::Batch(packages) => (0..packages.len()).collect(),
        _ => Vec::new(),
    }
}

/// The step in the loop of a section after the node `generate`, which has written a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterGeneration {
    /// The critic.
    Critic,
    /// The validators: the critic is switched off.
    Validators,
    /// The decision: there is no version to judge, or nothing judges it.
    Decide,
}

/// Returns the step after a version of a section was generated: the first judge that is switched on
/// (SEC-62, SEC-73).
pub fn after_generation(section: &SectionRun) -> AfterGeneration {
    let judges = section.judges;
    if section.candidate.is_none() {
        AfterGeneration::Decide
    } else if judges.critic {
        AfterGeneration::Critic
    } else if judges.urls || judges.validators || judges.model_validators {
        AfterGeneration::Validators
    } else {
        AfterGeneration::Decide
    }
}

/// The step in the loop of a section after the node `criticise`: the critic approved the version, or
/// rejected it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterCritic {
    /// The check of links and the validators (SEC-64).
    Approved,
    /// The static validators only, so that their findings are part of the feedback for the next iteration
    /// (SEC-63).
    Rejected,
}

/// Returns the step after the critic judged a version; a missing verdict counts as a rejection.
pub fn after_critic(section: &SectionRun) -> AfterCritic {
    if section.critic.as_ref().is_some_and(|verdict| verdict.is_approved) {
        AfterCritic::Approved
    } else {
        AfterCritic::Rejected
    }
}

/// The step in the loop of a section after the static validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterValidators {
    /// The validators of a model.
    Model,
    /// The decision.
    Decide,
}

/// Returns the step after the static validators. The model is not asked about a version that is refused
/// already.
pub fn after_validators(section: &SectionRun) -> AfterValidators {
    let is_blocked = section.all_issues().iter().any(Issue::is_blocking);
    let is_rejected = section.critic.as_ref().is_some_and(|verdict| !verdict.is_approved);
    if section.judges.model_validators && !is_blocked && !is_rejected {
        AfterValidators::Model
    } else {
        AfterValidators::Decide
    }
}

/// The step in the loop of a section after the node `decide`: another iteration, or the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterDecision {
    /// Another iteration (SEC-66).
    Again,
    /// End of the section's loop (SEC-65, SEC-67).
    Done,
}

/// Returns the step after an iteration: the end if the node `decide` has ended the loop.
pub fn after_decision(section: &SectionRun) -> AfterDecision {
    if section.is_over { AfterDecision::Done } else { AfterDecision::Again }
}
