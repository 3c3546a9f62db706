//! Facts about projects, their targets and dependencies, from manifests. Reading order: `group` (the
//! manifests of one project), `versions` (versions in other files), `targets` (build outputs, one file per
//! ecosystem), `shape` (library, program or framework), `dependencies`, `entries` and `lines` (positions in
//! manifests).

mod dependencies;
mod entries;
mod group;
mod lines;
mod shape;
mod targets;
mod used;
mod versions;

use stategraph_repo::{ManifestMark, ProjectMetadata, ProjectType, Scope};

pub(crate) use lines::{folder_of, join_path};
pub(crate) use used::settle_scopes;

use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines};
use crate::role::{is_fixture, role_of};
use crate::text::visible;
use group::ManifestGroup;

/// Maximum distance, in lines, at which a name and a version become one source.
const NEAR: usize = 15;

/// Returns the facts about all projects of a code base, their build targets and their dependencies;
/// projects in test fixtures are left out.
pub(crate) fn facts(project: &ProjectMetadata, texts: &Texts) -> Vec<Fact> {
    let groups = group::groups(project, texts);
    let own = groups.iter().filter(|group| !is_fixture(&group.folder));
    own.flat_map(|group| of_group(group, &groups, texts)).collect()
}

/// Returns the descriptions of all projects that have one, with their positions.
pub(crate) fn list_descriptions(project: &ProjectMetadata, texts: &Texts) -> Vec<group::Described> {
    group::groups(project, texts).into_iter().filter_map(|group| group.locate_description()).collect()
}

/// A dependency of the project in `folder`, with its position.
pub(crate) struct LocatedDependency {
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) source: SourceLines,
}

/// Returns the dependencies of all projects outside test fixtures.
pub(crate) fn list_dependencies(project: &ProjectMetadata, texts: &Texts) -> Vec<LocatedDependency> {
    let groups = group::groups(project, texts);
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| !is_fixture(&group.folder)) {
        for (value, sources) in dependencies::of_group(group, &groups) {
            let FactValue::Dependency { name, scope, .. } = value else { continue };
            let Some(source) = sources.into_iter().next() else { continue };
            found.push(LocatedDependency { folder: group.folder.clone(), name, scope, source });
        }
    }
    found
}

/// Extends `source` to include the lines of `version`. Returns false, without a change, if they are in
/// different files or more than 15 lines apart.
fn spans(source: &mut SourceLines, version: &SourceLines) -> bool {
    let is_near = version.path == source.path
        && version.start.abs_diff(source.start) < NEAR
        && version.end.abs_diff(source.end) < NEAR;
    if is_near {
        source.start = source.start.min(version.start);
        source.end = source.end.max(version.end);
    }
    is_near
}

/// Returns the facts about one project: itself, its build targets and its dependencies.
fn of_group(group: &ManifestGroup, groups: &[ManifestGroup], texts: &Texts) -> Vec<Fact> {
    let subject = FactSubject::Project(group.folder.clone());
    let fact = |value, source| Fact::new(subject.clone(), value, source, FactOrigin::Parsed);
    let targets = targets::of_group(group, groups, texts);
    let mut found = Vec::new();
    let name = group.name();
    // A set-up without a name beside tests installs nothing.
    let is_for_tests = name.is_none() && role_of(&format!("{}/x", group.folder)) == PathRole::Test;
    if is_project(group) && !is_for_tests {
        let value = FactValue::Project {
            ecosystem: group.ecosystem,
            name: name.as_ref().map(|(name, _)| visible(name)),
            version: group.version().map(|version| visible(&version)),
            shape: shape::of_group(group, &targets, texts),
        };
        let mut source = name.map_or_else(|| group.first_place(), |(_, source)| source);
        // A version in another file, or far away, has a place of its own.
        let version = group.version_place().filter(|version| !spans(&mut source, version));
        let mut project = fact(value, source);
        project.sources.extend(version);
        found.push(project);
    }
    // A project of .NET that holds documents is built by no one.
    let is_product = |entry: &str| group.ecosystem != ProjectType::Dotnet || role_of(entry) != PathRole::Docs;
    let built = targets.found.into_iter().filter(|target| is_product(&target.entry));
    found.extend(built.map(|target| {
        let (name, entry) = (visible(&target.name), visible(&target.entry));
        let role = texts.role_of(&entry);
        let mut found = fact(FactValue::Target { target: target.kind, name, entry }, target.source);
        found.sources.extend(target.named);
        // A manifest of the root declares examples and tests too. Built targets are products.
        if !matches!(role, PathRole::Build | PathRole::Generated) {
            found.role = role;
        }
        found
    }));
    for (value, mut sources) in dependencies::of_group(group, groups) {
        let first = sources.remove(0);
        let mut needed = fact(value, first);
        needed.sources.append(&mut sources);
        found.push(needed);
    }
    found
}

/// Returns true if the manifests declare a project; false for mere lists of requirements and tool
/// configurations.
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

/// Returns the position (path and one line, from 1) in a manifest as the source of a fact.
fn at(path: &str, line: usize) -> SourceLines {
    SourceLines::line(path, line)
}
