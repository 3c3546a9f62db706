//! Finds the build targets of projects by the rules of their ecosystems, one file per ecosystem.

mod built;
mod cargo;
mod dotnet;
mod go;
mod jvm;
mod native;
mod npm;
mod packaged;
mod python;
mod ruby;

use stategraph_repo::ProjectType;

use super::group::{ManifestGroup, ReadManifest};
use super::lines::{join_path, line_of};
use crate::collect::Texts;
use crate::fact::{SourceLines, TargetKind};

/// The build targets found for a project: its programs, libraries, tests, benchmarks and examples.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) found: Vec<FoundTarget>,
    /// True if other code can import the project although no single file is its entry.
    pub(super) is_library: bool,
    /// True if the file of the library that a manifest names does not exist, and no build makes it.
    pub(super) misses_library: bool,
}

/// A build target (program, library, test, …) with the source lines that declare it.
pub(super) struct FoundTarget {
    pub(super) kind: TargetKind,
    pub(super) name: String,
    /// File or function where it starts.
    pub(super) entry: String,
    pub(super) source: SourceLines,
    /// Line of a build file that sets its name, if it comes from there.
    pub(super) named: Option<SourceLines>,
}

/// Finds the build targets of a project by the rules of its ecosystem. `groups` are all projects of the
/// code base.
pub(super) fn of_group(group: &ManifestGroup, groups: &[ManifestGroup], texts: &Texts) -> Targets {
    let mut targets = Targets::default();
    match group.ecosystem {
        ProjectType::Rust => cargo::find(group, texts, &mut targets),
        ProjectType::Go => go::find(group, groups, texts, &mut targets),
        ProjectType::Node => npm::find(group, texts, &mut targets),
        ProjectType::Python => python::find(group, texts, &mut targets),
        ProjectType::Maven | ProjectType::Gradle => jvm::find(group, texts, &mut targets),
        ProjectType::Dotnet => dotnet::find(group, texts, &mut targets),
        ProjectType::Ruby => ruby::find(group, texts, &mut targets),
        ProjectType::Cmake | ProjectType::Meson | ProjectType::Autotools => native::find(group, &mut targets),
        ProjectType::Php => php(group, texts, &mut targets),
        ProjectType::Unknown => {}
    }
    targets
}

/// Adds to `targets` the programs listed under `bin` of a `composer.json`.
fn php(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    for read in &group.manifests {
        for (name, path) in &read.manifest.programs {
            let entry = join_path(&group.folder, path);
            let line = read.line_at(&[&["bin", "#"], &["bin"]], path);
            // A file that the build makes is not there yet.
            if texts.exists(&entry) {
                targets.add(TargetKind::Program, name, entry, place(read, line));
            }
        }
    }
}

impl Targets {
    /// Adds a build target unless the same one (kind, name and entry) is known.
    fn add(&mut self, kind: TargetKind, name: &str, entry: String, source: SourceLines) {
        if !self.found.iter().any(|it| it.kind == kind && it.name == name && it.entry == entry) {
            self.found.push(FoundTarget { kind, name: name.to_owned(), entry, source, named: None });
        }
    }

    /// Renames the Go program with this entry to the name that a build file gives it.
    fn name_built(&mut self, entry: &str, built: &built::BuiltName) {
        let own = self.found.iter_mut().find(|it| it.kind == TargetKind::Program && it.entry == entry);
        if let Some(target) = own {
            target.name.clone_from(&built.name);
            target.named = Some(built.source.clone());
        }
    }

    /// Adds a build target whose own file is its entry and its source.
    fn add_file(&mut self, kind: TargetKind, name: &str, path: String) {
        let source = SourceLines::line(&path, 1);
        self.add(kind, name, path, source);
    }
}

/// Returns the position of a line in a manifest; line 1 if the line is unknown.
fn place(read: &ReadManifest, line: Option<usize>) -> SourceLines {
    SourceLines::line(&read.manifest.path, line.unwrap_or(1))
}

/// Returns the position of the first line of a manifest that contains the word; line 1 if none does.
fn place_of(read: &ReadManifest, word: &str) -> SourceLines {
    place(read, line_of(&read.text, word))
}

/// Returns the folder's path with a trailing `/`, so that paths of files in it start with the result; empty
/// for the root.
fn prefix(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}
