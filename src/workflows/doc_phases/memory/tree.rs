//! Detects changes of the repository since its exploration (DOC-89, 90) and the affected components (DOC-91, 127): described files
//! by their stored hashes, all others by the remembered tree.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::store::Memory;
use super::types::{ArchitectureOverview, ComponentSummary, FileRole};
use crate::repo::{Changes, CodeBase, ContentHash, Files, TreeSnapshot, WalkLimits, unread};

/// Hashes of all files of a repository at the start of a run; the content of `tree.json`. The next update
/// compares the repository with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositoryTree {
    /// Hash of each file, by path.
    pub files: TreeSnapshot,
    /// Parts of the repository that were not read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Components that contain changed files, and changed files that are in none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffectedComponents {
    /// Ids of the components that contain changed files.
    pub components: BTreeSet<String>,
    /// Changed paths outside all components, in order.
    pub outside: BTreeSet<String>,
}

impl RepositoryTree {
    /// Hashes the current files of a code base. `left_out` stays empty.
    pub fn of(code: &CodeBase) -> Self {
        let files = code.files();
        Self { files: TreeSnapshot::of(&**files, &files.walk(WalkLimits::default())), left_out: Vec::new() }
    }
}

impl Memory {
    /// Hashes the current files and stores them as the tree for the next comparison. Call it at the start of
    /// a run, after [`changed_files`](Self::changed_files), so that the next run finds later changes.
    pub fn remember_tree(&self, code: &CodeBase) -> Result<(), MemoryError> {
        let (files, tree) = (code.files(), RepositoryTree::of(code));
        let tree = RepositoryTree { left_out: unread(&**files, &files.walk(WalkLimits::default())), ..tree };
        if self.tree().as_ref() != Some(&tree) {
            self.folder().write_tree(&tree)?;
            self.set_tree(tree);
        }
        Ok(())
    }

    /// Returns the files and folders that were not read when the tree was stored, each with the reason
    /// (DOC-32).
    pub fn left_out(&self) -> Vec<String> {
        self.tree().unwrap_or_default().left_out
    }

    /// Returns the number of files in the stored tree; 0 without one.
    pub fn seen_files(&self) -> usize {
        self.tree().unwrap_or_default().files.0.len()
    }

    /// Returns the paths of the files in the stored tree, sorted; none without one.
    pub fn seen_paths(&self) -> Vec<String> {
        self.tree().unwrap_or_default().files.0.into_keys().collect()
    }

    /// Compares the repository with the agent's memory (DOC-90): files that have an entry by the hash in it
    /// and, if a tree is stored, all other files by the tree. Without a tree, new files are not found.
    pub fn changed_files(&self, code: &CodeBase) -> Changes {
        let files = &**code.files();
        let described = self.entries::<FileRole>();
        let described = described.into_iter().filter_map(|file| Some((file.file_path, file.last_read_hash?)));
        let described: Vec<(String, ContentHash)> = described.collect();
        let tree = self.tree();
        let mut now = if tree.is_some() { RepositoryTree::of(code).files } else { TreeSnapshot::default() };
        for (path, _) in &described {
            // Hashed separately because a described file may be a file that the walk skips.
            if let Some(hash) = hash_file(files, path) {
                now.0.insert(path.clone(), hash);
            }
        }
        let mut before = tree.unwrap_or_default().files;
        before.0.extend(described);
        before.changes_to(&now)
    }

    /// Returns the components that contain changed files: the component in the file's own entry, else the
    /// innermost component whose folder contains the file, else those whose entries name the file.
    pub fn affected_components(&self, changes: &Changes) -> AffectedComponents {
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

/// Lookup from the path of a file to its components, filled from the entries in the agent's memory.
struct ComponentLocator {
    files: Vec<FileRole>,
    components: Vec<ComponentSummary>,
    /// Folder or file, with its component.
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

/// Returns the number of path components of the folder or file `place` if it is or contains `path`, else
/// `None`. `.` contains every path, with depth 0.
fn nesting_depth(place: &str, path: &str) -> Option<usize> {
    if place == "." {
        return Some(0);
    }
    Path::new(path).starts_with(place).then(|| Path::new(place).components().count())
}
