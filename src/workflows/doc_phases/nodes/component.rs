//! Phase B for one component (DOC-38, DOC-49, DOC-107). Several run side by side, as many as the settings allow (DOC-126).

use std::collections::BTreeMap;

use super::explore::{Errand, Explored, explore};
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::ModelError;
use crate::workflows::doc_phases::memory::{Author, ComponentSummary, EntryType, MemoryError};
use crate::workflows::doc_phases::phase::{ComponentTask, Phase};
use crate::workflows::doc_phases::progress::Status;
use crate::workflows::doc_phases::services::{Services, Work, kept};
use crate::workflows::doc_phases::state::{ComponentRecord, Documentation, DocumentationUpdate, PhaseStatus};

/// How sure the entry of a component is that was not described (DOC-107).
const PLACEHOLDER: f64 = 0.1;

pub(in super::super) async fn component(
    run: &Documentation,
    cx: &Cx<Services>,
) -> NodeResult<DocumentationUpdate> {
    let (task, work) = (cx.item::<ComponentTask>()?, cx.services().work()?);
    // The queue is fair, so the components are begun in their order.
    let _permit = work.permits.acquire().await.map_err(NodeError::from)?;
    let known = run.component(&task.id);
    let errand = Errand { phase: Phase::ComponentDeepDive, component: Some(task), known: known.clone() };
    let explored = match explore(run, &errand, cx).await {
        Ok(explored) => explored,
        // A model that cannot be asked about one component may be asked about the others (DOC-32).
        Err(error) if error.downcast_ref::<ModelError>().is_some() => return failed(task, known, &error, cx),
        Err(error) => return Err(error),
    };
    let Explored { record, spent } = explored;
    described(task, &record, work).map_err(kept)?;
    let mut update = Documentation::update().spent(spent);
    if let Some(error) = &record.error {
        update = update.errors(format!("component {}: {error}", task.id));
    }
    Ok(update.components(BTreeMap::from([(task.id.clone(), record)])))
}

/// Sees to it that the component has an entry, and counts as explored if it was.
fn described(task: &ComponentTask, record: &ComponentRecord, work: &Work) -> Result<(), MemoryError> {
    if work.memory.get(EntryType::Component, &task.id).is_none() {
        let root_path = task.paths.iter().find(|path| is_there(work, path)).cloned().unwrap_or_default();
        let entry = ComponentSummary {
            component_id: task.id.clone(),
            component_name: task.id.clone(),
            root_path,
            responsibility: "This component was found and not described.".to_owned(),
            confidence: PLACEHOLDER,
            ..ComponentSummary::default()
        };
        work.memory.store_as(&Author::component(1, &task.id), entry)?;
    }
    if record.status == PhaseStatus::Completed {
        work.memory.mark_explored(&task.id)?;
    }
    Ok(())
}

fn is_there(work: &Work, path: &str) -> bool {
    let files = work.code.files();
    files.path(path.as_ref()).is_ok_and(|path| path.absolute().exists())
}

/// The component stays open; a later run explores it.
fn failed(
    task: &ComponentTask,
    known: ComponentRecord,
    error: &NodeError,
    cx: &Cx<Services>,
) -> NodeResult<DocumentationUpdate> {
    let work = cx.services().work()?;
    let reason = error.to_string();
    cx.emit(Status::NAME, &Status::Failed { component: task.id.clone(), reason: reason.clone() })?;
    let record = ComponentRecord { status: PhaseStatus::Pending, error: Some(reason.clone()), ..known };
    let put = |session: &mut crate::workflows::doc_phases::session::SessionState| {
        session.run.components.insert(task.id.clone(), record.clone());
        session.run.errors.push(format!("component {}: {reason}", task.id));
    };
    work.book.change(cx.thread(), put).map_err(kept)?;
    let unknown = ComponentRecord { status: PhaseStatus::Pending, ..ComponentRecord::default() };
    described(task, &unknown, work).map_err(kept)?;
    let update = Documentation::update().errors(format!("component {}: {reason}", task.id));
    Ok(update.components(BTreeMap::from([(task.id.clone(), record)])))
}
