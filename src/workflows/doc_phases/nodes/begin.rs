//! Opens the session, determines the scope of an update, and remembers the tree that the run sees (DOC-17, DOC-90, DOC-91).

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::update::{Explorer, architecture_changes, open_tasks};
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::llm::{ChatModel as _, ModelError};
use crate::repo::{Changes, CodeBase};
use crate::workflows::doc_phases::input::Mode;
use crate::workflows::doc_phases::memory::{
    AffectedComponents, ArchitectureOverview, EntryType, Memory, MemoryError, Removals,
};
use crate::workflows::doc_phases::phase::Phase;
use crate::workflows::doc_phases::progress::ProgressEvent;
use crate::workflows::doc_phases::selection::{SelectedFacts, select};
use crate::workflows::doc_phases::services::{
    DOCUMENTATION_FOLDER, DocServices, RunResources, storage_error,
};
use crate::workflows::doc_phases::state::{ChangedFiles, Documentation, DocumentationUpdate};

/// Number of files from which on a progress event announces the comparison, because it then takes seconds.
const MANY_FILES: usize = 5_000;

/// Node `doc-phases.begin`: opens the session and scales the budgets. At the first start, compares the
/// repository with the agent's memory, and prepares that for the run; for an update, also plans the
/// components. Stores the facts of the repository.
pub(in super::super) async fn begin(
    run: &Documentation,
    cx: &Cx<DocServices>,
) -> NodeResult<DocumentationUpdate> {
    let resources = cx.services().resources()?;
    resources.session.update(cx.thread(), |_| {}).map_err(storage_error)?;
    // Resolved before any model call because no model may be called if the documents cannot be written.
    resources.root.path(DOCUMENTATION_FOLDER)?;
    let (code, memory) = (resources.code.clone(), resources.memory.clone());
    let known = !run.phases.is_empty();
    let files = cx.once("files", count_files(code.clone())).await?;
    let mut settings = run.settings.clone();
    settings.budgets = settings.budgets.for_files(files);
    let mut update = Documentation::update().settings(settings.clone());
    if !known {
        if files >= MANY_FILES {
            cx.emit(ProgressEvent::NAME, &ProgressEvent::Looking { files })?;
        }
        let explorer = if resources.is_rules() { Explorer::Rules } else { Explorer::Model };
        // The journal records the changes before memory forgets the earlier tree, because a resumed run cannot detect them
        // again.
        let detected =
            cx.once("changes", detect_changes(run.mode, explorer, code.clone(), memory.clone())).await?;
        let (mode, found) = (run.mode, detected.clone());
        tokio::task::spawn_blocking(move || prepare_memory(mode, &memory, &code, &found))
            .await?
            .map_err(storage_error)?;
        if run.mode == Mode::Update {
            let changed = list_changed_files(&detected, &resources.memory);
            let planned = open_tasks(&resources.memory, &changed.files);
            resources
                .session
                .update(cx.thread(), |session| {
                    session.run.changed = Some(changed.clone());
                    session.run.planned = Some(planned.clone());
                })
                .map_err(storage_error)?;
            update = update.changed(Some(changed)).planned(Some(planned));
        }
    }
    store_facts(resources).await?;
    resources
        .session
        .update(cx.thread(), |session| session.run.settings = settings)
        .map_err(storage_error)?;
    Ok(update)
}

/// Selects the facts of the repository that the documents quote, and stores them in the agent's memory. Not
/// journaled, because a second selection from the same tree is equal, and a selection may have megabytes.
/// Recorded on the tape, like all reads of the repository, so that a replay gives the same documents.
async fn store_facts(resources: &RunResources) -> Result<(), NodeError> {
    let code = resources.code.clone();
    let selecting = async move { Ok(tokio::task::spawn_blocking(move || select(&code)).await?) };
    let failed = |error| NodeError::from(ModelError::new(resources.model.name(), error));
    let facts: SelectedFacts =
        resources.tape.effect("facts", serde_json::Value::Null, failed, selecting).await?;
    resources.memory.set_facts(facts).map_err(storage_error)
}

/// Counts the files of the repository, for adaptive budgets, which grow with this number (DOC-48).
async fn count_files(code: Arc<CodeBase>) -> Result<usize, NodeError> {
    let walked = tokio::task::spawn_blocking(move || {
        code.files().walk(crate::repo::WalkLimits::default()).files.len()
    });
    Ok(walked.await?)
}

/// Result of the comparison of the repository with the agent's memory at the start of an update: changed
/// files, affected components and removed items. Empty in a full run. Kept in the journal of the node.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct DetectedChanges {
    changes: Changes,
    affected: AffectedComponents,
    gone: Removals,
    /// Changed files that concern the architecture; `None` if it is not explored again.
    of_architecture: Option<Vec<String>>,
}

impl DetectedChanges {
    /// Returns all new, changed, deleted and moved paths; of a moved file both the old and the new one.
    fn paths(&self) -> impl Iterator<Item = &String> {
        let Changes { changed, new, deleted, moved, .. } = &self.changes;
        changed.iter().chain(new).chain(deleted).chain(moved.iter().flat_map(|(from, to)| [from, to]))
    }
}

/// Compares the repository with the file tree in the agent's memory. Returns the empty default in a full run,
/// which explores everything anyway.
async fn detect_changes(
    mode: Mode,
    explorer: Explorer,
    code: Arc<CodeBase>,
    memory: Arc<Memory>,
) -> Result<DetectedChanges, NodeError> {
    if mode == Mode::Full {
        return Ok(DetectedChanges::default());
    }
    let compare = move || {
        let changes = memory.changed_files(&code);
        let affected = memory.affected_components(&changes);
        let moved = changes.moved.iter().map(|(from, _)| from);
        let files = changes.deleted.iter().chain(moved).cloned().collect();
        let components = affected.components.iter().filter(|id| is_gone(&memory, &code, id)).cloned();
        let gone = Removals::new(files, components.collect());
        let of_architecture = architecture_changes(&memory, &changes, &affected, explorer);
        DetectedChanges { changes, affected, gone, of_architecture }
    };
    Ok(tokio::task::spawn_blocking(compare).await?)
}

/// Returns true if the component has paths in the agent's memory and none of them exists any more.
fn is_gone(memory: &Memory, code: &CodeBase, id: &str) -> bool {
    let is_there =
        |path: &String| code.files().path(Path::new(path)).is_ok_and(|path| path.absolute().exists());
    let paths = super::components::component_paths(memory, id);
    !paths.is_empty() && !paths.iter().any(is_there)
}

/// Changes the agent's memory for the run. A full run marks all components as unexplored. An update forgets
/// removed files and components and the notes on changed files, and marks the affected components as
/// unexplored. Both store the current file tree for the next comparison. Idempotent.
fn prepare_memory(
    mode: Mode,
    memory: &Memory,
    code: &CodeBase,
    found: &DetectedChanges,
) -> Result<(), MemoryError> {
    match mode {
        Mode::Full => {
            for id in memory.index().components_explored {
                memory.reopen(&id)?;
            }
        }
        Mode::Update => {
            memory.forget_removed(&found.gone)?;
            memory.forget_notes_on(&found.changes.changed)?;
            if found.of_architecture.is_some() {
                // Stored so that the next update explores the architecture if this one is interrupted.
                memory.set_phase(Phase::ArchitectureDiscovery.as_str(), "pending")?;
            }
            for id in &found.affected.components {
                if memory.get(EntryType::Component, id).is_some() {
                    memory.reopen(id)?;
                }
            }
        }
    }
    memory.remember_tree(code)
}

/// Builds the state's list of changes: all changed paths, sorted and each once; those outside all components;
/// those that concern the architecture; and the paths of the components before the update.
fn list_changed_files(found: &DetectedChanges, memory: &Memory) -> ChangedFiles {
    let mut files: Vec<String> = found.paths().cloned().collect();
    files.sort();
    files.dedup();
    let overview = memory.entries::<ArchitectureOverview>().pop();
    ChangedFiles {
        files,
        without_component: found.affected.outside.iter().cloned().collect(),
        of_architecture: found.of_architecture.clone(),
        boundaries: overview.map(|overview| overview.component_boundaries).unwrap_or_default(),
    }
}
