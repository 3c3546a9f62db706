//! Start and end of phase B: the list of components (DOC-107), and their combined result.

use std::collections::{BTreeMap, BTreeSet};

use super::track::{end_event, status_name, total_usage};
use super::update::replan;
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, EntryType, Memory, MemoryEntry as _,
};
use crate::workflows::doc_phases::phase::{ComponentTask, Phase};
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::{DocServices, storage_error};
use crate::workflows::doc_phases::state::{Documentation, DocumentationUpdate, PhaseRecord, PhaseStatus};

const PHASE: Phase = Phase::ComponentDeepDive;

/// Begins phase B: determines the components to explore and stores them, in order, as the plan of the run. A
/// plan that an update already made is kept unless phase A has run since.
pub(in super::super) async fn plan(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let resources = cx.services().resources()?;
    let start = cx.once("started", async { Ok::<_, NodeError>(resources.now()) }).await?;
    let known = run.phase(PHASE);
    let mut changed = run.changed.clone();
    let planned = match (&run.planned, &run.changed) {
        (_, Some(before)) if before.of_architecture.is_some() && known.start.is_none() => {
            let (planned, now) = replan(&resources.memory, before).map_err(storage_error)?;
            changed = Some(now);
            planned
        }
        (Some(planned), _) => planned.clone(),
        (None, _) => discover_tasks(&resources.memory),
    };
    let record = PhaseRecord { status: PhaseStatus::InProgress, start: known.start.or(Some(start)), ..known };
    resources.memory.set_phase(PHASE.as_str(), "in_progress").map_err(storage_error)?;
    resources
        .session
        .update(cx.thread(), |session| {
            session.run.planned = Some(planned.clone());
            session.run.changed.clone_from(&changed);
            session.run.phases.insert(PHASE, record.clone());
        })
        .map_err(storage_error)?;
    cx.emit(ProgressEvent::NAME, &ProgressEvent::Starting { phase: PHASE })?;
    let update = Documentation::update().planned(Some(planned)).changed(changed);
    Ok(update.phases(BTreeMap::from([(PHASE, record)])))
}

/// Returns tasks for the components that this run discovered in phase A and that are unexplored: those in the
/// boundaries of its overview and those that it stored. If the run stored neither, tasks for all unexplored
/// components in the agent's memory.
fn discover_tasks(memory: &Memory) -> Vec<ComponentTask> {
    let now = memory.now();
    let overview = memory.all(EntryType::Architecture).into_iter().find(|record| record.stored_at() == now);
    let boundaries = overview.as_ref().and_then(|record| ArchitectureOverview::from_entry(&record.entry));
    let boundaries =
        boundaries.into_iter().flat_map(|overview| overview.component_boundaries.keys().cloned());
    let stored = memory.all(EntryType::Component).into_iter().filter(|record| record.stored_at() == now);
    let mut ids: BTreeSet<String> =
        boundaries.chain(stored.map(|record| record.entry.id().to_owned())).collect();
    let index = memory.index();
    if ids.is_empty() && overview.is_none() {
        ids = index.components_discovered;
    }
    let open = ids.into_iter().filter(|id| !index.components_explored.contains(id));
    let task = |id: String| ComponentTask {
        paths: component_paths(memory, &id),
        id,
        number: 0,
        of: 0,
        changed: Vec::new(),
    };
    number_tasks(open.map(task).collect())
}

/// Returns the folders and files of a component: its boundaries in the architecture overview, else the root
/// path of its own entry. Empty if neither is known.
pub(super) fn component_paths(memory: &Memory, id: &str) -> Vec<String> {
    let overviews = memory.entries::<ArchitectureOverview>();
    let bounds = overviews.iter().find_map(|overview| overview.component_boundaries.get(id));
    if let Some(bounds) = bounds.filter(|bounds| !bounds.is_empty()) {
        return bounds.clone();
    }
    let entry = memory.get(EntryType::Component, id);
    let entry = entry.as_ref().and_then(|record| ComponentSummary::from_entry(&record.entry));
    entry
        .filter(|entry| !entry.root_path.is_empty())
        .map(|entry| entry.root_path.clone())
        .into_iter()
        .collect()
}

/// Returns the tasks numbered from 1 in their order, each with the total number (DOC-8).
pub(super) fn number_tasks(mut tasks: Vec<ComponentTask>) -> Vec<ComponentTask> {
    let of = tasks.len();
    for (number, task) in (1..).zip(&mut tasks) {
        (task.number, task.of) = (number, of);
    }
    tasks
}

/// Ends phase B: sums the usage of its components, counts those that were completed, and stores the record of
/// the phase (DOC-54, DOC-134). The phase is incomplete if one component is.
pub(in super::super) async fn gather(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let resources = cx.services().resources()?;
    let end = cx.once("ended", async { Ok::<_, NodeError>(resources.now()) }).await?;
    let (usage, rounds) = total_usage(run.components.values());
    let planned = run.planned.as_deref().unwrap_or_default();
    let whole =
        planned.iter().filter(|task| run.component(&task.id).status == PhaseStatus::Completed).count();
    let (status, error) = match planned.len() - whole {
        0 => (PhaseStatus::Completed, None),
        left => {
            let error = format!("{left} of {} components were not explored to the end", planned.len());
            (PhaseStatus::BudgetExhausted, Some(error))
        }
    };
    let summary = match planned.len() {
        0 => "There was no component to explore.".to_owned(),
        _ => format!("{whole} of {} components were explored.", planned.len()),
    };
    let record = PhaseRecord {
        status,
        end: Some(end),
        usage,
        rounds,
        findings_summary: Some(summary),
        error,
        ..run.phase(PHASE)
    };
    resources.memory.set_phase(PHASE.as_str(), status_name(status)).map_err(storage_error)?;
    resources
        .session
        .update(cx.thread(), |session| drop(session.run.phases.insert(PHASE, record.clone())))
        .map_err(storage_error)?;
    resources.flush()?;
    cx.emit(ProgressEvent::NAME, &end_event(PHASE, &record))?;
    Ok(Documentation::update().phases(BTreeMap::from([(PHASE, record)])))
}
