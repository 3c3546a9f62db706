//! Finds the build outputs of projects by the rules of their ecosystems. One file an ecosystem.

mod built;
mod cargo;
mod dotnet;
mod go;
mod jvm;
mod native;
mod npm;
mod python;
mod ruby;

use stategraph_repo::ProjectType;

use super::group::{ManifestGroup, ReadManifest};
use super::lines::{join_path, line_of};
use crate::collect::Texts;
use crate::fact::{SourceLines, TargetKind};

/// The targets of a project.
#[derive(Default)]
pub(super) struct Targets {
    pub(super) found: Vec<FoundTarget>,
    /// True if other code can call it, though no one file is its beginning.
    pub(super) is_library: bool,
}

/// A target with its place.
pub(super) struct FoundTarget {
    pub(super) kind: TargetKind,
    pub(super) name: String,
    pub(super) entry: String,
    pub(super) source: SourceLines,
    /// The line of a build file that gives it its name.
    pub(super) named: Option<SourceLines>,
}

/// Returns the targets of a project.
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

/// Composer's `bin`.
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
    fn add(&mut self, kind: TargetKind, name: &str, entry: String, source: SourceLines) {
        if !self.found.iter().any(|it| it.kind == kind && it.name == name && it.entry == entry) {
            self.found.push(FoundTarget { kind, name: name.to_owned(), entry, source, named: None });
        }
    }

    /// Gives a program of Go the name that a build file calls it.
    fn name_built(&mut self, entry: &str, built: &built::BuiltName) {
        let own = self.found.iter_mut().find(|it| it.kind == TargetKind::Program && it.entry == entry);
        if let Some(target) = own {
            target.name.clone_from(&built.name);
            target.named = Some(built.source.clone());
        }
    }

    /// Adds a target that its file shows.
    fn add_file(&mut self, kind: TargetKind, name: &str, path: String) {
        let source = SourceLines::line(&path, 1);
        self.add(kind, name, path, source);
    }
}

/// A line of a manifest; the first if it is not known.
fn place(read: &ReadManifest, line: Option<usize>) -> SourceLines {
    SourceLines::line(&read.manifest.path, line.unwrap_or(1))
}

/// The first line of a manifest with a word.
fn place_of(read: &ReadManifest, word: &str) -> SourceLines {
    place(read, line_of(&read.text, word))
}

/// Returns `folder/`, or nothing for the root.
fn prefix(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}
