//! What changed in the repository since it was explored (DOC-89, 90), and whom it concerns (DOC-91, 127): the files that are described by
//! the hash they had then, all others by the tree as it was remembered.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::store::Memory;
use super::types::{ArchitectureOverview, ComponentSummary, FileRole};
use crate::repo::{Changes, CodeBase, ContentHash, Files, Snapshot, WalkLimits, unread};

/// The files of a repository at a moment: `tree.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositoryTree {
    /// The hash of each file, by its path.
    pub files: Snapshot,
    /// What of the repository is not read, and why; as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Whom changes concern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffectedComponents {
    /// The components that hold what changed, by id.
    pub components: BTreeSet<String>,
    /// Changed paths that no component holds, in order.
    pub outside: BTreeSet<String>,
}

impl RepositoryTree {
    /// The files of a code base as they are now.
    pub fn of(code: &CodeBase) -> Self {
        let files = code.files();
        Self { files: Snapshot::of(&**files, &files.walk(WalkLimits::default())), left_out: Vec::new() }
    }
}

impl Memory {
    /// Remembers the tree as it is now. To be called when an exploration begins, after [`changed_files`](Self::changed_files): what
    /// changes later is then found the next time.
    pub fn remember_tree(&self, code: &CodeBase) -> Result<(), MemoryError> {
        let (files, tree) = (code.files(), RepositoryTree::of(code));
        let tree = RepositoryTree { left_out: unread(&**files, &files.walk(WalkLimits::default())), ..tree };
        if self.tree().as_ref() != Some(&tree) {
            self.folder().write_tree(&tree)?;
            self.set_tree(tree);
        }
        Ok(())
    }

    /// What of the repository was not read when the exploration began, and why: a sentence for each reason (DOC-32).
    pub fn left_out(&self) -> Vec<String> {
        self.tree().unwrap_or_default().left_out
    }

    /// What is different from what the memory says (DOC-90): described files by their hashes; if a tree is remembered, all other files
    /// too, and files that are new.
    pub fn changed_files(&self, code: &CodeBase) -> Changes {
        let files = &**code.files();
        let described = self.entries::<FileRole>();
        let described = described.into_iter().filter_map(|file| Some((file.file_path, file.last_read_hash?)));
        let described: Vec<(String, ContentHash)> = described.collect();
        let tree = self.tree();
        let mut now = if tree.is_some() { RepositoryTree::of(code).files } else { Snapshot::default() };
        for (path, _) in &described {
            // A file may be described that a walk leaves out.
            if let Some(hash) = hash_file(files, path) {
                now.0.insert(path.clone(), hash);
            }
        }
        let mut before = tree.unwrap_or_default().files;
        before.0.extend(described);
        before.changes_to(&now)
    }

    /// The components that hold what changed: by what is said of the file itself, else by the innermost folder that is some
    /// component's, else by the files that components name.
    pub fn affected(&self, changes: &Changes) -> AffectedComponents {
        let moved = changes.moved.iter().flat_map(|(from, to)| [from, to]);
        let paths = changes.changed.iter().chain(&changes.new).chain(&changes.deleted).chain(moved);
        let locator = ComponentLocator::of(self);
        let mut affected = AffectedComponents::default();
        for path in paths {
            let found = locator.components_of(path);
            if found.is_empty() {
                affected.outside.insert(path.clone());
            }
            affected.components.extend(found);
        }
        affected
    }
}

fn hash_file(files: &dyn Files, path: &str) -> Option<ContentHash> {
    ContentHash::of_file(files, &files.path(Path::new(path)).ok()?).ok()
}

/// What says which component a path belongs to.
struct ComponentLocator {
    files: Vec<FileRole>,
    components: Vec<ComponentSummary>,
    /// MemoryFolder or file, and its component.
    places: Vec<(String, String)>,
}

impl ComponentLocator {
    fn of(memory: &Memory) -> Self {
        let components = memory.entries::<ComponentSummary>();
        let roots = components.iter().filter(|component| !component.root_path.is_empty());
        let mut places: Vec<(String, String)> =
            roots.map(|component| (component.root_path.clone(), component.component_id.clone())).collect();
        for overview in memory.entries::<ArchitectureOverview>() {
            let bounds = overview.component_boundaries.into_iter();
            places
                .extend(bounds.flat_map(|(id, paths)| paths.into_iter().map(move |path| (path, id.clone()))));
        }
        Self { files: memory.entries(), components, places }
    }

    fn components_of(&self, path: &str) -> BTreeSet<String> {
        let said = self.files.iter().find(|file| file.file_path == path).map(|file| &file.component);
        if let Some(id) =
            said.filter(|id| self.components.iter().any(|component| component.component_id == **id))
        {
            return BTreeSet::from([id.clone()]);
        }
        let around: Vec<_> =
            self.places.iter().filter_map(|(place, id)| Some((nesting_depth(place, path)?, id))).collect();
        if let Some(innermost) = around.iter().map(|(depth, _)| *depth).max() {
            return around
                .into_iter()
                .filter(|(depth, _)| *depth == innermost)
                .map(|(_, id)| id.clone())
                .collect();
        }
        let names = |component: &&ComponentSummary| {
            component.key_files.iter().chain(&component.explored_files).any(|file| file == path)
        };
        self.components.iter().filter(names).map(|component| component.component_id.clone()).collect()
    }
}

/// How deep `place` is, if `path` lies in it.
fn nesting_depth(place: &str, path: &str) -> Option<usize> {
    if place == "." {
        return Some(0);
    }
    Path::new(path).starts_with(place).then(|| Path::new(place).components().count())
}
