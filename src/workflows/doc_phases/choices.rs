//! What a documentation run decides. Pure: no model, no file, no clock.

use super::input::Mode;
use super::phase::{ComponentTask, Phase};
use super::state::Documentation;
use crate::engine::Choice;

/// What comes next; the arms of the branches in `graphs/doc-phases.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Next {
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

/// The first phase that is not over (DOC-15, DOC-16); an update has phase B alone (DOC-17).
pub fn next(run: &Documentation) -> Next {
    let phases: &[Phase] = match run.mode {
        Mode::Full => &Phase::ALL,
        Mode::Update => &[Phase::ComponentDeepDive],
    };
    let open = phases.iter().find(|phase| !run.phase(**phase).status.is_over());
    match open {
        Some(Phase::ArchitectureDiscovery) => Next::Architecture,
        Some(Phase::ComponentDeepDive) => Next::Components,
        Some(Phase::CrossCutting) => Next::CrossCutting,
        Some(Phase::DocumentationGeneration) => Next::Generation,
        None => Next::Write,
    }
}

/// What follows the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum AfterComponents {
    /// Phase C.
    CrossCutting,
    /// The writer: an update ends with its components.
    Write,
}

/// What follows the components (DOC-17).
pub fn after_components(run: &Documentation) -> AfterComponents {
    match run.mode {
        Mode::Full => AfterComponents::CrossCutting,
        Mode::Update => AfterComponents::Write,
    }
}

/// The components that are still to be explored, one task each (DOC-38, DOC-126).
pub fn components(run: &Documentation) -> Vec<ComponentTask> {
    let planned = run.planned.iter().flatten();
    planned.filter(|task| !run.component(&task.id).status.is_over()).cloned().collect()
}
