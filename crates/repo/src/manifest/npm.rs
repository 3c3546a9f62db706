//! `package.json`: what runs and what develops apart (CTX-15).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{DeclaredKind, Manifest, ManifestMark, Scope, reason};

const TABLES: &[(&str, Scope)] = &[
    ("dependencies", Scope::Runtime),
    ("optionalDependencies", Scope::Optional),
    ("peerDependencies", Scope::Peer),
    ("devDependencies", Scope::Dev),
];

/// Parts of a file name that show that it is a pattern or no code.
const NO_CODE: &[&str] = &["*", ".json", ".css"];
/// Maximum nesting of conditions in `exports` that is followed.
const EXPORTS_DEPTH: usize = 8;

pub(super) fn read(text: &str, found: &mut Manifest) -> Result<(), String> {
    let root: Map<String, Value> =
        serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(reason)?;
    let said = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
    found.name = said("name");
    found.version = said("version");
    found.description = said("description");
    for (key, scope) in TABLES {
        for (name, version) in root.get(*key).and_then(Value::as_object).into_iter().flatten() {
            found.needs(*scope, name, version.as_str());
        }
    }
    for key in ["main", "module", "browser", "bin", "exports", "types", "typings"] {
        // A table of `browser` says what replaces what, not where anything begins.
        let entry = root.get(key).filter(|entry| key != "browser" || entry.is_string());
        collect_entry_files(entry, EXPORTS_DEPTH, &mut found.entry_points);
    }
    match root.get("bin") {
        Some(Value::String(path)) => {
            let name = found.name.as_deref().and_then(|name| name.rsplit('/').next()).unwrap_or("bin");
            found.programs.insert(name.to_owned(), path.clone());
        }
        Some(Value::Object(paths)) => {
            let named =
                paths.iter().filter_map(|(name, path)| Some((name.clone(), path.as_str()?.to_owned())));
            found.programs.extend(named);
        }
        _ => {}
    }
    marks(&root, found);
    let mut seen = BTreeSet::new();
    found.entry_points.retain(|path| seen.insert(path.trim_start_matches("./").to_owned()));
    Ok(())
}

/// Packages that generate websites.
const SITE_MAKERS: &[&str] = &[
    "@11ty/eleventy",
    "@docusaurus/core",
    "astro",
    "docusaurus",
    "gatsby",
    "hexo",
    "nextra",
    "vitepress",
    "vuepress",
];

/// Packages on which applications are built. A private package with one of them and a start script is a
/// program.
const APPLICATIONS: &[&str] = &[
    "@angular/core",
    "@nestjs/core",
    "@remix-run/react",
    "@sveltejs/kit",
    "electron",
    "expo",
    "express",
    "fastify",
    "hono",
    "koa",
    "next",
    "nuxt",
    "react-dom",
    "react-scripts",
    "solid-js",
    "svelte",
    "vite",
    "vue",
];

/// Names of the scripts that start an application.
const STARTS: &[&str] = &["start", "dev", "serve"];

fn marks(root: &Map<String, Value>, found: &mut Manifest) {
    let has = |key: &str| root.get(key).is_some_and(|value| !value.is_null());
    let is_private = root.get("private").and_then(Value::as_bool) == Some(true);
    found.mark(ManifestMark::Private, is_private);
    found.mark(ManifestMark::Workspace, has("workspaces"));
    let exports_code = !exports_only_manifest(root);
    let is_imported = exports_code && ["main", "module", "exports"].iter().any(|key| has(key));
    found.mark(ManifestMark::Library, is_imported || exports_code && !is_private && has("types"));
    let is_site = found.dependencies.iter().any(|it| SITE_MAKERS.contains(&it.name.as_str()));
    found.mark(ManifestMark::Website, is_site && is_private && !is_imported);
    let scripts = root.get("scripts").and_then(Value::as_object);
    let is_application = found.dependencies.iter().any(|it| APPLICATIONS.contains(&it.name.as_str()));
    let has_start = scripts.is_some_and(|scripts| STARTS.iter().any(|name| scripts.contains_key(*name)));
    // `dev` of a package for tools only watches files.
    let is_started = has_start && is_application;
    found.mark(ManifestMark::Program, has("bin") || is_private && is_started && !is_imported && !is_site);
    let mut entries = Vec::new();
    for key in ["exports", "module", "main"] {
        collect_entry_files(root.get(key), EXPORTS_DEPTH, &mut entries);
    }
    let entry = entries.into_iter().find(|path| !path.contains(".d."));
    if let Some(name) = found.name.clone().filter(|_| is_imported) {
        found.target(DeclaredKind::Library, name, entry);
    }
}

/// Returns true for `exports` without an entry for code: Node then imports nothing of the package, and
/// `main` does not count either.
fn exports_only_manifest(root: &Map<String, Value>) -> bool {
    let exports = root.get("exports").and_then(Value::as_object);
    exports.is_some_and(|entries| entries.keys().all(|path| path == "./package.json"))
}

/// Adds the files that an entry such as `main` or `exports` names to `found`: itself, or those of its
/// conditions and paths, to `depth` levels. Patterns (`./lib/*`) and files that are no code are omitted.
fn collect_entry_files(entry: Option<&Value>, depth: usize, found: &mut Vec<String>) {
    match entry {
        Some(Value::String(path)) if !NO_CODE.iter().any(|part| path.contains(part)) => {
            found.push(path.clone());
        }
        Some(Value::Object(inner)) if depth > 0 => {
            inner.values().for_each(|value| collect_entry_files(Some(value), depth - 1, found));
        }
        Some(Value::Array(inner)) if depth > 0 => {
            inner.iter().for_each(|value| collect_entry_files(Some(value), depth - 1, found));
        }
        _ => {}
    }
}
