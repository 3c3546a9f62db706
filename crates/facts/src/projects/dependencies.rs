//! The packages that a project needs, each with the line of its table.

use stategraph_repo::{Dependency, ManifestMark, ProjectType, Scope};

use super::at;
use super::group::{ManifestGroup, ReadManifest};
use super::lines::line_where;
use crate::fact::{FactValue, SourceLines};
use crate::text::{has_secret, visible};

/// Most dependencies of one manifest; each is looked for in its text.
const MOST: usize = 1_000;

/// Returns the dependencies with their places.
pub(super) fn of_group(group: &ManifestGroup, groups: &[ManifestGroup]) -> Vec<(FactValue, SourceLines)> {
    let mut found = Vec::new();
    for read in group.manifests.iter().filter(|it| !is_catalogue(&it.manifest.path)) {
        for needed in read.manifest.dependencies.iter().take(MOST) {
            // What a workspace offers to its members is no need of its own.
            let Some(line) = line(read, needed) else { continue };
            let mut version = needed.version.clone().or_else(|| of_workspace(group, groups, &needed.name));
            if group.ecosystem == ProjectType::Maven {
                version = of_parents(group, groups, &needed.name, version);
            }
            let mut name = needed.name.clone();
            if let Some(alias) = needed.name.strip_prefix("libs.") {
                // An alias without its catalogue names no package.
                let Some((module, of_catalogue)) = of_catalogue(groups, alias) else { continue };
                (name, version) = (module, of_catalogue);
            }
            let value = FactValue::Dependency {
                name: visible(&name),
                requirement: version
                    .filter(|version| !has_secret(version) && !version.contains("${"))
                    .as_deref()
                    .map(visible),
                scope: scope(group, read, needed.scope),
            };
            found.push((value, at(&read.manifest.path, line)));
        }
    }
    found
}

/// Returns the version that the innermost workspace around a crate has for a name.
fn of_workspace(group: &ManifestGroup, groups: &[ManifestGroup], name: &str) -> Option<String> {
    let around = groups.iter().filter(|it| {
        let is_around = it.folder.is_empty() || group.folder.starts_with(&format!("{}/", it.folder));
        it.ecosystem == ProjectType::Rust && group.ecosystem == ProjectType::Rust && is_around
    });
    let inner = around.max_by_key(|it| it.folder.len())?;
    inner.manifests.iter().find_map(|it| it.manifest.shared.get(name)?.clone())
}

/// Returns the version of a module of Maven with the properties of the projects around it, or the version that these manage. A name of
/// `${project.…}` means the module itself.
fn of_parents(
    group: &ManifestGroup,
    groups: &[ManifestGroup],
    name: &str,
    version: Option<String>,
) -> Option<String> {
    let key = match &version {
        None => name,
        Some(text) if text.starts_with("${") && !text.starts_with("${project") && text.ends_with('}') => text,
        Some(_) => return version,
    };
    let mut around: Vec<&ManifestGroup> = groups
        .iter()
        .filter(|it| it.ecosystem == ProjectType::Maven && it.folder != group.folder)
        .filter(|it| it.folder.is_empty() || group.folder.starts_with(&format!("{}/", it.folder)))
        .collect();
    around.sort_by_key(|it| std::cmp::Reverse(it.folder.len()));
    let found =
        around.iter().flat_map(|it| &it.manifests).find_map(|it| it.manifest.shared.get(key)?.clone());
    found.or(version)
}

fn is_catalogue(path: &str) -> bool {
    path.ends_with("libs.versions.toml")
}

/// Returns the package and the version of an alias in a catalogue of Gradle: `a-b = { module = "g:n", … }` for `a.b`.
fn of_catalogue(groups: &[ManifestGroup], alias: &str) -> Option<(String, Option<String>)> {
    let catalogues = groups.iter().flat_map(|it| &it.manifests).filter(|it| is_catalogue(&it.manifest.path));
    for read in catalogues {
        let line = read.text.lines().find(|line| {
            let key = line.split('=').next().unwrap_or_default().trim();
            key.replace(['-', '_'], ".") == alias && line.contains('"')
        });
        let Some((_, value)) = line.and_then(|line| line.split_once('=')) else { continue };
        let after = |key: &str| value.split_once(key)?.1.split('"').nth(1).map(str::to_owned);
        let module = match (after("module"), after("group"), after("name")) {
            (Some(module), ..) => module,
            (None, Some(group), Some(name)) => format!("{group}:{name}"),
            _ => value.split('"').nth(1)?.splitn(3, ':').take(2).collect::<Vec<_>>().join(":"),
        };
        let known = read.manifest.dependencies.iter().find(|it| it.name == module);
        return Some((module, known.and_then(|it| it.version.clone())));
    }
    None
}

/// Requirements in a file of their own are those of development, unless the package reads them.
fn scope(group: &ManifestGroup, read: &ReadManifest, scope: Scope) -> Scope {
    let is_list =
        read.manifest.path.ends_with("/requirements.txt") || read.manifest.path == "requirements.txt";
    let is_beside = |it: &ReadManifest| {
        it.manifest.path != read.manifest.path
            && (it.manifest.name.is_some() || it.manifest.path.ends_with("setup.py"))
    };
    let is_read = group.manifests.iter().any(|it| is_beside(it) && it.text.contains("requirements.txt"));
    // What a project of tests needs is for developers.
    if read.manifest.marks.contains(&ManifestMark::Tests) && scope == Scope::Runtime {
        return Scope::Dev;
    }
    if is_list && group.manifests.iter().any(is_beside) && !is_read { Scope::Dev } else { scope }
}

/// Returns the line of a dependency in its own table.
fn line(read: &ReadManifest, needed: &Dependency) -> Option<usize> {
    let name = needed.name.rsplit(':').next().unwrap_or(&needed.name);
    let text = &read.text;
    match read.manifest.project_type {
        ProjectType::Rust => cargo_line(text, &needed.name),
        ProjectType::Node | ProjectType::Php => {
            let keys: &[&str] = match (read.manifest.project_type, needed.scope) {
                (ProjectType::Php, Scope::Dev) => &["\"require-dev\""],
                (ProjectType::Php, _) => &["\"require\""],
                (_, Scope::Dev) => &["\"devDependencies\""],
                (_, Scope::Peer) => &["\"peerDependencies\""],
                (_, Scope::Optional) => &["\"optionalDependencies\""],
                _ => &["\"dependencies\""],
            };
            let start = keys.iter().find_map(|key| text.lines().position(|line| line.contains(key)))?;
            let quoted = format!("\"{}\"", needed.name);
            let line = text.lines().skip(start).position(|line| {
                line.split_once(&quoted).is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
            });
            line.map(|line| start + line + 1)
        }
        ProjectType::Maven => {
            let tag = format!(">{name}<");
            let start = text.lines().position(|line| line.contains("<dependencies>")).unwrap_or(0);
            let line = text.lines().skip(start).position(|line| line.contains(&tag));
            line.map(|line| start + line + 1).or_else(|| line_where(text, name, |_| true))
        }
        ProjectType::Go => line_where(text, name, |line| !line.starts_with("module")),
        ProjectType::Ruby => {
            line_where(text, name, |line| line.contains("dependency") || line.trim_start().starts_with("gem"))
        }
        ProjectType::Python => {
            let is_key = |line: &str| {
                let bare = line.trim_start();
                ["name", "description", "keywords", "\"Topic", "\"Framework", "url", "#"]
                    .iter()
                    .any(|start| bare.starts_with(start))
            };
            let is_other = |line: &str| is_key(line) || line.trim_start().starts_with('[');
            let line = line_where(text, name, |line| !is_other(line));
            line.or_else(|| line_where(text, name, |line| line.contains('[') && !is_key(line)))
        }
        _ => line_where(text, name, |_| true),
    }
}

/// Returns the line of a crate in a table of dependencies of the package.
fn cargo_line(text: &str, name: &str) -> Option<usize> {
    let mut section = String::new();
    for (index, line) in text.lines().enumerate() {
        let bare = line.trim();
        let key = bare.split(['=', '.', ' ']).next().unwrap_or_default().trim_matches('"');
        let is_table = section.ends_with("dependencies") && !section.starts_with("workspace.");
        let is_renamed = bare.contains("package") && bare.contains(&format!("\"{name}\""));
        if is_table && (key == name || is_renamed) {
            return Some(index + 1);
        }
        let Some(header) = bare.strip_prefix('[').and_then(|rest| rest.split(']').next()) else { continue };
        let own = header.rsplit_once('.').filter(|(table, last)| {
            table.ends_with("dependencies")
                && last.trim_matches('"') == name
                && !table.starts_with("workspace")
        });
        if own.is_some() {
            return Some(index + 1);
        }
        header.clone_into(&mut section);
    }
    None
}
