//! Selects the parts that an update explores again (DOC-90, DOC-91): the architecture, if a change concerns it; components that
//! contain changed files; and components that a new architecture adds or moves. Calls no model.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::components::{component_paths, number_tasks};
use crate::repo::{Changes, Language, is_manifest};
use crate::workflows::doc_phases::memory::{
    AffectedComponents, ArchitectureOverview, ComponentSummary, EntryType, Memory, MemoryEntry as _,
    MemoryError, Removals,
};
use crate::workflows::doc_phases::phase::{ComponentTask, Phase};
use crate::workflows::doc_phases::state::ChangedFiles;

/// Explorer of an update: the rules or a model. Decides how small a change makes the update explore the
/// architecture again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explorer {
    /// The offline rules, which cost nothing.
    Rules,
    /// A language model.
    Model,
}

/// Returns the changed files that concern the architecture: new source files and manifests outside all
/// components, and changed or removed manifests that the overview is based on; for rules, which count files,
/// also every added or removed source file. `None` if there is no such file and the architecture was explored
/// to its end.
pub(super) fn architecture_changes(
    memory: &Memory,
    changes: &Changes,
    affected: &AffectedComponents,
    explorer: Explorer,
) -> Option<Vec<String>> {
    let overview = memory.entries::<ArchitectureOverview>().pop();
    let is_basis =
        |path: &str| overview.iter().any(|it| it.verified_by_files.iter().any(|file| file == path));
    let added = || changes.new.iter().chain(changes.moved.iter().map(|(_, to)| to));
    let removed = || changes.deleted.iter().chain(changes.moved.iter().map(|(from, _)| from));
    let unassigned = added()
        .filter(|path| affected.outside.contains(*path) && (is_source(path) || is_manifest_path(path)));
    let manifests =
        changes.changed.iter().chain(removed()).filter(|path| is_manifest_path(path) && is_basis(path));
    let counted_sources =
        added().chain(removed()).filter(|path| explorer == Explorer::Rules && is_source(path));
    let found: BTreeSet<String> = unassigned.chain(manifests).chain(counted_sources).cloned().collect();
    let is_open = overview.is_none() || was_interrupted(memory);
    (is_open || !found.is_empty()).then(|| found.into_iter().collect())
}

fn is_source(path: &str) -> bool {
    Language::of_path(path).is_some()
}

fn is_manifest_path(path: &str) -> bool {
    is_manifest(path.rsplit('/').next().unwrap_or(path))
}

/// Returns true if the memory index says that phase A is pending or in progress: an earlier run did not
/// finish it.
fn was_interrupted(memory: &Memory) -> bool {
    let progress = memory.index().phase_progress;
    let status = progress.get(Phase::ArchitectureDiscovery.as_str()).and_then(|status| status.as_str());
    matches!(status, Some("pending" | "in_progress"))
}

/// Returns a numbered task for each unexplored component, by id, with those of the `changed` files that
/// belong to it (DOC-127).
pub(super) fn open_tasks(memory: &Memory, changed: &[String]) -> Vec<ComponentTask> {
    let index = memory.index();
    let open = index.components_discovered.difference(&index.components_explored);
    let task = |id: &String| {
        let paths = component_paths(memory, id);
        let own = changed.iter().filter(|file| component_holds(memory, id, &paths, file));
        ComponentTask { id: id.clone(), changed: own.cloned().collect(), paths, number: 0, of: 0 }
    };
    number_tasks(open.map(task).collect())
}

fn component_holds(memory: &Memory, id: &str, paths: &[String], file: &str) -> bool {
    let below = |path: &String| path == "." || Path::new(file).starts_with(path);
    let names = || {
        let record = memory.get(EntryType::Component, id)?;
        let entry = ComponentSummary::from_entry(&record.entry)?;
        Some(entry.key_files.iter().chain(&entry.explored_files).any(|named| named == file))
    };
    paths.iter().any(below) || names().unwrap_or(false)
}

/// Plans an update again after phase A has made a new architecture. Marks components as unexplored if their
/// paths changed or they contain changed files, and forgets components that are gone and covered by others.
/// Returns the tasks of all unexplored components, and `changed` without the files that now have a component.
/// Idempotent.
pub(super) fn replan(
    memory: &Memory,
    changed: &ChangedFiles,
) -> Result<(Vec<ComponentTask>, ChangedFiles), MemoryError> {
    let now = memory.entries::<ArchitectureOverview>().pop().unwrap_or_default().component_boundaries;
    let before = &changed.boundaries;
    let replaced =
        before.iter().filter(|(id, paths)| !now.contains_key(*id) && overlap_boundaries(paths, &now));
    let replaced: BTreeSet<String> = replaced.map(|(id, _)| id.clone()).collect();
    memory.forget_removed(&Removals::new(BTreeSet::new(), replaced))?;
    let files = Changes { changed: changed.files.clone(), ..Changes::default() };
    let AffectedComponents { components, outside } = memory.affected_components(&files);
    let recut = now.iter().filter(|(id, paths)| before.get(*id) != Some(*paths)).map(|(id, _)| id);
    for id in components.iter().chain(recut) {
        if memory.get(EntryType::Component, id).is_some() {
            memory.reopen(id)?;
        }
    }
    let mut changed = changed.clone();
    changed.without_component.retain(|file| outside.contains(file));
    Ok((open_tasks(memory, &changed.files), changed))
}

/// Returns true if one of `paths` is equal to, inside or around a path of one of the components in
/// `boundaries`.
fn overlap_boundaries(paths: &[String], boundaries: &BTreeMap<String, Vec<String>>) -> bool {
    let within = |inner: &str, outer: &str| outer == "." || Path::new(inner).starts_with(outer);
    let meet = |path: &String, other: &String| within(path, other) || within(other, path);
    paths.iter().any(|path| boundaries.values().flatten().any(|other| meet(path, other)))
}
