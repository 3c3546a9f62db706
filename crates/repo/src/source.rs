//! Finds folders with the name of build output that hold source all the same (CTX-16): a module called `build`, or the `dist` of a package
//! that ships nothing else. Decides by the content of the folder, the conventions of languages and the files that a manifest names. Reads
//! manifests only.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::manifest::manifest;
use super::noise::noise;

/// Names of folders for build output or foreign code that can also be the name of a module. Other noise
/// folders never hold source code.
const AMBIGUOUS: &[&str] = &["build", "coverage", "dist", "env", "out", "target", "vendor"];
/// Extensions of source files.
const SOURCE: &[&str] = &[
    "c", "cc", "cjs", "coffee", "cpp", "cs", "cts", "cxx", "go", "java", "js", "jsx", "kt", "mjs", "mts",
    "php", "py", "rb", "rs", "scala", "svelte", "swift", "ts", "tsx", "vue",
];
/// Names of folders that usually hold source code.
const SOURCE_FOLDERS: &[&str] = &["app", "internal", "lib", "source", "src"];
/// Names of folders with tests, examples and the like, whose code does not count as the source of a package.
const SIDE: &[&str] = &[
    "__tests__",
    "bench",
    "benchmark",
    "benchmarks",
    "demo",
    "doc",
    "docs",
    "example",
    "examples",
    "perf",
    "script",
    "scripts",
    "spec",
    "test",
    "tests",
];
/// Manifests of projects that put their build output beside them.
const MANIFESTS: &[&str] = &[
    "CMakeLists.txt",
    "Cargo.toml",
    "build.gradle",
    "build.gradle.kts",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
];
/// Size in bytes below which a file counts as a stub that only re-exports code, unless it is in a folder for
/// source.
const STUB: u64 = 1024;
/// Maximum number of entries of a package that are searched for its source.
const LOOKED_AT: usize = 4_000;

/// The access to a tree that the decision about source folders needs. Implemented on disk and in memory. A
/// folder that cannot be read is empty.
pub(super) trait TreeView {
    /// Returns the files and folders in a folder, without links.
    fn names(&self, folder: &Path) -> Vec<FolderEntry>;

    /// Returns the text of a file; `None` if it cannot be read.
    fn text(&self, path: &Path) -> Option<String>;
}

/// An entry of a folder, as [`TreeView`] returns it: its name, and the size of a file.
pub(super) struct FolderEntry {
    pub(super) name: String,
    /// Size of a file; `None` for a folder. It may be 0 for a file that is no source.
    pub(super) bytes: Option<u64>,
}

/// Returns true if `folder`, whose name is that of build output, holds source code instead.
pub(super) fn holds_source(tree: &dyn TreeView, folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let (Some(name), Some(around)) = (name.filter(|name| AMBIGUOUS.contains(name)), folder.parent()) else {
        return false;
    };
    is_module(tree, folder, name, around) || is_entry(tree, folder, around)
}

/// Returns true if the folder is a module or package by the conventions of its language. `name` is its name,
/// `around` its parent folder.
fn is_module(tree: &dyn TreeView, folder: &Path, name: &str, around: &Path) -> bool {
    let inside = tree.names(folder);
    let has = |wanted: &str| inside.iter().any(|seen| seen.bytes.is_some() && seen.name == wanted);
    let holds = |wanted: &str| inside.iter().any(|seen| seen.bytes.is_some() && ending(&seen.name) == wanted);
    if has("mod.rs") || has("__init__.py") && name != "vendor" {
        return true;
    }
    let beside = tree.names(around);
    if holds("rs") && beside.iter().any(|seen| seen.name == format!("{name}.rs")) {
        return true;
    }
    let is_package = ["go", "java", "kt", "scala", "cs"].iter().any(|wanted| holds(wanted));
    let is_project = beside.iter().any(|seen| MANIFESTS.contains(&seen.name.as_str()));
    let is_source = inside.iter().any(|seen| seen.bytes.is_some() && is_source(&seen.name));
    let below_source =
        around.iter().any(|name| name.to_str().is_some_and(|name| SOURCE_FOLDERS.contains(&name)));
    // In the others, scripts are bundles.
    let is_word = matches!(name, "build" | "env" | "target");
    name != "vendor" && (is_package || is_word && is_source && below_source && !is_project)
}

/// Returns true if the nearest `package.json` names entry files in the folder, and the package has no source
/// elsewhere.
fn is_entry(tree: &dyn TreeView, folder: &Path, around: &Path) -> bool {
    for package in around.ancestors() {
        let Some(found) =
            tree.text(&package.join("package.json")).and_then(|text| manifest("package.json", &text))
        else {
            continue;
        };
        let begins = |entry: &String| package.join(entry.trim_start_matches("./")).starts_with(folder);
        return found.entry_points.iter().any(begins) && !stands_elsewhere(tree, package);
    }
    false
}

/// Returns true if a package has source outside of output folders and of tests, examples and the like. Also
/// true if it has too many entries to tell.
fn stands_elsewhere(tree: &dyn TreeView, package: &Path) -> bool {
    let mut waiting: VecDeque<PathBuf> = VecDeque::from([package.to_owned()]);
    let mut looked_at = 0;
    while let Some(folder) = waiting.pop_front() {
        let below = folder.strip_prefix(package).unwrap_or(Path::new(""));
        let for_source =
            below.iter().any(|name| name.to_str().is_some_and(|name| SOURCE_FOLDERS.contains(&name)));
        for seen in tree.names(&folder) {
            looked_at += 1;
            match seen.bytes {
                Some(bytes) if is_source(&seen.name) && (for_source || bytes >= STUB) => return true,
                None if !is_output(&seen.name) && !SIDE.contains(&seen.name.as_str()) => {
                    waiting.push_back(folder.join(&seen.name));
                }
                _ => {}
            }
        }
        if looked_at > LOOKED_AT {
            return true;
        }
    }
    false
}

/// Returns true for a noise folder, and for `build`, `dist` and `out` with a suffix, such as `dist-node`.
fn is_output(folder: &str) -> bool {
    let first = folder.split(['-', '_', '.']).next().unwrap_or(folder);
    noise(folder.as_ref()).is_some() || matches!(first, "build" | "dist" | "out")
}

/// Returns true if a file of this name is program code, and not a declaration, a minified bundle, a test or a
/// build script.
pub(super) fn is_source(name: &str) -> bool {
    let name = name.to_lowercase();
    let aside = [".d.ts", ".d.mts", ".d.cts", ".min.js", ".min.cjs", ".min.mjs"];
    let helps = [".config.", ".test.", ".spec.", "gulpfile.", "gruntfile.", "karma.conf"];
    SOURCE.contains(&ending(&name))
        && !name.starts_with(['.', '_'])
        && !aside.iter().any(|end| name.ends_with(end))
        && !helps.iter().any(|part| name.contains(part))
        && !matches!(name.split('.').next(), Some("test" | "tests" | "setup" | "conftest"))
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
