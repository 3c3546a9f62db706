//! Finds the targets of Go modules: every folder is a package, and packages called `main` are programs.
//! Folders that Go ignores, tests and examples are no programs.

use std::collections::BTreeMap;

use stategraph_repo::ProjectType;

use super::{Targets, built, prefix};
use crate::collect::Texts;
use crate::fact::{PathRole, SourceLines, TargetKind};
use crate::projects::folder_of;
use crate::projects::group::ManifestGroup;
use crate::role::role_of;

/// Maximum number of folders of a module that are read.
const FOLDERS: usize = 4_000;
/// Maximum number of files of a folder that are read to find its package.
const FILES: usize = 12;

/// The Go package of a folder, with the file and the line, from 1, that show it.
struct GoPackage {
    name: String,
    file: String,
    line: usize,
}

/// Adds the build targets of a Go module (programs and the library) to `targets`; inner modules are left
/// out.
pub(super) fn find(group: &ManifestGroup, groups: &[ManifestGroup], texts: &Texts, targets: &mut Targets) {
    let prefix = prefix(&group.folder);
    let inner: Vec<String> = groups
        .iter()
        .filter(|it| {
            it.ecosystem == ProjectType::Go && it.folder.starts_with(&prefix) && it.folder != group.folder
        })
        .map(|it| format!("{}/", it.folder))
        .collect();
    let mut folders: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for path in texts.below(&prefix) {
        let is_source = path.ends_with(".go") && !path.ends_with("_test.go");
        if is_source && !inner.iter().any(|inner| path.starts_with(inner.as_str())) {
            folders.entry(folder_of(path)).or_default().push(path);
        }
    }
    let module = group.name().map(|(name, _)| name).unwrap_or_default();
    let names = built::names(&group.folder, texts);
    for (folder, files) in folders.into_iter().take(FOLDERS) {
        let own = if folder == group.folder {
            module_name(&module)
        } else {
            folder.rsplit('/').next().unwrap_or(folder)
        };
        let Some(package) = package(&files, own, texts) else { continue };
        let below = folder.strip_prefix(group.folder.as_str()).unwrap_or(folder).trim_start_matches('/');
        let entry = package.file.clone();
        add(below, folder, &module, package, targets);
        if let Some(built) = names.get(below) {
            targets.name_built(&entry, built);
        }
    }
}

/// Adds the build target of one Go package. `below` is its folder relative to the module.
fn add(below: &str, folder: &str, module: &str, package: GoPackage, targets: &mut Targets) {
    let role = role_of(&format!("{below}/x.go"));
    let source = SourceLines::line(&package.file, package.line);
    if package.name == "main" {
        let name =
            if below.is_empty() { module_name(module) } else { folder.rsplit('/').next().unwrap_or(folder) };
        let kind = match role {
            PathRole::Runtime => TargetKind::Program,
            PathRole::Example => TargetKind::Example,
            _ => return,
        };
        let is_test_help = below.split('/').any(|part| part == "internal") && below.contains("test");
        if !is_test_help {
            targets.add(kind, name, package.file, source);
        }
        return;
    }
    let is_public = role == PathRole::Runtime
        && !below.split('/').any(|part| matches!(part, "internal" | "cmd" | "mocks" | "mock"));
    if below.is_empty() {
        targets.add(TargetKind::Library, &package.name, package.file, source);
    } else if is_public {
        // A module whose root is a program is built, not imported.
        let has_root_program = targets.found.iter().any(|it| {
            it.kind == TargetKind::Program
                && folder_of(&it.entry)
                    == folder.strip_suffix(below).unwrap_or_default().trim_end_matches('/')
        });
        targets.is_library |= !has_root_program;
    }
}

/// Returns the last segment of a module path that is no version: `x.org/shop/v2` → `shop`.
fn module_name(module: &str) -> &str {
    let is_version = |part: &&str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    module.rsplit('/').find(|part| !is_version(part)).unwrap_or(module)
}

/// Returns the Go package to which the files of a folder belong. Files that no build includes are skipped.
/// A package `main` counts only if a file has the function `main`; that file is returned.
fn package(files: &[&String], own: &str, texts: &Texts) -> Option<GoPackage> {
    let mut first: Option<GoPackage> = None;
    let stem = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut ordered: Vec<&&String> = files.iter().collect();
    ordered.sort_by_key(|path| {
        let name = stem(path);
        (name != "main.go", name != "doc.go", name.strip_suffix(".go") != Some(own))
    });
    for path in ordered.into_iter().take(FILES) {
        let Some(text) = texts.read(path) else { continue };
        if text.lines().take(20).any(|line| {
            ["//go:build ignore", "// +build ignore", "//go:build tools", "// +build tools"]
                .iter()
                .any(|tag| line.starts_with(tag))
        }) {
            continue;
        }
        let Some((line, name)) = clause(&text) else { continue };
        let main = text.lines().position(|line| line.starts_with("func main("));
        match (&first, main) {
            (None, None) => first = Some(GoPackage { name, file: (*path).clone(), line }),
            (_, Some(at)) if name == "main" => {
                return Some(GoPackage { name, file: (*path).clone(), line: at + 1 });
            }
            _ => {}
        }
        if first.as_ref().is_some_and(|it| it.name != "main") {
            break;
        }
    }
    // A package `main` without the function is no program.
    first.filter(|it| it.name != "main")
}

/// Returns the line, from 1, and the package name of the clause `package x` in a Go file.
fn clause(text: &str) -> Option<(usize, String)> {
    text.lines().enumerate().find_map(|(at, line)| {
        let name = line.strip_prefix("package ")?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        (!name.is_empty()).then(|| (at + 1, name.to_owned()))
    })
}
