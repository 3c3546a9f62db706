//! Conditional edges of a documentation run. Pure: no model, no file, no clock.

use super::input::Mode;
use super::phase::{ComponentTask, Phase};
use super::state::Documentation;
use crate::engine::Choice;

/// The next step; the arms of the branches in `graphs/doc-phases.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum NextPhase {
    /// Phase A.
    Architecture,
    /// Phase B.
    Components,
    /// Phase C.
    CrossCutting,
    /// Phase D.
    Generation,
    /// The writer.
    Write,
}

/// Returns the first phase that is not over (DOC-15, DOC-16). An update runs phase B, and phase A before it if a change concerns
/// the architecture (DOC-17, DOC-90). It runs neither when there is nothing to explore.
pub fn next_phase(run: &Documentation) -> NextPhase {
    let concerns_the_whole = run.changed.as_ref().is_some_and(|changed| changed.of_architecture.is_some());
    let is_part = |phase: &Phase| match (run.mode, phase) {
        (Mode::Full, _) => true,
        (Mode::Update, Phase::ArchitectureDiscovery) => concerns_the_whole,
        (Mode::Update, Phase::ComponentDeepDive) => {
            concerns_the_whole || run.planned.as_ref().is_none_or(|planned| !planned.is_empty())
        }
        (Mode::Update, Phase::CrossCutting | Phase::DocumentationGeneration) => false,
    };
    let open = Phase::ALL.into_iter().filter(is_part).find(|phase| !run.phase(*phase).status.is_over());
    match open {
        Some(Phase::ArchitectureDiscovery) => NextPhase::Architecture,
        Some(Phase::ComponentDeepDive) => NextPhase::Components,
        Some(Phase::CrossCutting) => NextPhase::CrossCutting,
        Some(Phase::DocumentationGeneration) => NextPhase::Generation,
        None => NextPhase::Write,
    }
}

/// The step after phase B.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterComponents {
    /// Phase C.
    CrossCutting,
    /// The writer: an update ends with its components.
    Write,
}

/// Returns the step after phase B (DOC-17).
pub fn after_components(run: &Documentation) -> AfterComponents {
    match run.mode {
        Mode::Full => AfterComponents::CrossCutting,
        Mode::Update => AfterComponents::Write,
    }
}

/// Returns the components that still have to be explored, one task each (DOC-38, DOC-126).
pub fn open_components(run: &Documentation) -> Vec<ComponentTask> {
    let planned = run.planned.iter().flatten();
    planned.filter(|task| !run.component(&task.id).status.is_over()).cloned().collect()
}
