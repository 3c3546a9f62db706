//! Detects changes of the repository since its exploration (DOC-89, 90) and the affected components (DOC-91, 127): described files
//! by their stored hashes, all others by the remembered tree.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::MemoryError;
use super::store::Memory;
use super::types::{ArchitectureOverview, ComponentSummary, FileRole};
use crate::repo::{Changes, CodeBase, ContentHash, Files, TreeSnapshot, WalkLimits, unread};

/// File hashes of a repository at the start of an exploration; the content of `tree.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepositoryTree {
    /// Hash of each file, by path.
    pub files: TreeSnapshot,
    /// Parts of the repository that were not read, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Components affected by changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AffectedComponents {
    /// Ids of the components that contain changed files.
    pub components: BTreeSet<String>,
    /// Changed paths outside all components, in order.
    pub outside: BTreeSet<String>,
}

impl RepositoryTree {
    /// Hashes the current files of a code base.
    pub fn of(code: &CodeBase) -> Self {
        let files = code.files();
        Self { files: TreeSnapshot::of(&**files, &files.walk(WalkLimits::default())), left_out: Vec::new() }
    }
}

impl Memory {
    /// Stores the current tree. Call it when an exploration begins, after [`changed_files`](Self::changed_files), so that the
    /// next comparison finds later changes.
    pub fn remember_tree(&self, code: &CodeBase) -> Result<(), MemoryError> {
        let (files, tree) = (code.files(), RepositoryTree::of(code));
        let tree = RepositoryTree { left_out: unread(&**files, &files.walk(WalkLimits::default())), ..tree };
        if self.tree().as_ref() != Some(&tree) {
            self.folder().write_tree(&tree)?;
            self.set_tree(tree);
        }
        Ok(())
    }

    /// Returns the parts of the repository that were not read at the start of the exploration, each with the reason (DOC-32).
    pub fn left_out(&self) -> Vec<String> {
        self.tree().unwrap_or_default().left_out
    }

    /// Returns the number of files that the exploration saw.
    pub fn seen_files(&self) -> usize {
        self.tree().unwrap_or_default().files.0.len()
    }

    /// Returns the paths of the files that the exploration saw, in order.
    pub fn seen_paths(&self) -> Vec<String> {
        self.tree().unwrap_or_default().files.0.into_keys().collect()
    }

    /// Compares the repository with memory (DOC-90): described files by their hashes and, if a tree is remembered, all other
    /// and new files.
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

    /// Returns the components that contain changed files: by the file's own entry, else by the innermost component folder, else
    /// by the files that components name.
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

/// Lookup from a path to its components.
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

/// Returns the depth of `place` if `path` is in it.
fn nesting_depth(place: &str, path: &str) -> Option<usize> {
    if place == "." {
        return Some(0);
    }
    Path::new(path).starts_with(place).then(|| Path::new(place).components().count())
}
