//! What an update explores again (DOC-90, DOC-91): the architecture, where a change concerns the whole; the components that hold what
//! changed, and those that came with a new look at the whole. Asks no model.

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

/// Who is asked to look again, and so what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Explorer {
    /// Rules, for nothing.
    Rules,
    /// A model.
    Model,
}

/// Which changes concern the whole, if any do: new source files that no component holds, and manifests that the overview was made from.
/// Rules count files, so for them every file that came or went does. Nothing in the list, but a list, where an earlier run was to look
/// and did not come to it.
pub(super) fn architecture_changes(
    memory: &Memory,
    changes: &Changes,
    affected: &AffectedComponents,
    asked: Explorer,
) -> Option<Vec<String>> {
    let overview = memory.entries::<ArchitectureOverview>().pop();
    let made_of = |path: &str| overview.iter().any(|it| it.verified_by_files.iter().any(|file| file == path));
    let came = || changes.new.iter().chain(changes.moved.iter().map(|(_, to)| to));
    let went = || changes.deleted.iter().chain(changes.moved.iter().map(|(from, _)| from));
    let homeless =
        came().filter(|path| affected.outside.contains(*path) && (is_source(path) || is_manifest_path(path)));
    let told = changes.changed.iter().chain(went()).filter(|path| is_manifest_path(path) && made_of(path));
    let counted = came().chain(went()).filter(|path| asked == Explorer::Rules && is_source(path));
    let found: BTreeSet<String> = homeless.chain(told).chain(counted).cloned().collect();
    let is_open = overview.is_none() || was_interrupted(memory);
    (is_open || !found.is_empty()).then(|| found.into_iter().collect())
}

fn is_source(path: &str) -> bool {
    Language::of_path(path).is_some()
}

fn is_manifest_path(path: &str) -> bool {
    is_manifest(path.rsplit('/').next().unwrap_or(path))
}

/// Whether the architecture was to be explored and that did not end.
fn was_interrupted(memory: &Memory) -> bool {
    let progress = memory.index().phase_progress;
    let status = progress.get(Phase::ArchitectureDiscovery.as_str()).and_then(|status| status.as_str());
    matches!(status, Some("pending" | "in_progress"))
}

/// The components that are not explored, in order, with what changed in them (DOC-127).
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

/// Opens the components that a new look at the whole concerns: those that are new or cut otherwise, and those that hold what changed.
/// One that is not named any more, and whose place others have, is forgotten. Done again, it changes nothing more.
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
    let AffectedComponents { components, outside } = memory.affected(&files);
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

/// Whether components of these boundaries lie where the paths are.
fn overlap_boundaries(paths: &[String], boundaries: &BTreeMap<String, Vec<String>>) -> bool {
    let within = |inner: &str, outer: &str| outer == "." || Path::new(inner).starts_with(outer);
    let meet = |path: &String, other: &String| within(path, other) || within(other, path);
    paths.iter().any(|path| boundaries.values().flatten().any(|other| meet(path, other)))
}
