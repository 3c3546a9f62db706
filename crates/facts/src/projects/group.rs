//! Groups manifests into projects: the manifests of one ecosystem in one folder, with the build files below
//! it that declare no project of their own.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stategraph_repo::{Manifest, ManifestMark, ProjectMetadata, ProjectType, side_manifest};

use super::entries::{self, ManifestEntry};
use super::lines::{folder_of, line_of, line_where};
use super::versions;
use crate::collect::Texts;
use crate::fact::SourceLines;

/// Maximum number of C and C++ build files that are read.
const NATIVE: usize = 400;

/// Names of files that are read in addition to the manifests.
const SIDE_FILES: &[&str] = &[
    "CMakeLists.txt",
    "meson.build",
    "configure.ac",
    "configure.in",
    "Makefile.am",
    "Gemfile",
    "requirements-dev.txt",
    "requirements_dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "test-requirements.txt",
];

/// Paths of entries that hold the project's name in TOML and JSON.
const NAMES: &[&[&str]] =
    &[&["package", "name"], &["project", "name"], &["tool", "poetry", "name"], &["name"]];
/// Paths of entries that hold the project's name in XML, in the order of preference.
const XML_NAMES: &[&[&str]] = &[
    &["project", "artifactId"],
    &["project", "parent", "artifactId"],
    &["Project", "PropertyGroup", "PackageId"],
    &["Project", "PropertyGroup", "AssemblyName"],
];

/// A project: all its manifests, which belong to one ecosystem.
pub(super) struct ManifestGroup {
    pub(super) folder: String,
    pub(super) ecosystem: ProjectType,
    /// Its manifests, the most informative first.
    pub(super) manifests: Vec<ReadManifest>,
    /// Position of the version, if a file other than a manifest holds it.
    pub(super) version_source: Option<SourceLines>,
}

/// A parsed manifest with its text and entries.
pub(super) struct ReadManifest {
    pub(super) manifest: Manifest,
    pub(super) text: String,
    /// Its entries in the order of the text; empty for formats without a parser.
    pub(super) entries: Vec<ManifestEntry>,
}

/// The description that a project's manifest gives, with its position.
pub(crate) struct Described {
    pub(crate) folder: String,
    pub(crate) ecosystem: ProjectType,
    pub(crate) is_private: bool,
    pub(crate) text: String,
    pub(crate) source: SourceLines,
}

/// Returns all projects of a code base, outer ones first, with their names, versions and members completed.
pub(super) fn groups(project: &ProjectMetadata, texts: &Texts) -> Vec<ManifestGroup> {
    let mut found: Vec<ManifestGroup> = Vec::new();
    for manifest in &project.manifests {
        let Some(text) = texts.read(&manifest.path) else { continue };
        let folder = folder_of(&manifest.path);
        // The version catalogue of Gradle belongs to the project around its folder.
        let folder = if manifest.path.ends_with("libs.versions.toml") { folder_of(folder) } else { folder };
        put(&mut found, folder, ReadManifest::new(manifest.clone(), text));
    }
    native(texts, &mut found);
    for group in &mut found {
        group.manifests.sort_by_key(|it| rank(&it.manifest.path));
        gradle_settings(group, texts);
        versions::fill(group, texts);
    }
    put_main_ecosystem_first(&mut found, texts);
    found
}

/// Reorders the projects that share a folder: those in whose language the folder has more source files come first. A library of
/// Rust with bindings for Python has a manifest of each, and is a project of Rust first.
fn put_main_ecosystem_first(found: &mut [ManifestGroup], texts: &Texts) {
    let mut folders: BTreeMap<String, (usize, BTreeMap<ProjectType, usize>)> = BTreeMap::new();
    for (at, group) in found.iter().enumerate() {
        let (_, ecosystems) = folders.entry(group.folder.clone()).or_insert((at, BTreeMap::new()));
        ecosystems.insert(group.ecosystem, 0);
    }
    for (folder, (_, ecosystems)) in folders.iter_mut().filter(|(_, (_, ecosystems))| ecosystems.len() > 1) {
        let inside = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        for path in texts.below(&inside) {
            for (ecosystem, files) in ecosystems.iter_mut() {
                *files += usize::from(is_source_of(*ecosystem, path));
            }
        }
    }
    found.sort_by_cached_key(|group| {
        let (first, ecosystems) = &folders[&group.folder];
        (*first, Reverse(ecosystems[&group.ecosystem]))
    });
}

/// Returns true for a file in a language of the ecosystem, by its extension.
fn is_source_of(ecosystem: ProjectType, path: &str) -> bool {
    let languages: &[&str] = match ecosystem {
        ProjectType::Rust => &["rs"],
        ProjectType::Python => &["py", "pyx"],
        ProjectType::Node => &["js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
        ProjectType::Go => &["go"],
        ProjectType::Maven | ProjectType::Gradle => &["java", "kt", "kts", "scala", "groovy"],
        ProjectType::Php => &["php"],
        ProjectType::Dotnet => &["cs", "fs", "vb"],
        ProjectType::Ruby => &["rb"],
        ProjectType::Cmake | ProjectType::Meson | ProjectType::Autotools => {
            &["c", "h", "cc", "cpp", "cxx", "hpp"]
        }
        ProjectType::Unknown => &[],
    };
    path.rsplit_once('.').is_some_and(|(_, extension)| languages.contains(&extension))
}

fn put(found: &mut Vec<ManifestGroup>, folder: &str, read: ReadManifest) {
    let ecosystem = read.manifest.project_type;
    // Every project file of .NET and every gemspec is a project of its own.
    let is_shared = !matches!(ecosystem, ProjectType::Dotnet | ProjectType::Ruby);
    let known = found.iter_mut().find(|it| it.folder == folder && it.ecosystem == ecosystem && is_shared);
    match known {
        Some(group) => group.manifests.push(read),
        None => found.push(ManifestGroup {
            folder: folder.to_owned(),
            ecosystem,
            manifests: vec![read],
            version_source: None,
        }),
    }
}

/// Adds a list of packages (`Gemfile`, `requirements-dev.txt`) to the project of its folder.
fn put_list(found: &mut Vec<ManifestGroup>, folder: &str, read: ReadManifest) {
    let ecosystem = read.manifest.project_type;
    match found.iter_mut().find(|it| it.folder == folder && it.ecosystem == ecosystem) {
        Some(group) => group.manifests.push(read),
        None => found.push(ManifestGroup {
            folder: folder.to_owned(),
            ecosystem,
            manifests: vec![read],
            version_source: None,
        }),
    }
}

/// Returns the sort key of a manifest in its project; lower is more informative.
fn rank(path: &str) -> usize {
    const ORDER: &[&str] = &["pyproject.toml", "setup.cfg", "setup.py", "requirements.txt"];
    let name = path.rsplit('/').next().unwrap_or(path);
    ORDER.iter().position(|known| *known == name).unwrap_or(if name == "libs.versions.toml" { 9 } else { 0 })
}

/// Adds secondary manifests (the files named in `SIDE_FILES`, among them C and C++ build files) to the
/// projects. A file that names a project makes one; any other is added to the nearest project around it.
fn native(texts: &Texts, found: &mut Vec<ManifestGroup>) {
    let read = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !SIDE_FILES.contains(&name) {
            return None;
        }
        let text = texts.read(path)?;
        Some(ReadManifest::new(side_manifest(path, &text)?, text))
    };
    let mut all: Vec<ReadManifest> = texts.paths().filter_map(read).take(NATIVE).collect();
    all.sort_by_key(|it| (it.manifest.path.matches('/').count(), it.manifest.path.clone()));
    let (named, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|it| it.manifest.name.is_some());
    let from = found.len();
    for it in named {
        let folder = folder_of(&it.manifest.path).to_owned();
        put(found, &folder, it);
    }
    for it in rest {
        let folder = folder_of(&it.manifest.path);
        if matches!(it.manifest.project_type, ProjectType::Ruby | ProjectType::Python) {
            let folder = folder.to_owned();
            put_list(found, &folder, it);
            continue;
        }
        let around = found.iter_mut().skip(from).filter(|group| {
            let is_around = group.folder.is_empty()
                || folder == group.folder
                || folder.starts_with(&format!("{}/", group.folder));
            group.ecosystem == it.manifest.project_type && is_around
        });
        if let Some(group) = around.max_by_key(|group| group.folder.len()) {
            group.manifests.push(it);
        }
    }
}

/// Adds the settings file of a Gradle project to its manifests, for the project's name and its mark as a
/// workspace.
fn gradle_settings(group: &mut ManifestGroup, texts: &Texts) {
    if group.ecosystem != ProjectType::Gradle {
        return;
    }
    let prefix = if group.folder.is_empty() { String::new() } else { format!("{}/", group.folder) };
    for name in ["settings.gradle", "settings.gradle.kts"] {
        let path = format!("{prefix}{name}");
        let Some(text) = texts.exists(&path).then(|| texts.read(&path)).flatten() else { continue };
        let Some(first) = group.manifests.first() else { continue };
        let mut manifest = Manifest {
            path,
            name: None,
            version: None,
            description: None,
            dependencies: Vec::new(),
            targets: Vec::new(),
            ..first.manifest.clone()
        };
        manifest.marks.clear();
        manifest.entry_points.clear();
        let named = text.lines().find_map(|line| {
            let value = line.trim().strip_prefix("rootProject.name")?.trim_start().strip_prefix('=')?.trim();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            value[1..].split(quote).next().map(str::to_owned)
        });
        manifest.name = named.filter(|name| !name.contains('$'));
        if text.lines().any(|line| line.trim_start().starts_with("include")) {
            manifest.marks.insert(ManifestMark::Workspace);
        }
        group.manifests.push(ReadManifest::new(manifest, text));
        return;
    }
}

impl ReadManifest {
    /// Makes the record of a parsed manifest and reads the entries in its text.
    fn new(manifest: Manifest, text: String) -> Self {
        let entries = entries::read(&manifest.path, &text);
        Self { manifest, text, entries }
    }

    /// Returns the line, from 1, of the manifest entry whose value is `text`, at the first of the paths of
    /// keys that has one; `None` if none has.
    pub(super) fn line_at(&self, paths: &[&[&str]], text: &str) -> Option<usize> {
        let has = |entry: &&ManifestEntry, path: &[&str]| entry.is_at(path) && entry.text == text;
        paths.iter().find_map(|path| self.entries.iter().find(|it| has(it, path))).map(|it| it.line)
    }
}

impl ManifestGroup {
    /// Returns true if one of the project's manifests has this mark, such as that of a workspace.
    pub(super) fn has(&self, mark: ManifestMark) -> bool {
        self.manifests.iter().any(|it| it.manifest.marks.contains(&mark))
    }

    /// Returns the name that the project's manifests state, with its position; a Gradle project may be
    /// called like its folder.
    pub(super) fn name(&self) -> Option<(String, SourceLines)> {
        let named = self.manifests.iter().find(|it| it.manifest.name.is_some());
        // A project of Gradle is called like its folder.
        if named.is_none() && self.ecosystem == ProjectType::Gradle && !self.folder.is_empty() {
            let name = self.folder.rsplit('/').next().unwrap_or(&self.folder);
            return Some((name.to_owned(), self.first_place()));
        }
        let named = named?;
        let name = named.manifest.name.clone()?;
        let is_xml = matches!(self.ecosystem, ProjectType::Maven | ProjectType::Dotnet);
        let line = named.line_at(if is_xml { XML_NAMES } else { NAMES }, &name);
        if line.is_some() || !named.entries.is_empty() {
            // The name of a project file of .NET may be that of the file.
            return Some((name, SourceLines::line(&named.manifest.path, line.unwrap_or(1))));
        }
        let keys = ["name", "artifactId", "module", "project", "AC_INIT", "PackageId", "AssemblyName"];
        // Commands of CMake have no case.
        let is_call =
            |line: &str| line.trim_start().get(..7).is_some_and(|word| word.eq_ignore_ascii_case("project"));
        let key = line_where(&named.text, &name, is_call);
        // `project_urls` of Python is no call.
        let opens = |line: &str| {
            is_call(line) && line.trim_start().get(7..).is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        let key = key.or_else(|| line_of_call(&named.text, &name, opens));
        let key =
            key.or_else(|| line_where(&named.text, &name, |line| keys.iter().any(|key| line.contains(key))));
        let line = key.or_else(|| line_of(&named.text, &name)).unwrap_or(1);
        Some((name, SourceLines::line(&named.manifest.path, line)))
    }

    /// Returns the first valid version that one of the project's manifests states.
    pub(super) fn version(&self) -> Option<String> {
        self.manifests.iter().find_map(|it| it.manifest.version.clone().filter(|version| is_version(version)))
    }

    /// Returns the file and line that state the project's version: in a source file if it comes from there,
    /// else in a manifest.
    pub(super) fn version_place(&self) -> Option<SourceLines> {
        self.version_source.clone().or_else(|| {
            let (it, version) = self.manifests.iter().find_map(|it| {
                let version = it.manifest.version.as_deref().filter(|version| is_version(version))?;
                Some((it, version))
            })?;
            let has = |line: &str| line.contains(version) && line.to_lowercase().contains("version");
            let line = it.text.lines().position(has)?;
            Some(SourceLines::line(&it.manifest.path, line + 1))
        })
    }

    /// Returns the description of the project: the first that one of its manifests states.
    pub(super) fn description(&self) -> Option<&str> {
        self.manifests.iter().find_map(|it| it.manifest.description.as_deref())
    }

    /// Returns the project's description with its source lines: the first that a manifest states; `None` if
    /// its text is not found in the file.
    pub(super) fn locate_description(&self) -> Option<Described> {
        let it = self.manifests.iter().find(|it| it.manifest.description.is_some())?;
        let text = it.manifest.description.clone()?;
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let has =
            |line: &str, words: &str| line.contains(words) || line.replace("\\\"", "\"").contains(words);
        let start = it.text.lines().position(|line| has(line, lines.first().copied().unwrap_or(" ")))?;
        let last = lines.last().copied().unwrap_or_default();
        let end = it.text.lines().skip(start).take(40).position(|line| has(line, last)).unwrap_or(0);
        let source = SourceLines { path: it.manifest.path.clone(), start: start + 1, end: start + end + 1 };
        let is_private = self.has(ManifestMark::Private);
        Some(Described { folder: self.folder.clone(), ecosystem: self.ecosystem, is_private, text, source })
    }

    /// Returns line 1 of the project's first manifest, as a source for facts without a position. Of a Python project that is the call
    /// of `setup`, because a `setup.cfg` or `pyproject.toml` without a name configures tools.
    pub(super) fn first_place(&self) -> SourceLines {
        let setup = self.manifests.iter().find(|it| it.manifest.path.ends_with("setup.py"));
        let is_call = |line: &&str| {
            line.split_once("setup(").is_some_and(|(before, _)| {
                !before.contains("def ") && !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            })
        };
        let call = setup.and_then(|it| {
            let lines: Vec<&str> = it.text.lines().collect();
            Some(SourceLines::line(&it.manifest.path, lines.iter().rposition(is_call)? + 1))
        });
        if let Some(call) = call.filter(|_| self.manifests.iter().all(|it| it.manifest.name.is_none())) {
            return call;
        }
        let path = self.manifests.first().map(|it| it.manifest.path.as_str()).unwrap_or_default();
        SourceLines::line(path, 1)
    }
}

/// Returns the line, from 1, of the first call that has `name` among the lines of its arguments. `is_call` tells in
/// which lines a call begins.
fn line_of_call(text: &str, name: &str, is_call: impl Fn(&str) -> bool) -> Option<usize> {
    const LINES: usize = 6;
    let lines: Vec<&str> = text.lines().collect();
    let has_name = |at: usize| {
        let length = lines[at..].iter().take(LINES).take_while(|line| line.trim() != ")").count();
        line_of(&lines[at..at + length].join("\n"), name).is_some()
    };
    (0..lines.len()).find(|at| is_call(lines[*at]) && has_name(*at)).map(|at| at + 1)
}

/// Returns true if the text is a version: it has a digit and no variable, and is not `0`.
fn is_version(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit()) && !text.contains("${") && text != "0"
}
