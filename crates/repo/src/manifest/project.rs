//! A whole project: its manifests together, where it begins, what to read first (CTX-11, 14, 19, 58).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Manifest, ProjectType, is_manifest, manifest};
use crate::cut;
use crate::files::Files;
use crate::limit::{KEY_FILES, MANIFESTS, README_CHARS};
use crate::walk::{Walk, WalkedFile};

/// The facts about a whole project from its manifests and file names (CTX-58). [`project()`] makes it. Absent
/// values are written as null (CTX-66).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectMetadata {
    /// Name in its first manifest with one, or else the name of its folder.
    pub name: String,
    /// Path of the repository.
    pub path: String,
    /// The type with the highest precedence; `Unknown` without a manifest.
    pub project_type: ProjectType,
    /// The types of all its manifests, in order of precedence (CTX-14).
    pub project_types: Vec<ProjectType>,
    /// The dependencies of all manifests: names with required versions; `*` if none is stated.
    pub dependencies: BTreeMap<String, String>,
    /// Files at which programs and libraries begin: those that manifests name, as paths if they exist, and
    /// files with usual names such as `main.rs`.
    pub entry_points: Vec<String>,
    /// The files to read first: manifests, then entry points, then other files of the root; at most [`KEY_FILES`].
    pub key_files: Vec<String>,
    /// The beginning of the README at the root; `None` without one.
    pub readme_content: Option<String>,
    /// The manifests, outermost first; at most [`MANIFESTS`].
    pub manifests: Vec<Manifest>,
}

/// Reads the manifests and the README of a walked tree, and returns the facts about the project.
pub fn project(files: &dyn Files, walk: &Walk) -> ProjectMetadata {
    let mut paths: Vec<(&WalkedFile, String)> =
        walk.files.iter().map(|file| (file, file.path.to_string())).collect();
    // Outer files speak for the whole; the walk's order decides between equals.
    paths.sort_by_key(|(_, path)| path.matches('/').count());
    let read = |(file, path): &(&WalkedFile, String)| manifest(path, &files.read_text(&file.path).ok()?);
    let mut manifests: Vec<Manifest> = paths
        .iter()
        .filter(|(_, path)| is_manifest(file_name(path)))
        .take(MANIFESTS)
        .filter_map(read)
        .collect();
    manifests.sort_by_key(|found| (found.path.matches('/').count(), found.project_type));
    let mut types: Vec<ProjectType> = manifests.iter().map(|found| found.project_type).collect();
    types.sort();
    types.dedup();
    let readme = paths
        .iter()
        .find(|(_, path)| file_name(path).to_lowercase().starts_with("readme") && !path.contains('/'));
    let entry_points = entry_points(&manifests, &paths);
    let folder = files
        .repo_path()
        .file_name()
        .map_or_else(|| "repository".into(), |name| name.to_string_lossy().into_owned());
    ProjectMetadata {
        name: manifests.iter().find_map(|found| found.name.clone()).unwrap_or(folder),
        path: files.repo_path().display().to_string(),
        project_type: types.first().copied().unwrap_or(ProjectType::Unknown),
        project_types: types,
        dependencies: dependencies(&manifests),
        key_files: key_files(&manifests, &entry_points, &paths),
        entry_points,
        readme_content: readme
            .and_then(|(file, _)| Some(cut(&files.read_text(&file.path).ok()?, README_CHARS).to_string())),
        manifests,
    }
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn dependencies(manifests: &[Manifest]) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for needed in manifests.iter().flat_map(|found| &found.dependencies) {
        let version = needed.version.clone();
        let known: &mut String = all.entry(needed.name.clone()).or_insert_with(|| "*".into());
        if known == "*" {
            known.clone_from(&version.unwrap_or_else(|| "*".into()));
        }
    }
    all
}

/// File names at which a program or a library usually begins in its language.
const BEGINNINGS: &[&str] = &[
    "main.rs",
    "lib.rs",
    "__main__.py",
    "main.py",
    "app.py",
    "manage.py",
    "wsgi.py",
    "asgi.py",
    "cli.py",
    "main.go",
    "index.js",
    "index.ts",
    "index.tsx",
    "main.js",
    "main.ts",
    "main.tsx",
    "server.js",
    "server.ts",
    "app.js",
    "app.ts",
    "Main.java",
    "App.java",
    "Application.java",
    "Program.cs",
    "main.c",
    "main.cpp",
    "main.cc",
    "index.php",
    "main.rb",
    "main.sh",
];

/// Maximum number of folders above a file with such a name for it to count; Java files count at any depth.
const BEGINNING_DEPTH: usize = 4;

/// Returns the entry points that manifests name, as paths if the files exist, and then the files with usual
/// names such as `main.rs`, without tests.
#[allow(clippy::case_sensitive_file_extension_comparisons, reason = "the languages are strict about it")]
fn entry_points(manifests: &[Manifest], paths: &[(&WalkedFile, String)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for manifest in manifests {
        let folder = manifest.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for named in &manifest.entry_points {
            let joined = format!("{folder}/{}", named.trim_start_matches("./"));
            let joined = joined.trim_start_matches('/').to_owned();
            let exists = paths.iter().any(|(_, path)| *path == joined);
            found.push(if exists { joined } else { named.clone() });
        }
    }
    let is_test = |path: &str| {
        path.split('/').any(|part| matches!(part, "test" | "tests" | "fixtures" | "examples" | "benches"))
    };
    let begins = |path: &str| {
        let in_bin = path.contains("src/bin/") && path.ends_with(".rs");
        BEGINNINGS.contains(&file_name(path)) || in_bin || file_name(path).ends_with("Application.java")
    };
    let habits = paths.iter().map(|(_, path)| path).filter(|path| begins(path) && !is_test(path));
    let java = |path: &&String| path.ends_with(".java");
    found.extend(habits.filter(|path| path.matches('/').count() <= BEGINNING_DEPTH || java(path)).cloned());
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|path| seen.insert(path.clone()));
    found
}

/// Returns the files to read first: manifests, entry points, then a README and the like at the root; at most
/// [`KEY_FILES`].
fn key_files(
    manifests: &[Manifest],
    entry_points: &[String],
    paths: &[(&WalkedFile, String)],
) -> Vec<String> {
    let exists = |wanted: &&String| paths.iter().any(|(_, path)| path == *wanted);
    let at_top = paths.iter().map(|(_, path)| path).filter(|path| !path.contains('/'));
    let speaking = at_top.filter(|path| {
        let name = path.to_lowercase();
        ["readme", "architecture", "contributing", "dockerfile", "makefile", "docker-compose"]
            .iter()
            .any(|start| name.starts_with(start))
    });
    let all =
        manifests.iter().map(|found| &found.path).chain(entry_points.iter().filter(exists)).chain(speaking);
    let mut seen = std::collections::BTreeSet::new();
    all.filter(|path| seen.insert((*path).clone())).take(KEY_FILES).cloned().collect()
}
