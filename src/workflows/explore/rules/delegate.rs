//! The parts of a scope that become children: folders and modules with enough code of the product. Not tests, examples, generated or
//! vendored code.

use std::collections::BTreeMap;

use super::index::FindingIndex;
use crate::facts::PathRole;
use crate::workflows::explore::agents::AgentView;
use crate::workflows::survey::quoted::path_span;

/// A part of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScopePart {
    /// Path of the folder or of the module.
    pub(super) path: String,
    /// Number of its source files of the product.
    pub(super) files: usize,
    pub(super) bytes: u64,
}

/// Maximum of children of an agent.
const CHILDREN: usize = 20;
/// A scope with fewer files and fewer bytes than these is explored by one agent.
const WHOLE_FILES: usize = 10;
const WHOLE_BYTES: u64 = 60_000;
/// A part with fewer files than these and less than this is explored with its scope; so is one with hardly any code.
const PART_FILES: usize = 3;
const PART_BYTES: u64 = 24_000;
const LEAST_BYTES: u64 = 4_000;
/// Share of the bytes, in percent, with which a folder is looked into rather than delegated.
const HEAVY: u64 = 80;

/// Returns the parts that an agent delegates, in order of their paths.
pub(super) fn parts_of(view: &AgentView<'_>) -> Vec<ScopePart> {
    if view.depth >= view.max_depth {
        return Vec::new();
    }
    let most = CHILDREN.min(view.agents_left as usize);
    cut(view.findings, &view.scope.path, most)
}

/// Returns at most `most` parts of a scope, the largest of them, in order of their paths.
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
    pub(super) fn of(index: &FindingIndex, path: &str) -> Self {
        let of_product = index.files_below(path).filter(|(_, file)| file.role == PathRole::Runtime);
        let (files, bytes) =
            of_product.fold((0, 0), |(files, bytes), (_, file)| (files + 1, bytes + file.bytes));
        Self { path: path.to_owned(), files, bytes }
    }

    fn is_folder(&self, index: &FindingIndex) -> bool {
        let folder = format!("{}/", self.path);
        index.files_below(&self.path).any(|(path, _)| path.starts_with(&folder))
    }

    /// Returns the path as a reader finds it: the file of a module that is one file, the folder, or a pattern of files beside one another.
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

/// Returns the folders and modules directly in a scope. A folder and a file of one name are one module.
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

/// Returns the position of a folder that is looked into: around nearly everything, such as `src`, or without files of its own, such as
/// `packages`. A project is a part.
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
