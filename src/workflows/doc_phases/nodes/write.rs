//! Writes the documents from memory, and finishes the session (DOC-108, DOC-119). Idempotent: a second write gives the same bytes.

use std::collections::BTreeMap;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::workflows::doc_phases::input::Mode;
use crate::workflows::doc_phases::memory::{EntryRecord, EntryType, Memory, MemoryError};
use crate::workflows::doc_phases::phase::Phase;
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::services::{DOCUMENTATION_FOLDER, DocServices, storage_error};
use crate::workflows::doc_phases::session::SessionStatus;
use crate::workflows::doc_phases::state::{Documentation, DocumentationUpdate, PhaseStatus, WrittenFiles};
use crate::workflows::doc_phases::writer::{
    Change, DocumentOptions, WriteDocumentsError, WrittenDocuments, write_documents,
};

/// Node `doc-phases.write`: prunes the agent's memory, writes the documents, and marks the session as
/// finished.
pub(in super::super) async fn write(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let resources = cx.services().resources()?;
    prune_memory(run, &resources.memory).map_err(storage_error)?;
    let folder = resources.root.path(DOCUMENTATION_FOLDER)?.absolute().to_owned();
    let options = DocumentOptions { format: run.settings.format, written_by: resources.author.clone() };
    let memory = resources.memory.clone();
    let written = tokio::task::spawn_blocking(move || write_documents(&memory, &folder, &options)).await?;
    let written = written.map_err(write_error)?;
    let changed = written.documents.iter().filter(|document| document.change != Change::Unchanged);
    let event = ProgressEvent::Written { documents: written.documents.len(), changed: changed.count() };
    cx.emit(ProgressEvent::NAME, &event)?;
    let errors: Vec<String> = written.missing.iter().map(ToString::to_string).collect();
    let files = written_files(&written, &resources.memory);
    resources
        .session
        .update(cx.thread(), |session| {
            session.status = SessionStatus::Finished;
            session.run = Documentation { written: Some(files.clone()), ..run.clone() };
            session.run.errors.extend(errors.iter().cloned());
        })
        .map_err(storage_error)?;
    Ok(Documentation::update().written(Some(files)).extend_errors(errors))
}

/// Forgets the entries that a full run did not store again. Keeps entries of components that were not
/// explored to their end. Does nothing in an update, or if phase A was not completed.
fn prune_memory(run: &Documentation, memory: &Memory) -> Result<(), MemoryError> {
    let is_whole = run.phase(Phase::ArchitectureDiscovery).status == PhaseStatus::Completed;
    if run.mode == Mode::Update || !is_whole {
        return Ok(());
    }
    let planned = run.planned.as_deref().unwrap_or_default();
    let is_open = |id: &str| {
        planned.iter().any(|task| task.id == id) && run.component(id).status != PhaseStatus::Completed
    };
    let is_old = |record: &EntryRecord| {
        record.stored_at() < memory.now() && !record.entry.component().is_some_and(is_open)
    };
    for kind in EntryType::ALL {
        for record in memory.all(*kind).iter().filter(|record| is_old(record)) {
            memory.forget(*kind, record.entry.id())?;
        }
    }
    Ok(())
}

fn written_files(written: &WrittenDocuments, memory: &Memory) -> WrittenFiles {
    let documents =
        written.documents.iter().map(|document| format!("{DOCUMENTATION_FOLDER}/{}", document.path));
    let counts = EntryType::ALL.iter().map(|kind| (kind.name().to_owned(), memory.all(*kind).len()));
    let left_out = memory.left_out();
    let memory: BTreeMap<String, usize> = counts.filter(|(_, count)| *count > 0).collect();
    let removed = written.removed.iter().map(|path| format!("{DOCUMENTATION_FOLDER}/{path}")).collect();
    WrittenFiles { documents: documents.collect(), removed, memory, left_out }
}

fn write_error(error: WriteDocumentsError) -> NodeError {
    let hint = format!("{}, then resume: memory is kept, and no model is asked again", error.hint());
    NodeError::from(error).permanent().with_hint(hint)
}
