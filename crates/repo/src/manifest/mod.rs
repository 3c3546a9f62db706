//! Facts about a project from its manifests: name, dependencies, entry points (CTX-11, 14, 15, 58). Each format has its own parser. A
//! manifest with an error is reported, and the others are used.

#![allow(clippy::unnecessary_wraps, reason = "the readers share a signature; some cannot fail")]

mod autotools;
mod cargo;
mod cmake;
mod composer;
mod dotnet;
mod go;
mod gradle;
mod key_files;
mod maven;
mod meson;
mod npm;
mod project;
mod python;
mod ruby;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use key_files::{KeyFiles, key_files};
pub use project::{ProjectMetadata, project};

/// A kind of project, by the manifest that marks it. The variants are in order of precedence for a repository
/// with several (CTX-14).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectType {
    /// `package.json`.
    Node,
    /// `pyproject.toml`, `setup.py`, `requirements.txt`.
    Python,
    /// `Cargo.toml`.
    Rust,
    /// `go.mod`.
    Go,
    /// `pom.xml`.
    Maven,
    /// `build.gradle`, `build.gradle.kts`.
    Gradle,
    /// `composer.json`.
    Php,
    /// `*.csproj`, `*.fsproj`.
    Dotnet,
    /// `*.gemspec`.
    Ruby,
    /// `CMakeLists.txt`.
    Cmake,
    /// `meson.build`.
    Meson,
    /// `configure.ac`, `Makefile.am`.
    Autotools,
    /// None of them.
    Unknown,
}

/// The facts that one manifest states about its project. Made by [`manifest()`] and [`side_manifest`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Path relative to the root.
    pub path: String,
    /// The type of project that it marks.
    pub project_type: ProjectType,
    /// Name of the project.
    pub name: Option<String>,
    /// Version of the project.
    pub version: Option<String>,
    /// Its description of the project.
    pub description: Option<String>,
    /// The direct dependencies, sorted by scope, then by name.
    pub dependencies: Vec<Dependency>,
    /// Files, modules or classes at which programs or libraries begin, as the manifest names them.
    pub entry_points: Vec<String>,
    /// Commands that it installs, by name, and what each starts, as the manifest says it: a file, or `module:function`. Cargo's may
    /// say no file; then it is where Cargo looks for it.
    pub programs: BTreeMap<String, String>,
    /// The error, if it could not be read.
    pub problem: Option<String>,
    /// Declared results of the build besides `programs`, such as libraries and tests.
    #[serde(skip)]
    pub targets: Vec<DeclaredTarget>,
    /// Versions that the members of a workspace may refer to, by name; `None` if the workspace states none.
    /// The project itself may need none of them.
    #[serde(skip)]
    pub shared: BTreeMap<String, Option<String>>,
    /// Scopes that the manifest writes for its dependencies, and those that it manages for its members.
    #[serde(skip)]
    pub scopes: BTreeMap<String, Scope>,
    /// Statements of the manifest about the kind of its project.
    #[serde(skip)]
    pub marks: BTreeSet<ManifestMark>,
}

/// A result of the build that a manifest declares, such as a library, a program or a test.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredTarget {
    /// Its kind.
    pub kind: DeclaredKind,
    /// Its name.
    pub name: String,
    /// Its first source file, relative to the folder of the manifest; `None` if it is not declared.
    pub path: Option<String>,
}

/// The kind of a [`DeclaredTarget`]: a library, a program, or code for examples, tests or benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the terms of the ecosystems")]
pub enum DeclaredKind {
    Library,
    Program,
    Example,
    Test,
    Bench,
}

/// A statement of a manifest about the kind of its project, such as being a library or a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ManifestMark {
    /// It has member projects.
    Workspace,
    /// It is not published.
    Private,
    /// It is a library: other code calls it.
    Library,
    /// It is a program: users or other programs start it.
    Program,
    /// It is the source of a website.
    Website,
    /// It tests other projects.
    Tests,
    /// Cargo must not discover programs by their paths (`autobins = false`).
    NoAutoPrograms,
    /// Cargo must not discover examples by their paths.
    NoAutoExamples,
    /// Cargo must not discover tests by their paths.
    NoAutoTests,
    /// Cargo must not discover benchmarks by their paths.
    NoAutoBenches,
}

/// A package that a project needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dependency {
    /// The use of the dependency.
    pub scope: Scope,
    /// As the registry calls it; `group:artifact` for Java.
    pub name: String,
    /// The version as required; none if any will do, or if it is elsewhere (a path, a workspace).
    pub version: Option<String>,
}

/// The purpose for which a project needs a dependency: to run, build, develop and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Needed to run.
    Runtime,
    /// Needed to run an optional feature.
    Optional,
    /// Needed to run, and provided by the environment or by the project that uses this one.
    Peer,
    /// Needed to build.
    Build,
    /// Needed to develop and test.
    Dev,
}

/// A parser of manifests: adds the facts in a text to the manifest. The error is the reason why the text
/// cannot be parsed.
type Reader = fn(&str, &mut Manifest) -> Result<(), String>;

/// The names of manifests with their project types and parsers.
const READERS: &[(&str, ProjectType, Reader)] = &[
    ("package.json", ProjectType::Node, npm::read),
    ("pyproject.toml", ProjectType::Python, python::pyproject),
    ("setup.py", ProjectType::Python, python::setup),
    ("setup.cfg", ProjectType::Python, python::setup_cfg),
    ("requirements.txt", ProjectType::Python, python::requirements),
    ("Cargo.toml", ProjectType::Rust, cargo::read),
    ("go.mod", ProjectType::Go, go::read),
    ("pom.xml", ProjectType::Maven, maven::read),
    ("build.gradle", ProjectType::Gradle, gradle::read),
    ("build.gradle.kts", ProjectType::Gradle, gradle::read),
    ("libs.versions.toml", ProjectType::Gradle, gradle::catalogue),
    ("composer.json", ProjectType::Php, composer::read),
];

/// The endings of names of manifests with their project types and parsers.
const READERS_BY_END: &[(&str, ProjectType, Reader)] = &[
    (".csproj", ProjectType::Dotnet, dotnet::read),
    (".fsproj", ProjectType::Dotnet, dotnet::read),
    (".gemspec", ProjectType::Ruby, ruby::read),
];

/// Build files of C and C++, and lists of packages, with their parsers. They are manifests only if they
/// declare a project with a name.
const SIDE_FILES: &[(&str, ProjectType, Reader)] = &[
    ("CMakeLists.txt", ProjectType::Cmake, cmake::read),
    ("meson.build", ProjectType::Meson, meson::read),
    ("configure.ac", ProjectType::Autotools, autotools::configure),
    ("configure.in", ProjectType::Autotools, autotools::configure),
    ("Makefile.am", ProjectType::Autotools, autotools::automake),
    ("Gemfile", ProjectType::Ruby, ruby::gemfile),
    ("requirements-dev.txt", ProjectType::Python, python::dev_requirements),
    ("requirements_dev.txt", ProjectType::Python, python::dev_requirements),
    ("dev-requirements.txt", ProjectType::Python, python::dev_requirements),
    ("requirements-test.txt", ProjectType::Python, python::dev_requirements),
    ("test-requirements.txt", ProjectType::Python, python::dev_requirements),
];

/// Returns the project type and the parser for the file name of a manifest; `None` for other files.
fn reader(name: &str) -> Option<(ProjectType, Reader)> {
    let named = READERS.iter().find(|(known, ..)| *known == name);
    let found = named.or_else(|| READERS_BY_END.iter().find(|(end, ..)| name.ends_with(end)));
    found.map(|(_, project_type, read)| (*project_type, *read))
}

/// Returns true if a file of this name is a manifest. Build files of C and C++, and lists of packages, are
/// not; see [`side_manifest`].
pub fn is_manifest(file_name: &str) -> bool {
    reader(file_name).is_some()
}

/// Parses the manifest at `path`, whose file name selects the parser; `None` if no manifest is called so. An
/// error of the parser is in `problem` of the result.
///
/// ```
/// use stategraph_repo::{Scope, manifest};
///
/// let found = manifest("Cargo.toml", "[package]\nname = \"a\"\n[dev-dependencies.b]\nversion = \"1\"\n").unwrap();
/// assert_eq!((found.dependencies[0].scope, found.dependencies[0].name.as_str()), (Scope::Dev, "b"));
/// ```
pub fn manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (project_type, read) = reader(name)?;
    Some(read_with(path, text, project_type, read))
}

/// Parses a build file of C or C++ or a list of packages; `None` if `path` is not called like one. The result
/// has a name only if the file declares a project.
pub fn side_manifest(path: &str, text: &str) -> Option<Manifest> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, project_type, read) = SIDE_FILES.iter().find(|(known, ..)| *known == name)?;
    Some(read_with(path, text, *project_type, *read))
}

fn read_with(path: &str, text: &str, project_type: ProjectType, read: Reader) -> Manifest {
    let mut found = Manifest {
        path: path.to_owned(),
        project_type,
        name: None,
        version: None,
        description: None,
        dependencies: Vec::new(),
        entry_points: Vec::new(),
        programs: BTreeMap::new(),
        problem: None,
        targets: Vec::new(),
        shared: BTreeMap::new(),
        scopes: BTreeMap::new(),
        marks: BTreeSet::new(),
    };
    found.problem = read(text, &mut found).err();
    found.dependencies.sort();
    found.dependencies.dedup();
    found
}

/// Appends the condition under which a dependency counts to its version: `1.2; python_version < "3"`. The
/// condition of an extra is left out, because its scope says that.
fn with_condition(version: &str, condition: &str) -> String {
    if condition.is_empty() || condition.contains("extra ==") {
        return version.to_owned();
    }
    format!("{version}; {condition}")
}

impl Manifest {
    fn needs(&mut self, scope: Scope, name: impl Into<String>, version: Option<&str>) {
        let version = version.map(str::trim).filter(|version| !version.is_empty()).map(str::to_owned);
        self.dependencies.push(Dependency { scope, name: name.into(), version });
    }

    fn target(&mut self, kind: DeclaredKind, name: impl Into<String>, path: Option<String>) {
        self.targets.push(DeclaredTarget { kind, name: name.into(), path });
    }

    fn mark(&mut self, mark: ManifestMark, holds: bool) {
        if holds {
            self.marks.insert(mark);
        }
    }
}

/// Returns the message of a parser on one line, cut at 300 characters.
#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn reason(error: impl ToString) -> String {
    let said = error.to_string();
    said.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
        .chars()
        .take(300)
        .collect()
}
