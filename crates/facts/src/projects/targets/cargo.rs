//! Finds the targets of Cargo packages: the declared ones, then those that Cargo finds by their paths
//! unless that is turned off.

use stategraph_repo::{DeclaredKind, ManifestMark};

use super::{Targets, place, prefix};
use crate::collect::Texts;
use crate::fact::TargetKind;
use crate::projects::group::{ManifestGroup, ReadManifest};

/// Folders in which Cargo searches targets, with their kind and the manifest mark that turns the search
/// off.
const FOLDERS: &[(&str, TargetKind, ManifestMark)] = &[
    ("src/bin/", TargetKind::Program, ManifestMark::NoAutoPrograms),
    ("examples/", TargetKind::Example, ManifestMark::NoAutoExamples),
    ("tests/", TargetKind::Test, ManifestMark::NoAutoTests),
    ("benches/", TargetKind::Bench, ManifestMark::NoAutoBenches),
];

/// Adds the build targets of a Cargo package (programs, library, tests, …) to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    let Some(read) = group.manifests.iter().find(|it| it.manifest.name.is_some()) else { return };
    let Some(name) = &read.manifest.name else { return };
    let prefix = prefix(&group.folder);
    let exists = |path: &str| texts.exists(&format!("{prefix}{path}"));
    let declared = list_targets(read, name, &exists);
    if !declared.iter().any(|it| it.kind == TargetKind::Library) && exists("src/lib.rs") {
        targets.add_file(TargetKind::Library, &name.replace('-', "_"), format!("{prefix}src/lib.rs"));
    }
    for it in &declared {
        let table = match it.kind {
            TargetKind::Library => "lib",
            TargetKind::Program => "bin",
            TargetKind::Example => "example",
            TargetKind::Test => "test",
            TargetKind::Bench => "bench",
        };
        let line = read.line_at(&[&[table, "#", "name"], &[table, "name"]], &it.name);
        let line = line.or_else(|| read.entries.iter().find(|it| it.is_at(&[table])).map(|it| it.line));
        targets.add(it.kind, &it.name, format!("{prefix}{}", it.path), place(read, line));
    }
    let is_declared = |path: &str| declared.iter().any(|it| it.path == path);
    let has_auto = !group.has(ManifestMark::NoAutoPrograms);
    if exists("src/main.rs") && !is_declared("src/main.rs") && has_auto {
        targets.add_file(TargetKind::Program, name, format!("{prefix}src/main.rs"));
    }
    for (below, kind, _) in FOLDERS.iter().filter(|(.., off)| !group.has(*off)) {
        for path in texts.below(&format!("{prefix}{below}")) {
            let rest = &path[prefix.len() + below.len()..];
            let name = rest.strip_suffix("/main.rs").or_else(|| rest.strip_suffix(".rs"));
            let is_new = !is_declared(&path[prefix.len()..]);
            if let Some(name) = name.filter(|name| !name.contains('/') && is_new) {
                targets.add_file(*kind, name, path.clone());
            }
        }
    }
}

/// A build target that a `Cargo.toml` declares in a table such as `[[bin]]`.
struct CargoTarget {
    kind: TargetKind,
    name: String,
    /// Path of its file, relative to the folder of the manifest; the file exists.
    path: String,
}

/// Returns the build targets that a `Cargo.toml` declares and whose files exist. `own` is the name of the
/// package, and `exists` tells whether a file exists.
fn list_targets(read: &ReadManifest, own: &str, exists: &dyn Fn(&str) -> bool) -> Vec<CargoTarget> {
    let mut found = Vec::new();
    let mut add = |kind: TargetKind, name: &str, path: Option<&str>, usual: &[String]| {
        let path = path
            .map_or_else(|| usual.iter().find(|path| exists(path)).cloned(), |path| Some(path.to_owned()));
        if let Some(path) =
            path.map(|path| path.trim_start_matches("./").to_owned()).filter(|path| exists(path))
        {
            found.push(CargoTarget { kind, name: name.to_owned(), path });
        }
    };
    for (name, path) in &read.manifest.programs {
        let mut usual = vec![format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs")];
        if name == own || read.manifest.programs.len() == 1 {
            usual.push("src/main.rs".to_owned());
        }
        add(TargetKind::Program, name, Some(path.as_str()).filter(|path| !path.is_empty()), &usual);
    }
    for it in &read.manifest.targets {
        let (kind, folder) = match it.kind {
            DeclaredKind::Library => {
                add(TargetKind::Library, &it.name, it.path.as_deref(), &["src/lib.rs".to_owned()]);
                continue;
            }
            DeclaredKind::Program => (TargetKind::Program, "src/bin"),
            DeclaredKind::Example => (TargetKind::Example, "examples"),
            DeclaredKind::Test => (TargetKind::Test, "tests"),
            DeclaredKind::Bench => (TargetKind::Bench, "benches"),
        };
        let usual = [format!("{folder}/{}.rs", it.name), format!("{folder}/{}/main.rs", it.name)];
        add(kind, &it.name, it.path.as_deref(), &usual);
    }
    found
}
