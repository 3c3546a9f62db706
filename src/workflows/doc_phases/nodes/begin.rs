//! Opens the session: says what an update has to explore, and remembers the tree that the run sees (DOC-17, DOC-90, DOC-91).

use std::path::Path;
use std::sync::Arc;

use crate::engine::{Cx, NodeError, NodeResult, State as _};
use crate::repo::{Changes, CodeBase};
use crate::workflows::doc_phases::input::Mode;
use crate::workflows::doc_phases::memory::{Affected, ComponentSummary, EntryType, Memory, MemoryError};
use crate::workflows::doc_phases::phase::ComponentTask;
use crate::workflows::doc_phases::services::{Services, Work, kept};
use crate::workflows::doc_phases::state::{ChangedFiles, Documentation, DocumentationUpdate};

pub(in super::super) async fn begin(
    run: &Documentation,
    cx: &Cx<Services>,
) -> NodeResult<DocumentationUpdate> {
    let work = cx.services().work()?;
    work.book.change(cx.thread(), |_| {}).map_err(kept)?;
    let (code, memory) = (work.code.clone(), work.memory.clone());
    let known = !run.phases.is_empty();
    let files = cx.once("files", counted(code.clone())).await?;
    let mut settings = run.settings.clone();
    settings.budgets = settings.budgets.for_files(files);
    let mut update = Documentation::update().settings(settings.clone());
    if !known {
        // What was looked at is written down before memory forgets how it was.
        let seen = cx.once("changes", seen(run.mode, code.clone(), memory.clone())).await?;
        let (mode, changes) = (run.mode, seen.0.clone());
        tokio::task::spawn_blocking(move || made_ready(mode, &memory, &code, &changes))
            .await?
            .map_err(kept)?;
        if run.mode == Mode::Update {
            let different = changed_files(&seen.0, &seen.1);
            let planned = planned(work, &seen.0, &seen.1).map_err(kept)?;
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

/// What is different from what memory says, and whom it concerns; of no interest to a run that explores everything.
async fn seen(
    mode: Mode,
    code: Arc<CodeBase>,
    memory: Arc<Memory>,
) -> Result<(Changes, Affected), NodeError> {
    if mode == Mode::Full {
        return Ok((Changes::default(), Affected::default()));
    }
    let look = move || {
        let changes = memory.changed_files(&code);
        let affected = memory.affected(&changes);
        (changes, affected)
    };
    Ok(tokio::task::spawn_blocking(look).await?)
}

/// Opens the components that are to be explored again, forgets files that are gone, and remembers the tree. Done again, it changes
/// nothing more.
fn made_ready(mode: Mode, memory: &Memory, code: &CodeBase, changes: &Changes) -> Result<(), MemoryError> {
    match mode {
        Mode::Full => {
            for id in memory.index().components_explored {
                memory.reopen(&id)?;
            }
        }
        Mode::Update => {
            for id in memory.affected(changes).components {
                if memory.get(EntryType::Component, &id).is_some() {
                    memory.reopen(&id)?;
                }
            }
            let moved = changes.moved.iter().map(|(from, _)| from);
            for path in changes.deleted.iter().chain(moved) {
                memory.forget(EntryType::File, path)?;
            }
        }
    }
    memory.remember_tree(code)
}

/// All paths that are different, each once, in order.
fn changed_files(changes: &Changes, affected: &Affected) -> ChangedFiles {
    let moved = changes.moved.iter().flat_map(|(from, to)| [from, to]);
    let all = changes.changed.iter().chain(&changes.new).chain(&changes.deleted).chain(moved);
    let mut files: Vec<String> = all.cloned().collect();
    files.sort();
    files.dedup();
    ChangedFiles { files, without_component: affected.outside.iter().cloned().collect() }
}

/// The components that hold what changed, and those that an earlier run did not come to (DOC-91, DOC-127). One whose files are all gone
/// is forgotten.
fn planned(work: &Work, changes: &Changes, affected: &Affected) -> Result<Vec<ComponentTask>, MemoryError> {
    let index = work.memory.index();
    let open = index.components_discovered.difference(&index.components_explored);
    let mut ids: Vec<&String> = affected.components.iter().chain(open).collect();
    ids.sort();
    ids.dedup();
    let mut tasks: Vec<ComponentTask> = Vec::new();
    for id in ids {
        let paths = super::components::paths(&work.memory, id);
        if !paths.is_empty() && paths.iter().all(|path| !is_there(work, path)) {
            work.memory.forget(EntryType::Component, id)?;
            continue;
        }
        let moved = changes.moved.iter().flat_map(|(from, to)| [from, to]);
        let all = changes.changed.iter().chain(&changes.new).chain(&changes.deleted).chain(moved);
        let mut its_own: Vec<String> = all.filter(|file| holds(work, id, &paths, file)).cloned().collect();
        its_own.sort();
        tasks.push(ComponentTask { id: id.clone(), paths, number: 0, of: 0, changed: its_own });
    }
    Ok(super::components::numbered(tasks))
}

fn holds(work: &Work, id: &str, paths: &[String], file: &str) -> bool {
    let below = |path: &String| path == "." || Path::new(file).starts_with(path);
    let entry = work.memory.get(EntryType::Component, id);
    let named = entry.and_then(|record| {
        let entry =
            <ComponentSummary as crate::workflows::doc_phases::memory::MemoryEntry>::of(&record.entry)?
                .clone();
        Some(entry.key_files.iter().chain(&entry.explored_files).any(|named| named == file))
    });
    paths.iter().any(below) || named.unwrap_or(false)
}

fn is_there(work: &Work, path: &str) -> bool {
    let files = work.code.files();
    files.path(Path::new(path)).is_ok_and(|path| path.absolute().exists())
}
