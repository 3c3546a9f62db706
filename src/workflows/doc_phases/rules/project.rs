//! Packages, entry points and technologies of a project, by its manifests and file names. Works on files that were read.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::{Package, below, is_side, stem};
use super::plan::ListedFiles;
use super::words::share;
use crate::repo::{Language, Manifest, ProjectType, Scope};

/// Glob of the manifests that are listed.
pub(super) const MANIFESTS: &str =
    "**/{Cargo.toml,package.json,pyproject.toml,setup.py,go.mod,pom.xml,build.gradle,build.gradle.kts}";

/// Maximum length of a package's name, in characters.
const NAME: usize = 100;

/// Returns the folder that contains a path; empty for the root folder.
pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the packages of a repository: folders with a manifest that are the innermost around some source
/// file. A package whose manifest was not read, or has no name, is called like its folder.
pub(super) fn packages(repository: &str, tree: &ListedFiles, manifests: &[Manifest]) -> Vec<Package> {
    let paths = tree.files.keys().filter(|path| crate::repo::is_manifest(name_of(path)) && !is_side(path));
    let mut all: BTreeMap<String, Option<String>> = BTreeMap::new();
    for path in paths.filter(|path| name_of(path) != "requirements.txt") {
        let folder = folder_of(path);
        let read = manifests.iter().find(|found| found.path == *path);
        let name = read.and_then(|found| found.name.clone()).map(|name| short(&name).to_owned());
        let known = all.entry(folder.to_owned()).or_default();
        *known = known.take().or(name);
    }
    let with_source = with_source(tree, all.keys());
    let packages = all.into_iter().filter(|(folder, _)| with_source.contains(folder));
    packages
        .map(|(folder, name)| {
            let own = if folder.is_empty() { repository } else { name_of(&folder) };
            let name = name.unwrap_or_else(|| own.to_owned());
            Package {
                name: name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(NAME).collect(),
                folder,
            }
        })
        .collect()
}

/// Returns those of `folders` that are the innermost around at least one source file.
fn with_source<'f>(tree: &ListedFiles, folders: impl Iterator<Item = &'f String>) -> BTreeSet<String> {
    let folders: Vec<&String> = folders.collect();
    let innermost = |path: &str| {
        let around = folders.iter().filter(|folder| below(path, folder).is_some_and(|rest| !is_side(rest)));
        around.max_by_key(|folder| folder.len()).map(|folder| (*folder).clone())
    };
    tree.files
        .keys()
        .filter(|path| Language::of_path(path).is_some())
        .filter_map(|path| innermost(path))
        .collect()
}

/// Returns the last part of a package name: `tool` of `example.org/team/tool/v2` and of `org.example:tool`.
/// npm scopes such as `@team/tool` stay.
fn short(name: &str) -> &str {
    let last = name.rsplit(':').next().unwrap_or(name);
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit()))
    };
    match last.split_once('/') {
        // A scope such as `@team/tool` belongs to the name.
        Some((first, _)) if first.contains('.') => {
            let mut parts = last.rsplit('/').skip_while(|part| is_version(part));
            parts.next().unwrap_or(last)
        }
        _ => last,
    }
}

/// Returns the existing files where programs, libraries or packages begin, each once with a text such as
/// `program shop`: first those that manifests name, then those with conventional names (`src/main.rs`).
pub(super) fn entry_points(
    tree: &ListedFiles,
    packages: &[Package],
    manifests: &[Manifest],
) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for manifest in manifests.iter().filter(|manifest| !is_side(&manifest.path)) {
        declared(tree, manifest, &mut found);
    }
    for package in packages {
        conventional(tree, package, &mut found);
    }
    let mut seen = BTreeSet::new();
    found.retain(|(path, _)| seen.insert(path.clone()));
    found
}

/// Returns the share, from 0 to 1, of the manifests with an existing entry point among those that name one; 1
/// if none does.
pub(super) fn found_entries(tree: &ListedFiles, manifests: &[Manifest]) -> f64 {
    let naming = manifests.iter().filter(|found| !is_side(&found.path) && !found.entry_points.is_empty());
    let naming: Vec<&Manifest> = naming.collect();
    let exists = |found: &&&Manifest| {
        let mut all = Vec::new();
        declared(tree, found, &mut all);
        !all.is_empty()
    };
    share(naming.iter().filter(exists).count(), naming.len())
}

fn declared(tree: &ListedFiles, manifest: &Manifest, found: &mut Vec<(String, String)>) {
    let folder = folder_of(&manifest.path);
    for (name, starts) in &manifest.programs {
        let guesses =
            [format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs"), "src/main.rs".to_owned()];
        let path = match starts.as_str() {
            "" => guesses.iter().find_map(|guess| existing(tree, folder, guess)),
            starts if manifest.project_type == ProjectType::Python => module_file(tree, starts),
            starts => existing(tree, folder, starts),
        };
        let function = starts.split_once(':').map_or(String::new(), |(_, name)| format!(", function {name}"));
        found.extend(path.map(|path| (path, format!("program {name}{function}"))));
    }
    for starts in &manifest.entry_points {
        let path = match manifest.project_type {
            ProjectType::Python => module_file(tree, starts),
            ProjectType::Maven | ProjectType::Gradle => class_file(tree, starts),
            _ => existing(tree, folder, starts),
        };
        let name =
            manifest.name.as_deref().unwrap_or(folder).split_whitespace().collect::<Vec<_>>().join(" ");
        let declares = |path: &String| [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end));
        let what = match manifest.project_type {
            ProjectType::Rust => "library",
            ProjectType::Maven | ProjectType::Gradle => "program",
            _ if path.as_ref().is_some_and(declares) => "types of package",
            _ => "package",
        };
        found.extend(path.map(|path| (path, format!("{what} {name}"))));
    }
}

/// Returns the existing file for a path that a manifest in `folder` names, also with the extensions and
/// `index` files that npm leaves out; `None` without one.
fn existing(tree: &ListedFiles, folder: &str, named: &str) -> Option<String> {
    let named = named.trim_start_matches("./").trim_end_matches('/');
    let base = if folder.is_empty() { named.to_owned() } else { format!("{folder}/{named}") };
    let ends = ["", ".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"];
    ends.iter()
        .map(|end| format!("{base}{end}").trim_start_matches('/').to_owned())
        .find(|path| tree.has(path))
}

/// Returns the listed source file (Java, Kotlin, Scala or Groovy) of a class such as `org.example.App`.
fn class_file(tree: &ListedFiles, class: &str) -> Option<String> {
    let plain = class.replace('.', "/");
    let ends = ["java", "kt", "scala", "groovy"].map(|end| format!("{plain}.{end}"));
    let fits = |path: &&String| {
        ends.iter().any(|end| {
            path == &end || path.strip_suffix(end.as_str()).is_some_and(|rest| rest.ends_with('/'))
        })
    };
    tree.files.keys().find(fits).cloned()
}

/// Returns the file of a Python entry point such as `package.module:function`, of several the shortest path.
fn module_file(tree: &ListedFiles, starts: &str) -> Option<String> {
    let module = starts.split([':', '[']).next()?.trim().replace('.', "/");
    let ends = [format!("{module}.py"), format!("{module}/__init__.py")];
    let fits = |path: &&String| {
        ends.iter().any(|end| {
            path.strip_suffix(end.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    };
    tree.files.keys().filter(fits).min_by_key(|path| path.len()).cloned()
}

fn conventional(tree: &ListedFiles, package: &Package, found: &mut Vec<(String, String)>) {
    let own = tree.files.keys().filter_map(|path| Some((path, below(path, &package.folder)?)));
    for (path, rest) in own.filter(|(_, rest)| !is_side(rest)) {
        // The manifest names the program of this file.
        if found.iter().any(|(known, what)| known == path && what.starts_with("program ")) {
            continue;
        }
        if let Some(what) = starts(tree, package, path, rest) {
            found.push((path.clone(), what));
        }
    }
}

/// Returns the text for an entry point that a file is by the conventions of its language (`program shop`);
/// `None` for any other file. `rest` is the path relative to the package.
fn starts(tree: &ListedFiles, package: &Package, path: &str, rest: &str) -> Option<String> {
    let name = &package.name;
    let outer = name_of(folder_of(path));
    let depth = rest.matches('/').count();
    let first_package = || !tree.has(&format!("{}/__init__.py", folder_of(folder_of(path))));
    match name_of(rest) {
        "lib.rs" if rest == "src/lib.rs" => Some(format!("library {name}")),
        "main.rs" if rest == "src/main.rs" => Some(format!("program {name}")),
        "main.rs" if rest.starts_with("src/bin/") => Some(format!("program {outer}")),
        _ if rest.starts_with("src/bin/")
            && depth == 2
            && Language::of_path(rest) == Some(Language::Rust) =>
        {
            Some(format!("program {}", stem(rest)))
        }
        "__main__.py" => Some(format!("run as python -m {}", module_name(tree, path))),
        "__init__.py" if first_package() && depth > 0 => Some(format!("package {outer}")),
        "manage.py" | "wsgi.py" | "asgi.py" | "main.py" | "app.py" if depth <= 1 => {
            Some("a script of this name".into())
        }
        "index.js" | "index.ts" | "index.tsx" | "index.mjs" | "main.ts" | "main.js" | "server.js"
        | "server.ts"
            if depth == 0 || rest.starts_with("src/") && depth == 1 =>
        {
            Some(format!("package {name}"))
        }
        _ => None,
    }
}

/// Returns the dotted name of the Python package that contains a file.
fn module_name(tree: &ListedFiles, path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut folder = folder_of(path);
    while !folder.is_empty() && (names.is_empty() || tree.has(&format!("{folder}/__init__.py"))) {
        names.insert(0, name_of(folder));
        folder = folder_of(folder);
    }
    names.join(".")
}

/// Returns the languages of the listed files with their number, the most frequent first.
pub(super) fn languages(tree: &ListedFiles) -> Vec<(Language, usize)> {
    let mut counted: BTreeMap<Language, usize> = BTreeMap::new();
    for path in tree.files.keys() {
        if let Some(language) = Language::of_path(path) {
            *counted.entry(language).or_insert(0) += 1;
        }
    }
    let mut all: Vec<(Language, usize)> = counted.into_iter().collect();
    all.sort_by_key(|(language, files)| (std::cmp::Reverse(*files), *language));
    all
}

/// Returns the usual spelling of a language, such as `C++`.
pub(super) fn written(language: Language) -> &'static str {
    match language {
        Language::Rust => "Rust",
        Language::Python => "Python",
        Language::JavaScript => "JavaScript",
        Language::TypeScript => "TypeScript",
        Language::Tsx => "TSX",
        Language::Go => "Go",
        Language::Java => "Java",
        Language::C => "C",
        Language::Cpp => "C++",
        Language::CSharp => "C#",
        Language::Ruby => "Ruby",
        Language::Php => "PHP",
        Language::Bash => "shell script",
    }
}

/// Returns the runtime dependencies in the manifests as `name version`, each once, without packages of the
/// repository itself.
pub(super) fn needs(manifests: &[Manifest], packages: &[Package]) -> Vec<String> {
    let own = |name: &str| packages.iter().any(|package| package.name == name);
    let mut all: Vec<String> = Vec::new();
    for manifest in manifests.iter().filter(|manifest| !is_side(&manifest.path)) {
        let runs =
            manifest.dependencies.iter().filter(|need| matches!(need.scope, Scope::Runtime | Scope::Peer));
        for need in runs.filter(|need| !own(&need.name)) {
            let version = need.version.as_ref().map_or(String::new(), |version| format!(" {version}"));
            let said = format!("{}{version}", need.name);
            if !all.contains(&said) {
                all.push(said);
            }
        }
    }
    all
}
