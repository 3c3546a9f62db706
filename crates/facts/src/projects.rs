//! Projects, their targets and dependencies, from their manifests.

use stategraph_repo::{Manifest, ProjectMetadata, ProjectType};

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines, TargetKind};
use crate::text::{has_secret, visible};

/// Returns the facts of all manifests.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    project.manifests.iter().flat_map(|manifest| of_manifest(manifest, texts)).collect()
}

fn of_manifest(manifest: &Manifest, texts: &Texts) -> Vec<Fact> {
    let Some(text) = texts.read(&manifest.path) else { return Vec::new() };
    let subject = FactSubject::Project(folder_of(&manifest.path).to_owned());
    let line = |needle: &str| SourceLines::line(&manifest.path, line_of(&text, needle).unwrap_or(1));
    let fact =
        |value: FactValue, source: SourceLines| Fact::new(subject.clone(), value, source, FactOrigin::Parsed);
    let mut found = Vec::new();
    // A virtual workspace of Cargo is no project of its own.
    if manifest.name.is_some() || manifest.project_type != ProjectType::Rust {
        let value = FactValue::Project {
            ecosystem: manifest.project_type,
            name: manifest.name.as_deref().map(visible),
            version: manifest.version.as_deref().map(visible),
            shape: None,
        };
        let name = manifest.name.as_deref().unwrap_or_default();
        // The line of the key comes before others with the same word.
        let key = text.lines().position(|line| {
            line_of(line, name).is_some()
                && ["name", "artifactId", "module"].iter().any(|key| line.contains(key))
        });
        let source = key.map_or_else(|| line(name), |index| SourceLines::line(&manifest.path, index + 1));
        found.push(fact(value, source));
    }
    for (name, entry) in &manifest.programs {
        let value =
            FactValue::Target { target: TargetKind::Program, name: visible(name), entry: visible(entry) };
        found.push(fact(value, line(name)));
    }
    found.extend(
        cargo_targets(manifest, texts)
            .into_iter()
            .map(|(value, path)| fact(value, SourceLines::line(&path, 1))),
    );
    for needed in &manifest.dependencies {
        let value = FactValue::Dependency {
            name: visible(&needed.name),
            requirement: needed.version.as_deref().filter(|version| !has_secret(version)).map(visible),
            scope: needed.scope,
        };
        let short = needed.name.rsplit(':').next().unwrap_or(&needed.name);
        found.push(fact(value, line(short)));
    }
    found
}

/// Returns the targets that Cargo finds by their paths, with their files.
fn cargo_targets(manifest: &Manifest, texts: &Texts) -> Vec<(FactValue, String)> {
    let (ProjectType::Rust, Some(name)) = (manifest.project_type, &manifest.name) else { return Vec::new() };
    let folder = folder_of(&manifest.path);
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let mut found = Vec::new();
    let mut add = |target: TargetKind, name: &str, path: String| {
        found.push((FactValue::Target { target, name: name.to_owned(), entry: path.clone() }, path));
    };
    let library = format!("{prefix}src/lib.rs");
    if texts.exists(&library) {
        add(TargetKind::Library, &name.replace('-', "_"), library);
    }
    let main = format!("{prefix}src/main.rs");
    if texts.exists(&main) && !manifest.programs.values().any(|entry| entry == "src/main.rs") {
        add(TargetKind::Program, name, main);
    }
    let folders = [
        ("src/bin/", TargetKind::Program),
        ("examples/", TargetKind::Example),
        ("tests/", TargetKind::Test),
        ("benches/", TargetKind::Bench),
    ];
    for (below, target) in folders {
        for path in texts.below(&format!("{prefix}{below}")) {
            let rest = &path[prefix.len() + below.len()..];
            let name = rest.strip_suffix("/main.rs").or_else(|| rest.strip_suffix(".rs"));
            let is_declared = manifest.programs.values().any(|entry| format!("{prefix}{entry}") == *path);
            if let Some(name) = name.filter(|name| !name.contains('/') && !is_declared) {
                add(target, name, path.clone());
            }
        }
    }
    found
}

pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the first line, from 1, that has a text as a whole word.
pub(crate) fn line_of(text: &str, needle: &str) -> Option<usize> {
    if needle.is_empty() {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let has = |line: &str| {
        line.match_indices(needle)
            .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + needle.len()..].starts_with(is_part))
    };
    text.lines().position(has).map(|index| index + 1)
}
