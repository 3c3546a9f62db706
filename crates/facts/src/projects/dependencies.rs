//! Facts about the packages that a project depends on, each with the line of its manifest.

use stategraph_repo::{Dependency, ManifestMark, ProjectType, Scope};

use super::at;
use super::entries::ManifestEntry;
use super::group::{ManifestGroup, ReadManifest};
use super::lines::line_where;
use crate::fact::{FactValue, PathRole, SourceLines};
use crate::role::role_of;
use crate::text::{has_secret, visible};

/// Maximum number of dependencies of one manifest, because each is searched for in the text.
const MOST: usize = 1_000;

/// A version that a parent manifest, workspace or catalogue sets, and its position there; `None` if it is
/// unknown.
type ManagedVersion = (Option<String>, Option<SourceLines>);

/// Returns the dependencies of a project, each with its sources: its own entry, then the position of a
/// version that another file sets. `groups` are all projects of the code base.
pub(super) fn of_group(
    group: &ManifestGroup,
    groups: &[ManifestGroup],
) -> Vec<(FactValue, Vec<SourceLines>)> {
    let mut found = Vec::new();
    for read in group.manifests.iter().filter(|it| !is_catalogue(&it.manifest.path)) {
        for needed in read.manifest.dependencies.iter().take(MOST) {
            // `shop[tests]` in an extra of `shop` names other extras.
            if is_itself(read, &needed.name) {
                continue;
            }
            // What a workspace offers to its members is no need of its own.
            let Some(line) = line(read, needed) else { continue };
            let (mut version, mut managed) = match (&needed.version, group.ecosystem) {
                (version, ProjectType::Maven) => of_parents(group, groups, &needed.name, version.clone()),
                (None, ProjectType::Rust) => of_workspace(group, groups, &needed.name),
                (version, _) => (version.clone(), None),
            };
            let mut name = needed.name.clone();
            if let Some(alias) = needed.name.strip_prefix("libs.") {
                // An alias without its catalogue names no package.
                let Some((module, of_catalogue, place)) = of_catalogue(groups, alias) else { continue };
                (name, version, managed) = (module, of_catalogue, Some(place));
            }
            let requirement = version
                .filter(|version| !has_secret(version) && !version.contains("${"))
                .as_deref()
                .map(visible);
            let mut sources = vec![at(&read.manifest.path, line)];
            sources.extend(managed.filter(|place| !sources.contains(place)));
            let scope = scope(group, read, managed_scope(group, groups, read, needed));
            found.push((FactValue::Dependency { name: visible(&name), requirement, scope }, sources));
        }
    }
    found
}

/// Returns true if a Python project lists itself, as `shop[tests]` in an extra of `shop`.
fn is_itself(read: &ReadManifest, name: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    let is_python = read.manifest.path.ends_with("pyproject.toml");
    is_python && read.manifest.name.as_deref().is_some_and(|own| plain(own) == plain(name))
}

/// Returns the version that the innermost Cargo workspace around the project sets for a crate (`x.workspace
/// = true`), with its position.
fn of_workspace(group: &ManifestGroup, groups: &[ManifestGroup], name: &str) -> ManagedVersion {
    let around = groups.iter().filter(|it| {
        let is_around = it.folder.is_empty() || group.folder.starts_with(&format!("{}/", it.folder));
        it.ecosystem == ProjectType::Rust && is_around && it.has(ManifestMark::Workspace)
    });
    let Some(inner) = around.max_by_key(|it| it.folder.len()) else { return (None, None) };
    let found = inner.manifests.iter().find_map(|it| Some((it, it.manifest.shared.get(name)?.clone()?)));
    let Some((read, version)) = found else { return (None, None) };
    let entry = read.entries.iter().find(|it| it.is_at(&["workspace", "dependencies", name]));
    (Some(version), entry.map(|entry| at(&read.manifest.path, entry.line)))
}

/// Returns the version of a Maven dependency. A missing one, or one that is a property (`${x.version}`), is
/// looked up in the projects around; any other is returned as it is.
fn of_parents(
    group: &ManifestGroup,
    groups: &[ManifestGroup],
    name: &str,
    version: Option<String>,
) -> ManagedVersion {
    let key = match &version {
        None => name,
        Some(text) if text.starts_with("${") && !text.starts_with("${project") && text.ends_with('}') => text,
        Some(_) => return (version, None),
    };
    let mut around: Vec<&ManifestGroup> = groups
        .iter()
        .filter(|it| it.ecosystem == ProjectType::Maven && it.folder != group.folder)
        .filter(|it| it.folder.is_empty() || group.folder.starts_with(&format!("{}/", it.folder)))
        .collect();
    around.sort_by_key(|it| std::cmp::Reverse(it.folder.len()));
    let found = around
        .iter()
        .flat_map(|it| &it.manifests)
        .find_map(|it| Some((it, it.manifest.shared.get(key)?.clone()?)));
    let Some((read, managed)) = found else { return (version, None) };
    let property = key.trim_start_matches("${").trim_end_matches('}');
    let is_managed = |it: &&ManifestEntry| {
        it.is_at(&["project", "properties", property])
            || it.is_at(&["project", "dependencyManagement", "dependencies", "dependency", "@coordinates"])
                && are_coordinates(&it.text, name)
    };
    let line = read.entries.iter().find(is_managed).map(|it| it.line);
    (Some(managed), line.map(|line| at(&read.manifest.path, line)))
}

/// Returns the scope of a Maven dependency: the one that a parent project sets, unless the manifest sets it
/// itself.
fn managed_scope(
    group: &ManifestGroup,
    groups: &[ManifestGroup],
    read: &ReadManifest,
    needed: &Dependency,
) -> Scope {
    if group.ecosystem != ProjectType::Maven || read.manifest.scopes.contains_key(&needed.name) {
        return needed.scope;
    }
    let around = groups.iter().filter(|it| it.ecosystem == ProjectType::Maven && it.folder != group.folder);
    let around =
        around.filter(|it| it.folder.is_empty() || group.folder.starts_with(&format!("{}/", it.folder)));
    let managed = around.flat_map(|it| {
        let scopes = it.manifests.iter().filter_map(|it| it.manifest.scopes.get(&needed.name));
        scopes.map(move |scope| (it.folder.len(), *scope))
    });
    managed.max_by_key(|(depth, _)| *depth).map_or(needed.scope, |(_, scope)| scope)
}

/// Returns true if the written `group:artifact` can be `name`; a variable in the group matches everything.
fn are_coordinates(written: &str, name: &str) -> bool {
    let (group, artifact) = written.split_once(':').unwrap_or(("", written));
    let (own_group, own_artifact) = name.split_once(':').unwrap_or(("", name));
    let fits = |written: &str, own: &str| written == own || written.contains("${");
    artifact == own_artifact && fits(group, own_group)
}

/// Returns true for the path of a Gradle version catalogue.
fn is_catalogue(path: &str) -> bool {
    path.ends_with("libs.versions.toml")
}

/// Looks up an alias (`a.b` of `libs.a.b`) in the Gradle version catalogues. Returns the package
/// `group:name`, its version, and the position of the alias; `None` if the alias is unknown.
fn of_catalogue(groups: &[ManifestGroup], alias: &str) -> Option<(String, Option<String>, SourceLines)> {
    let catalogues = groups.iter().flat_map(|it| &it.manifests).filter(|it| is_catalogue(&it.manifest.path));
    for read in catalogues {
        let is_alias =
            |it: &&ManifestEntry| it.is_at(&["libraries", "*"]) && it.key().replace(['-', '_'], ".") == alias;
        let Some(entry) = read.entries.iter().find(is_alias) else { continue };
        let inner = |key: &str| {
            let path = ["libraries", entry.key(), key];
            read.entries.iter().find(|it| it.is_at(&path)).map(|it| it.text.clone())
        };
        let module = match (inner("module"), inner("group"), inner("name")) {
            (Some(module), ..) => module,
            (None, Some(group), Some(name)) => format!("{group}:{name}"),
            _ if entry.text.contains(':') => entry.text.splitn(3, ':').take(2).collect::<Vec<_>>().join(":"),
            _ => return None,
        };
        let known = read.manifest.dependencies.iter().find(|it| it.name == module);
        let place = at(&read.manifest.path, entry.line);
        return Some((module, known.and_then(|it| it.version.clone()), place));
    }
    None
}

/// Returns the corrected scope of a dependency. A `requirements.txt` beside a named project is for
/// development, unless that project reads the file; everything that a test project needs is, too.
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
    // A list below `docs` is needed to write the documents.
    if is_list && scope == Scope::Runtime && role_of(&read.manifest.path) == PathRole::Docs {
        return Scope::Dev;
    }
    if is_list && group.manifests.iter().any(is_beside) && !is_read { Scope::Dev } else { scope }
}

/// Returns the line, from 1, of a manifest that declares this dependency, in the table or list for its
/// ecosystem and scope.
fn line(read: &ReadManifest, needed: &Dependency) -> Option<usize> {
    let text = &read.text;
    let line = |is_own: &dyn Fn(&ManifestEntry) -> bool| {
        read.entries.iter().filter(|it| is_own(it)).map(|it| it.line).min()
    };
    let is_of = |table: &str, it: &ManifestEntry| it.is_at(&[table, needed.name.as_str()]);
    match (read.manifest.project_type, needed.scope) {
        (ProjectType::Rust, _) => cargo_line(read, needed),
        (ProjectType::Php, Scope::Dev) => line(&|it| is_of("require-dev", it)),
        (ProjectType::Php, _) => line(&|it| is_of("require", it)),
        (ProjectType::Node, scope) => {
            let table = match scope {
                Scope::Dev => "devDependencies",
                Scope::Peer => "peerDependencies",
                Scope::Optional => "optionalDependencies",
                _ => "dependencies",
            };
            line(&|it| is_of(table, it))
        }
        (ProjectType::Maven, _) => line(&|it| {
            it.is_at(&["project", "dependencies", "dependency", "@coordinates"])
                && are_coordinates(&it.text, &needed.name)
        }),
        (ProjectType::Dotnet, _) => line(&|it| {
            it.key() == "@Include"
                && it.text == needed.name
                && it.table().ends_with(&["PackageReference".into()])
        }),
        (ProjectType::Go, _) => line_where(text, &needed.name, |line| !line.starts_with("module")),
        (ProjectType::Ruby, _) => line_where(text, &needed.name, |line| {
            line.contains("dependency") || line.trim_start().starts_with("gem")
        }),
        (ProjectType::Python, _) => python_line(read, needed),
        (ProjectType::Gradle, scope) => {
            let name = needed.name.rsplit(':').next().unwrap_or(&needed.name);
            let is_own = |line: &str| gradle_scope(line) == scope;
            line_where(text, name, is_own).or_else(|| line_where(text, name, |_| true))
        }
        (ProjectType::Cmake, _) => {
            let is_call = |line: &str| line.contains("find_package") || line.contains("pkg_");
            line_where(text, &needed.name, is_call).or_else(|| line_where(text, &needed.name, |_| true))
        }
        _ => line_where(text, needed.name.rsplit(':').next().unwrap_or(&needed.name), |_| true),
    }
}

/// Returns the scope of a dependency line in a Gradle file, by its first word (`testImplementation` →
/// `Dev`).
fn gradle_scope(line: &str) -> Scope {
    let lower = line.trim_start().to_lowercase();
    let word = lower.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    match () {
        () if word.contains("test") || word.starts_with("debug") => Scope::Dev,
        () if word.contains("compileonly") || word.contains("provided") => Scope::Peer,
        () if ["processor", "kapt", "ksp", "classpath"].iter().any(|end| word.ends_with(end)) => Scope::Build,
        () => Scope::Runtime,
    }
}

/// Returns the line of a crate in the dependency tables of a `Cargo.toml`.
fn cargo_line(read: &ReadManifest, needed: &Dependency) -> Option<usize> {
    let tables: &[&str] = match needed.scope {
        Scope::Dev => &["dev-dependencies"],
        Scope::Build => &["build-dependencies"],
        Scope::Optional => &["dependencies", "build-dependencies", "dev-dependencies"],
        _ => &["dependencies"],
    };
    let name = needed.name.as_str();
    let is_entry = |it: &ManifestEntry, table: &str, key: &str| {
        it.is_at(&[table, key]) || it.is_at(&["target", "*", table, key])
    };
    let is_renamed = |it: &ManifestEntry, table: &str| {
        it.text == name
            && (it.is_at(&[table, "*", "package"]) || it.is_at(&["target", "*", table, "*", "package"]))
    };
    tables.iter().find_map(|table| {
        let own = |it: &&ManifestEntry| is_entry(it, table, name) || is_renamed(it, table);
        read.entries.iter().filter(own).map(|it| it.line).min()
    })
}

/// Returns the line of a requirement in a Python manifest: its list item, or its key in a table.
fn python_line(read: &ReadManifest, needed: &Dependency) -> Option<usize> {
    const LISTS: &[(&[&str], Scope)] = &[
        (&["project", "dependencies", "#"], Scope::Runtime),
        (&["project", "optional-dependencies", "*", "#"], Scope::Optional),
        (&["dependency-groups", "*", "#"], Scope::Dev),
        (&["build-system", "requires", "#"], Scope::Build),
    ];
    const TABLES: &[&[&str]] = &[
        &["tool", "poetry", "dependencies", "*"],
        &["tool", "poetry", "dev-dependencies", "*"],
        &["tool", "poetry", "group", "*", "dependencies", "*"],
    ];
    let name = needed.name.as_str();
    let version = needed.version.as_deref().unwrap_or_default();
    if !read.entries.is_empty() {
        let is_listed = |it: &ManifestEntry| {
            let of_list = LISTS.iter().any(|(path, scope)| {
                it.is_at(path) && (*scope == needed.scope || needed.scope == Scope::Optional)
            });
            of_list && requires(&it.text, name)
        };
        let is_key = |it: &ManifestEntry| it.key() == name && TABLES.iter().any(|path| it.is_at(path));
        let found: Vec<&ManifestEntry> =
            read.entries.iter().filter(|it| is_listed(it) || is_key(it)).collect();
        // One package may be required several times.
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        let exact = found.iter().find(|it| dense(&it.text).ends_with(&dense(version))).or(found.first());
        return exact.map(|it| it.line);
    }
    let is_setup = read.manifest.path.ends_with("setup.py");
    let is_own = |line: &str| {
        let bare = line.trim_start().trim_start_matches('[').trim_start();
        let value = bare.split_once(['=', ':']).map_or(bare, |(_, value)| value.trim_start());
        let is_item = requires(bare, name) || requires(value, name);
        let quoted = || {
            ["\"", "'"].iter().any(|quote| line.split(quote).skip(1).step_by(2).any(|it| requires(it, name)))
        };
        if is_setup { quoted() } else { is_item }
    };
    let is_key = |line: &str| {
        let bare = line.trim_start();
        ["name", "description", "keywords", "url", "#", "["].iter().any(|start| bare.starts_with(start))
    };
    // A package may be required in several lists: for tests, and to run.
    let from = list_start(read, needed.scope);
    let below: usize = read.text.split_inclusive('\n').take(from).map(str::len).sum();
    let rest = read.text.get(below..).unwrap_or_default();
    let of_list = line_where(rest, name, |line| !is_key(line) && is_own(line)).map(|line| line + from);
    of_list.or_else(|| line_where(&read.text, name, |line| !is_key(line) && is_own(line)))
}

/// Returns the number of lines above the list of a `setup.py` or `setup.cfg` that holds the requirements of a scope; 0 if it is not found.
fn list_start(read: &ReadManifest, scope: Scope) -> usize {
    let key = match scope {
        Scope::Runtime | Scope::Peer => "install_requires",
        Scope::Optional => "extras_require",
        Scope::Build => "setup_requires",
        Scope::Dev => "tests_require",
    };
    let lines = || read.text.lines();
    let Some(at) = lines().position(|line| line.contains(key) && !line.trim_start().starts_with('#')) else {
        return 0;
    };
    // `install_requires=requires` names a list above the call.
    let value = lines().nth(at).and_then(|line| line.split_once(key)).map_or("", |(_, value)| value);
    let named = value.trim_start().trim_start_matches('=').trim().trim_end_matches(',');
    let is_name = !named.is_empty() && named.chars().all(|c| c.is_alphanumeric() || c == '_');
    let assigns = |line: &str| {
        line.trim_start().strip_prefix(named).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    if is_name { lines().position(assigns).unwrap_or(0) } else { at }
}

/// Returns true if a requirement such as `shop>=2` begins with exactly this package name.
fn requires(requirement: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    requirement.trim_start().strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part))
}
