//! The phases that are one conversation: A, C and D (DOC-15, DOC-129).

use std::collections::BTreeMap;

use super::explore::{Exploration, explore};
use crate::engine::{Cx, NodeResult, State as _};
use crate::workflows::doc_phases::phase::Phase;
use crate::workflows::doc_phases::services::DocServices;
use crate::workflows::doc_phases::state::{Documentation, DocumentationUpdate};

/// Phase A: explores the repository and stores the overview of its architecture.
pub(in super::super) async fn architecture(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    explore_phase(Phase::ArchitectureDiscovery, run, cx).await
}

/// Phase C: explores the concerns that span components, and stores them.
pub(in super::super) async fn cross_cutting(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    explore_phase(Phase::CrossCutting, run, cx).await
}

/// Phase D: lets the model review the entries in the agent's memory and correct them. Reads nothing else.
pub(in super::super) async fn generation(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    explore_phase(Phase::DocumentationGeneration, run, cx).await
}

async fn explore_phase(
    phase: Phase,
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let exploration = Exploration { phase, component: None, known: run.phase(phase) };
    let explored = explore(run, &exploration, cx).await?;
    cx.services().resources()?.flush()?;
    let update = Documentation::update().spent(explored.spent);
    let update = match &explored.record.error {
        Some(error) => update.errors(format!("{phase}: {error}")),
        None => update,
    };
    Ok(update.phases(BTreeMap::from([(phase, explored.record)])))
}
