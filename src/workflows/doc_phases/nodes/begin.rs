//! Opens the session: says what an update has to explore, and remembers the tree that the run sees (DOC-17, DOC-90, DOC-91).

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::again::{Asked, of_architecture, open_tasks};
use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::repo::{Changes, CodeBase};
use crate::workflows::doc_phases::input::Mode;
use crate::workflows::doc_phases::memory::{
    Affected, ArchitectureOverview, EntryType, Gone, Memory, MemoryError,
};
use crate::workflows::doc_phases::phase::Phase;
use crate::workflows::doc_phases::progress::Status;
use crate::workflows::doc_phases::services::{DOCUMENTATION, Services, kept};
use crate::workflows::doc_phases::state::{ChangedFiles, Documentation, DocumentationUpdate};

/// From so many files on it is told that they are looked at: that takes seconds.
const MANY_FILES: usize = 5_000;

pub(in super::super) async fn begin(
    run: &Documentation,
    cx: &Cx<Services>,
) -> NodeResult<DocumentationUpdate> {
    let work = cx.services().work()?;
    work.book.change(cx.thread(), |_| {}).map_err(kept)?;
    // Where nothing can be written, no model is asked.
    work.root.path(DOCUMENTATION)?;
    let (code, memory) = (work.code.clone(), work.memory.clone());
    let known = !run.phases.is_empty();
    let files = cx.once("files", counted(code.clone())).await?;
    let mut settings = run.settings.clone();
    settings.budgets = settings.budgets.for_files(files);
    let mut update = Documentation::update().settings(settings.clone());
    if !known {
        if files >= MANY_FILES {
            cx.emit(Status::NAME, &Status::Looking { files })?;
        }
        let asked = if work.is_rules() { Asked::Rules } else { Asked::Model };
        // What was looked at is written down before memory forgets how it was.
        let seen = cx.once("changes", seen(run.mode, asked, code.clone(), memory.clone())).await?;
        let (mode, found) = (run.mode, seen.clone());
        tokio::task::spawn_blocking(move || made_ready(mode, &memory, &code, &found)).await?.map_err(kept)?;
        if run.mode == Mode::Update {
            let different = changed_files(&seen, &work.memory);
            let planned = open_tasks(&work.memory, &different.files);
            work.book
                .change(cx.thread(), |session| {
                    session.run.changed = Some(different.clone());
                    session.run.planned = Some(planned.clone());
                })
                .map_err(kept)?;
            update = update.changed(Some(different)).planned(Some(planned));
        }
    }
    work.book.change(cx.thread(), |session| session.run.settings = settings).map_err(kept)?;
    Ok(update)
}

/// How many files there are, for budgets that grow with them (DOC-48).
async fn counted(code: Arc<CodeBase>) -> Result<usize, NodeError> {
    let walked = tokio::task::spawn_blocking(move || {
        code.files().walk(crate::repo::WalkLimits::default()).files.len()
    });
    Ok(walked.await?)
}

/// What is different from what memory says, whom it concerns, and what is no more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Different {
    changes: Changes,
    affected: Affected,
    gone: Gone,
    /// What concerns the whole, if the architecture is to be explored again.
    of_architecture: Option<Vec<String>>,
}

impl Different {
    /// All paths, those of moved files twice.
    fn paths(&self) -> impl Iterator<Item = &String> {
        let Changes { changed, new, deleted, moved, .. } = &self.changes;
        changed.iter().chain(new).chain(deleted).chain(moved.iter().flat_map(|(from, to)| [from, to]))
    }
}

/// What is different; of no interest to a run that explores everything.
async fn seen(
    mode: Mode,
    asked: Asked,
    code: Arc<CodeBase>,
    memory: Arc<Memory>,
) -> Result<Different, NodeError> {
    if mode == Mode::Full {
        return Ok(Different::default());
    }
    let look = move || {
        let changes = memory.changed_files(&code);
        let affected = memory.affected(&changes);
        let moved = changes.moved.iter().map(|(from, _)| from);
        let files = changes.deleted.iter().chain(moved).cloned().collect();
        let components = affected.components.iter().filter(|id| is_gone(&memory, &code, id)).cloned();
        let gone = Gone::new(files, components.collect());
        let of_architecture = of_architecture(&memory, &changes, &affected, asked);
        Different { changes, affected, gone, of_architecture }
    };
    Ok(tokio::task::spawn_blocking(look).await?)
}

/// Whether nothing is left of where a component was.
fn is_gone(memory: &Memory, code: &CodeBase, id: &str) -> bool {
    let is_there =
        |path: &String| code.files().path(Path::new(path)).is_ok_and(|path| path.absolute().exists());
    let paths = super::components::paths(memory, id);
    !paths.is_empty() && !paths.iter().any(is_there)
}

/// Opens the components that are to be explored again, forgets what is gone, and remembers the tree. Done again, it changes
/// nothing more.
fn made_ready(mode: Mode, memory: &Memory, code: &CodeBase, found: &Different) -> Result<(), MemoryError> {
    match mode {
        Mode::Full => {
            for id in memory.index().components_explored {
                memory.reopen(&id)?;
            }
        }
        Mode::Update => {
            memory.forget_gone(&found.gone)?;
            if found.of_architecture.is_some() {
                // So that another update comes back to it if this one is cut off.
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

/// All paths that are different, each once, in order.
fn changed_files(found: &Different, memory: &Memory) -> ChangedFiles {
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
