//! Divides a scope into the parts that become children: folders and modules with enough code of the
//! product. Tests, examples, generated and vendored code do not count.

use std::collections::BTreeMap;

use super::index::FindingIndex;
use crate::facts::PathRole;
use crate::workflows::explore::agents::AgentView;
use crate::workflows::survey::quoted::path_span;

/// Part of a scope (a folder or module) that may become the scope of a child.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScopePart {
    /// Path of the folder or of the module.
    pub(super) path: String,
    /// Number of its source files of the product; `bytes` is their size.
    pub(super) files: usize,
    pub(super) bytes: u64,
}

/// Maximum number of children of an agent.
const CHILDREN: usize = 20;
/// A scope with fewer files than this and fewer bytes than `WHOLE_BYTES` is explored by one agent.
const WHOLE_FILES: usize = 10;
const WHOLE_BYTES: u64 = 60_000;
/// A part becomes a child if it has at least this many files and `LEAST_BYTES`, or at least
/// `PART_BYTES`.
const PART_FILES: usize = 3;
const PART_BYTES: u64 = 24_000;
const LEAST_BYTES: u64 = 4_000;
/// Share of a scope's bytes, in percent, from which on a folder is divided instead of delegated.
const HEAVY: u64 = 80;

/// Returns the parts that an agent delegates, sorted by path; empty at the depth limit.
pub(super) fn parts_of(view: &AgentView<'_>) -> Vec<ScopePart> {
    if view.depth >= view.max_depth {
        return Vec::new();
    }
    let most = CHILDREN.min(view.agents_left as usize);
    cut(view.findings, &view.scope.path, most)
}

/// Divides the scope at a path into at most `most` parts, the largest ones, sorted by path. Empty for a
/// small scope.
pub(super) fn cut(index: &FindingIndex, scope: &str, most: usize) -> Vec<ScopePart> {
    let whole = ScopePart::of(index, scope);
    if whole.files < 2 || whole.files < WHOLE_FILES && whole.bytes < WHOLE_BYTES {
        return Vec::new();
    }
    let mut parts = children(index, scope);
    while let Some(outer) = outer(index, &parts, whole.bytes) {
        let part = parts.swap_remove(outer);
        parts.extend(children(index, &part.path));
    }
    let is_enough =
        |part: &ScopePart| part.files >= PART_FILES && part.bytes >= LEAST_BYTES || part.bytes >= PART_BYTES;
    parts.retain(|part| is_enough(part) && part.path != scope && part.files < whole.files);
    parts.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    parts.truncate(most);
    parts.sort_by(|a, b| a.path.cmp(&b.path));
    parts
}

impl ScopePart {
    /// Returns the part at a path, with the number and size of its source files.
    pub(super) fn of(index: &FindingIndex, path: &str) -> Self {
        let of_product = index.files_below(path).filter(|(_, file)| file.role == PathRole::Runtime);
        let (files, bytes) =
            of_product.fold((0, 0), |(files, bytes), (_, file)| (files + 1, bytes + file.bytes));
        Self { path: path.to_owned(), files, bytes }
    }

    /// Returns true if the part has files in a folder at its path.
    fn is_folder(&self, index: &FindingIndex) -> bool {
        let folder = format!("{}/", self.path);
        index.files_below(&self.path).any(|(path, _)| path.starts_with(&folder))
    }

    /// Returns the path as a code span for readers: the file of a one-file module, the folder with `/`,
    /// or a pattern `src/parser.*` of files.
    pub(super) fn span(&self, index: &FindingIndex) -> String {
        let mut of_product = index.files_below(&self.path).filter(|(_, file)| file.role == PathRole::Runtime);
        let first = of_product.next().map(|(path, _)| path.as_str());
        match first.filter(|_| self.files == 1) {
            Some(file) => path_span(file),
            None if self.is_folder(index) => path_span(&format!("{}/", self.path)),
            None => path_span(&format!("{}.*", self.path)),
        }
    }
}

/// Returns the folders and modules directly in a scope. A folder and a file with the same name are one
/// module.
fn children(index: &FindingIndex, scope: &str) -> Vec<ScopePart> {
    let mut found: BTreeMap<String, ScopePart> = BTreeMap::new();
    for (path, file) in index.files_below(scope).filter(|(_, file)| file.role == PathRole::Runtime) {
        let rest = if scope.is_empty() { path.as_str() } else { path[scope.len()..].trim_start_matches('/') };
        let name = match rest.split_once('/') {
            Some((folder, _)) => folder,
            None => rest.split('.').next().unwrap_or(rest),
        };
        // A file of a module beside its folder, such as `parser.rs` of `parser`, and hidden files are no parts.
        if name.is_empty() {
            continue;
        }
        let path = if scope.is_empty() { name.to_owned() } else { format!("{scope}/{name}") };
        let part = found.entry(path.clone()).or_insert(ScopePart { path, files: 0, bytes: 0 });
        part.files += 1;
        part.bytes += file.bytes;
    }
    found.into_values().collect()
}

/// Returns the position of a folder to divide instead of delegating it: a folder that contains nearly
/// everything, such as `src`, or has no files of its own, such as `packages`. A project is never
/// divided.
fn outer(index: &FindingIndex, parts: &[ScopePart], all: u64) -> Option<usize> {
    parts.iter().position(|part| {
        let is_heavy = part.bytes * 100 >= all * HEAVY;
        let is_project = index.projects.contains(&part.path);
        part.files > 1
            && !is_project
            && (is_heavy || parts.len() <= CHILDREN && !has_own_files(index, &part.path))
    })
}

/// Returns true if source files of the product are directly in a folder, or beside it with its name.
fn has_own_files(index: &FindingIndex, folder: &str) -> bool {
    let depth = folder.matches('/').count() + 1;
    let mut of_product = index.files_below(folder).filter(|(_, file)| file.role == PathRole::Runtime);
    of_product.any(|(path, _)| path.matches('/').count() <= depth)
}
