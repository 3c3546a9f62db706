//! Phase B for one component (DOC-38, DOC-49, DOC-107). Several run concurrently, up to the limit of the settings (DOC-126).

use std::collections::BTreeMap;

use super::explore::{Exploration, ExplorationOutcome, explore};
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::ModelError;
use crate::workflows::doc_phases::memory::{ComponentSummary, EntryAuthor, EntryType, MemoryError};
use crate::workflows::doc_phases::phase::{ComponentTask, Phase};
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::{DocServices, RunResources, storage_error};
use crate::workflows::doc_phases::state::{ComponentRecord, Documentation, DocumentationUpdate, PhaseStatus};

/// Confidence of the placeholder entry of a component without a description (DOC-107).
const PLACEHOLDER_CONFIDENCE: f64 = 0.1;

/// Node `doc-phases.component`: explores one component, the item of its task. An error of the model fails
/// this component only.
pub(in super::super) async fn component(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let (task, resources) = (cx.item::<ComponentTask>()?, cx.services().resources()?);
    let known = run.component(&task.id);
    let exploration =
        Exploration { phase: Phase::ComponentDeepDive, component: Some(task), known: known.clone() };
    let explored = match explore(run, &exploration, cx).await {
        Ok(explored) => explored,
        // A model error ends this component only, because the model may answer for the others (DOC-32).
        Err(error) if error.downcast_ref::<ModelError>().is_some() => {
            return record_failure(task, known, &error, cx);
        }
        Err(error) => return Err(error),
    };
    let ExplorationOutcome { record, spent } = explored;
    ensure_entry(task, &record, resources).map_err(storage_error)?;
    let mut update = Documentation::update().spent(spent);
    if let Some(error) = &record.error {
        update = update.errors(format!("component {}: {error}", task.id));
    }
    Ok(update.components(BTreeMap::from([(task.id.clone(), record)])))
}

/// Stores a placeholder entry for the component in the agent's memory if it has none. Marks the component as
/// explored if the status of `record` is `Completed`.
fn ensure_entry(
    task: &ComponentTask,
    record: &ComponentRecord,
    resources: &RunResources,
) -> Result<(), MemoryError> {
    if resources.memory.get(EntryType::Component, &task.id).is_none() {
        let root_path =
            task.paths.iter().find(|path| path_exists(resources, path)).cloned().unwrap_or_default();
        let entry = ComponentSummary {
            component_id: task.id.clone(),
            component_name: task.id.clone(),
            root_path,
            responsibility: "This component was found and not described.".to_owned(),
            confidence: PLACEHOLDER_CONFIDENCE,
            ..ComponentSummary::default()
        };
        resources.memory.store_as(&EntryAuthor::component(1, &task.id), entry)?;
    }
    if record.status == PhaseStatus::Completed {
        resources.memory.mark_explored(&task.id)?;
    }
    Ok(())
}

fn path_exists(resources: &RunResources, path: &str) -> bool {
    let files = resources.code.files();
    files.path(path.as_ref()).is_ok_and(|path| path.absolute().exists())
}

/// Records that the exploration of a component failed: as a progress event, in the session file and in the
/// returned update. The component stays unexplored, so that a later run explores it.
fn record_failure(
    task: &ComponentTask,
    known: ComponentRecord,
    error: &NodeError,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let resources = cx.services().resources()?;
    let reason = error.to_string();
    cx.emit(
        ProgressEvent::NAME,
        &ProgressEvent::Failed { component: task.id.clone(), reason: reason.clone() },
    )?;
    let record = ComponentRecord { status: PhaseStatus::Pending, error: Some(reason.clone()), ..known };
    let put = |session: &mut crate::workflows::doc_phases::session::SessionState| {
        session.run.components.insert(task.id.clone(), record.clone());
        session.run.errors.push(format!("component {}: {reason}", task.id));
    };
    resources.session.update(cx.thread(), put).map_err(storage_error)?;
    let unknown = ComponentRecord { status: PhaseStatus::Pending, ..ComponentRecord::default() };
    ensure_entry(task, &unknown, resources).map_err(storage_error)?;
    let update = Documentation::update().errors(format!("component {}: {reason}", task.id));
    Ok(update.components(BTreeMap::from([(task.id.clone(), record)])))
}
