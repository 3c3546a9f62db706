//! Conditional edges of a documentation run. Pure: no model, no file, no clock.

use super::input::Mode;
use super::phase::{ComponentTask, Phase};
use super::state::Documentation;
use crate::engine::Choice;

/// Next step of a run, as `next_phase` returns it: a phase, or the writer of the documents. The variants are
/// the branches of a conditional edge in `graphs/doc-phases.yaml`.
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

/// Returns the first phase of this run that is not over, or the writer if all are (DOC-15, DOC-16). A full
/// run has all four phases. An update has phase B if components are planned, and both A and B if a change
/// concerns the architecture; it never has C and D (DOC-17, DOC-90).
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

/// Step after phase B, as `after_components` returns it; a conditional edge of the graph file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterComponents {
    /// Phase C.
    CrossCutting,
    /// The writer: an update ends with its components.
    Write,
}

/// Returns the step after phase B: phase C in a full run, the writer in an update (DOC-17).
pub fn after_components(run: &Documentation) -> AfterComponents {
    match run.mode {
        Mode::Full => AfterComponents::CrossCutting,
        Mode::Update => AfterComponents::Write,
    }
}

/// Returns the planned components whose exploration is not over, in the order of the plan; empty before there
/// is a plan. The graph runs one task of phase B for each (DOC-38, DOC-126).
pub fn open_components(run: &Documentation) -> Vec<ComponentTask> {
    let planned = run.planned.iter().flatten();
    planned.filter(|task| !run.component(&task.id).status.is_over()).cloned().collect()
}
