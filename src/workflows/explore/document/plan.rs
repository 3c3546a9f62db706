//! Step `plan` of a document: divides the repository into scopes, by the same rules as agents delegate,
//! and lists the files that no scope has.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::facts::PathRole;
use crate::workflows::explore::rules::FindingIndex;
use crate::workflows::survey::quoted::path_span;

/// Division of a repository into the scopes of a document, with the files outside of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentPlan {
    /// Each source file of the product is in exactly one of them.
    pub scopes: Vec<DocumentScope>,
    /// Files that no section covers, by folder and reason.
    pub uncovered: Vec<UncoveredFiles>,
    /// Number of folders that `uncovered` leaves out.
    #[serde(default)]
    pub more_uncovered: usize,
}

/// Folder or module that gets a section of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentScope {
    /// Path of the folder or module; empty for the files beside all others.
    pub path: String,
    /// Code span with the folder or file, as readers find it.
    pub title: String,
    /// Its files, without those of scopes inside it.
    pub files: Vec<String>,
}

/// Folder with files that no section covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncoveredFiles {
    /// The folder around them; empty for the root.
    pub folder: String,
    /// The use of the files, such as `tests`; `None` for files in no known language.
    pub role: Option<String>,
    /// True if the folder has files of the product too.
    #[serde(default)]
    pub has_product: bool,
}

/// Maximum number of scopes. Files of further parts stay in the scopes around them.
const SCOPES: usize = 120;
/// Maximum number of uncovered folders that the document lists.
const UNCOVERED: usize = 40;
/// Maximum number of scopes directly inside a scope.
const PARTS: usize = 20;

/// Divides a repository into scopes, down to `max_depth` levels below the root.
pub fn plan(index: &FindingIndex, max_depth: u32) -> DocumentPlan {
    let mut scopes = Vec::new();
    let mut waiting = vec![(String::new(), 0)];
    let mut planned = 1;
    // Outer scopes first, so that the limit costs depth rather than breadth.
    while !waiting.is_empty() {
        let mut next = Vec::new();
        for (path, depth) in waiting {
            let parts =
                if depth < max_depth { index.parts(&path, PARTS.min(SCOPES - planned)) } else { Vec::new() };
            planned += parts.len();
            let within: Vec<&str> = parts.iter().map(String::as_str).collect();
            let files: Vec<String> = index.product_files(&path, &within).map(str::to_owned).collect();
            if !files.is_empty() {
                let title =
                    if path.is_empty() { path_span(&common_folder(&files)) } else { index.title(&path) };
                scopes.push(DocumentScope { path, title, files });
            }
            next.extend(parts.into_iter().map(|part| (part, depth + 1)));
        }
        waiting = next;
    }
    scopes.sort_by(|a, b| a.path.cmp(&b.path));
    let mut uncovered = uncovered(index);
    let more_uncovered = uncovered.len().saturating_sub(UNCOVERED);
    uncovered.truncate(UNCOVERED);
    DocumentPlan { scopes, uncovered, more_uncovered }
}

/// Returns the folders with files outside of the product (tests, generated code, …), and the folders of
/// the root without source files.
fn uncovered(index: &FindingIndex) -> Vec<UncoveredFiles> {
    let product: BTreeSet<&str> = index.product_files("", &[]).flat_map(folders_of).collect();
    let mut found: BTreeSet<(&str, Option<&'static str>, bool)> = BTreeSet::new();
    for (path, role) in index.other_files() {
        // The outermost folder without code of the product: the name of a folder with both would say that its code is left out.
        let alone = folders_of(path).find(|folder| !product.contains(folder));
        let folder = alone.or_else(|| folders_of(path).last()).unwrap_or_default();
        found.insert((folder, Some(role_name(role)), alone.is_none()));
    }
    for folder in index.folders_without_source() {
        found.insert((folder, None, false));
    }
    let one = |(folder, role, has_product): (&str, Option<&str>, bool)| UncoveredFiles {
        folder: folder.to_owned(),
        role: role.map(str::to_owned),
        has_product,
    };
    found.into_iter().map(one).collect()
}

/// Returns the folders that contain a file, the outermost first.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn role_name(role: PathRole) -> &'static str {
    match role {
        PathRole::Runtime => "code",
        PathRole::Test => "tests",
        PathRole::Example => "examples",
        PathRole::Bench => "benchmarks",
        PathRole::Build => "build scripts",
        PathRole::Docs => "documentation",
        PathRole::Generated => "generated code",
        PathRole::Vendored => "code of others",
    }
}

/// Returns the innermost folder that has all of these files, with `/` at its end: `./` for the root.
fn common_folder(files: &[String]) -> String {
    let Some(first) = files.first() else { return "./".to_owned() };
    let mut folder = first.rsplit_once('/').map_or("", |(folder, _)| folder);
    while !files.iter().all(|path| folder.is_empty() || path.starts_with(&format!("{folder}/"))) {
        folder = folder.rsplit_once('/').map_or("", |(outer, _)| outer);
    }
    if folder.is_empty() { "./".to_owned() } else { format!("{folder}/") }
}
