//! Projects, their targets and dependencies, from their manifests. Reading order: `group` (the manifests of one project), `versions` (those in other files), `targets` (its
//! build outputs, one file an ecosystem), `shape` (library, program or framework), `dependencies`, `lines` (places in manifests).

mod dependencies;
mod group;
mod lines;
mod shape;
mod targets;
mod versions;

use stategraph_repo::{ManifestMark, ProjectMetadata, ProjectType, Scope};

pub(crate) use lines::{folder_of, join_path};

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::text::visible;
use group::ManifestGroup;

/// Returns the facts of all manifests.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let groups = group::groups(project, texts);
    groups.iter().flat_map(|group| of_group(group, &groups, texts)).collect()
}

/// Returns the names and descriptions of all projects, native ones too, with the manifest that has them.
pub(crate) fn list_descriptions(project: &ProjectMetadata, texts: &Texts) -> Vec<group::Described> {
    group::groups(project, texts).into_iter().filter_map(|group| group.locate_description()).collect()
}

/// A dependency with its place.
pub(crate) struct Needed {
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) source: SourceLines,
}

/// Returns the dependencies of all projects.
pub(crate) fn list_dependencies(project: &ProjectMetadata, texts: &Texts) -> Vec<Needed> {
    let groups = group::groups(project, texts);
    let mut found = Vec::new();
    for group in &groups {
        for (value, source) in dependencies::of_group(group, &groups) {
            let FactValue::Dependency { name, scope, .. } = value else { continue };
            found.push(Needed { folder: group.folder.clone(), name, scope, source });
        }
    }
    found
}

fn of_group(group: &ManifestGroup, groups: &[ManifestGroup], texts: &Texts) -> Vec<Fact> {
    let subject = FactSubject::Project(group.folder.clone());
    let fact = |value, source| Fact::new(subject.clone(), value, source, FactOrigin::Parsed);
    let targets = targets::of_group(group, groups, texts);
    let mut found = Vec::new();
    if is_project(group) {
        let name = group.name();
        let value = FactValue::Project {
            ecosystem: group.ecosystem,
            name: name.as_ref().map(|(name, _)| visible(name)),
            version: group.version().map(|version| visible(&version)),
            shape: shape::of_group(group, &targets, texts),
        };
        let source = name.map_or_else(|| group.first_place(), |(_, source)| source);
        found.push(fact(value, source));
    }
    found.extend(targets.found.into_iter().map(|target| {
        let (name, entry) = (visible(&target.name), visible(&target.entry));
        fact(FactValue::Target { target: target.kind, name, entry }, target.source)
    }));
    let needed = dependencies::of_group(group, groups);
    found.extend(needed.into_iter().map(|(value, source)| fact(value, source)));
    found
}

/// Returns false for lists of requirements and files that only configure tools.
fn is_project(group: &ManifestGroup) -> bool {
    let has_name = group.manifests.iter().any(|it| it.manifest.name.is_some());
    let is_computed = group.manifests.iter().any(|it| {
        let name = it.manifest.path.rsplit('/').next().unwrap_or_default();
        matches!(name, "setup.py" | "pom.xml" | "build.gradle" | "build.gradle.kts")
    });
    let is_npm = group.ecosystem == ProjectType::Node
        && group.manifests.iter().any(|it| !it.manifest.dependencies.is_empty());
    has_name || is_computed || is_npm || group.has(ManifestMark::Workspace)
}

/// A place in a manifest.
fn at(path: &str, line: usize) -> SourceLines {
    SourceLines::line(path, line)
}
