//! Finds the targets of npm packages: the programs under `bin`, and the library that `exports`, `module` or
//! `main` names. Built files are mapped to their sources.

use stategraph_repo::{DeclaredKind, ManifestMark};

use super::{Targets, place, prefix};
use crate::collect::Texts;
use crate::fact::TargetKind;
use crate::projects::entries::ManifestEntry;
use crate::projects::group::ManifestGroup;
use crate::projects::lines::join_path;

/// Folders of build outputs.
const BUILT: &[&str] = &["dist", "distribution", "build", "lib", "out", "es", "esm", "cjs", "bin"];

/// Adds the programs and the library of an npm package to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    let Some(read) = group.manifests.first() else { return };
    let manifest = &read.manifest;
    for (name, path) in &manifest.programs {
        let entry = source_of(&group.folder, path, texts);
        let is_own =
            |it: &&ManifestEntry| it.is_at(&["bin", name.as_str()]) || it.is_at(&["bin"]) && it.text == *path;
        let at = read.entries.iter().find(is_own).map(|it| it.line);
        targets.add(TargetKind::Program, name, entry, place(read, at));
    }
    for it in manifest.targets.iter().filter(|it| it.kind == DeclaredKind::Library) {
        let Some(path) = &it.path else { continue };
        // The entry was chosen in this order.
        let at = ["exports", "module", "main"].iter().find_map(|key| {
            let is_own = |it: &&ManifestEntry| {
                it.text == *path && (it.is_at(&[key]) || it.table().first().is_some_and(|table| table == key))
            };
            read.entries.iter().find(is_own).map(|it| it.line)
        });
        let entry = source_of(&group.folder, path, texts);
        let top = path.trim_start_matches("./").split('/').next().unwrap_or_default();
        // `npm init` writes `index.js` for packages without one. A built file is not there yet.
        // `main` of a package that is no library may name a configuration.
        let is_config = path.contains(".config.");
        if !is_config && (texts.exists(&entry) || BUILT.contains(&top)) {
            targets.add(TargetKind::Library, &it.name, entry, place(read, at));
        } else {
            targets.misses_library = is_config || !is_built(group, path, texts);
        }
    }
    if let Some(folder) = bin_folder(&read.text) {
        let folder = format!("{}/", join_path(&group.folder, &folder));
        let at = read.entries.iter().find(|it| it.is_at(&["directories", "bin"])).map(|it| it.line);
        for path in texts.below(&folder).filter(|path| !path[folder.len()..].contains('/')).take(50) {
            targets.add(TargetKind::Program, &path[folder.len()..], path.clone(), place(read, at));
        }
    }
    // Without `main` and `exports` node takes `index.js`.
    let index = format!("{}index.js", prefix(&group.folder));
    let has_exports = read.entries.iter().any(|it| it.is_at(&["exports"]));
    let has_library = manifest.targets.iter().any(|it| it.kind == DeclaredKind::Library);
    let is_closed = has_exports && !has_library;
    let has_none = targets.found.is_empty() && !group.has(ManifestMark::Private) && !is_closed;
    if let Some(name) = manifest.name.as_ref().filter(|_| has_none && texts.exists(&index)) {
        targets.add_file(TargetKind::Library, name, index);
    }
}

/// Returns the folder in `"directories": { "bin": "…" }` of a `package.json`.
fn bin_folder(text: &str) -> Option<String> {
    let root: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let folder = root.get("directories")?.get("bin")?.as_str()?.trim_matches(['.', '/']);
    (!folder.is_empty()).then(|| folder.to_owned())
}

/// Returns true if a build may make the library file `named` of a manifest: the package has a script that
/// builds it or is published with more files, the folder of the file does not exist, or a source file of the
/// same name stands in its folder or in `src`.
fn is_built(group: &ManifestGroup, named: &str, texts: &Texts) -> bool {
    const SCRIPTS: &[&str] = &["build", "compile", "prepare", "prepack", "prepublishOnly"];
    const MORE: &[&str] = &["module", "exports", "types", "typings", "browser"];
    let entries = || group.manifests.iter().flat_map(|read| &read.entries);
    let has_more =
        || entries().any(|it| MORE.iter().any(|key| it.is_at(&[key]))) && !group.has(ManifestMark::Private);
    if has_more() || entries().any(|it| SCRIPTS.iter().any(|script| it.is_at(&["scripts", script]))) {
        return true;
    }
    let path = join_path(&group.folder, named);
    let (parent, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let stem = file.split('.').next().unwrap_or(file);
    let (parent, source) = (prefix(parent), prefix(&join_path(&group.folder, "src")));
    let is_source = |below: &str, path: &String| {
        path[below.len()..].split_once('.').is_some_and(|(own, end)| {
            let ends = ["ts", "tsx", "mts", "cts", "coffee", "js", "mjs", "cjs", "jsx"];
            own == stem && ends.contains(&end)
        })
    };
    let has_source = |below: &str| texts.below(below).any(|path| is_source(below, path));
    texts.below(&parent).next().is_none() || has_source(&parent) || has_source(&source)
}

/// Maps a file that a manifest names to the file in the repository, for a build output to its source
/// (`dist/a.js` → `src/a.ts`). Returns the named path if no file fits.
fn source_of(folder: &str, named: &str, texts: &Texts) -> String {
    let path = join_path(folder, named.trim_end_matches('/'));
    let whole = ["", ".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"];
    if let Some(found) = whole.iter().map(|end| format!("{path}{end}")).find(|it| texts.exists(it)) {
        return found;
    }
    let below = named.trim_start_matches("./");
    let stem = below.split('/').next_back().and_then(|name| name.split('.').next()).unwrap_or(below);
    let rest = below.split_once('/').filter(|(top, _)| BUILT.contains(top)).map(|(_, rest)| rest);
    let inner = rest.and_then(|rest| rest.rsplit_once('/')).map_or("", |(inner, _)| inner);
    // `dist/cjs/a.js` and `dist/a.js` both come from `src/a.ts`.
    let folders = [format!("src/{inner}"), "src".to_owned(), "source".to_owned()];
    let ends = ["ts", "tsx", "mts", "js", "mjs"];
    let guesses = folders.iter().flat_map(|source| {
        ends.iter()
            .map(move |end| join_path(folder, &format!("{}/{stem}.{end}", source.trim_end_matches('/'))))
    });
    rest.and_then(|_| guesses.into_iter().find(|it| texts.exists(it))).unwrap_or(path)
}
