//! Finds the target of a .NET project file.

use stategraph_repo::ManifestMark;

use super::{Targets, place, prefix};
use crate::collect::Texts;
use crate::fact::{PathRole, TargetKind};
use crate::projects::group::ManifestGroup;
use crate::role::role_of;

/// Adds the build target of each .NET project file (program, library or test) to `targets`.
pub(super) fn find(group: &ManifestGroup, texts: &Texts, targets: &mut Targets) {
    for read in &group.manifests {
        let Some(name) = &read.manifest.name else { continue };
        let marks = &read.manifest.marks;
        let kind = match () {
            () if role_of(&read.manifest.path) == PathRole::Bench => TargetKind::Bench,
            () if marks.contains(&ManifestMark::Tests) => TargetKind::Test,
            () if marks.contains(&ManifestMark::Program) => TargetKind::Program,
            () if marks.contains(&ManifestMark::Library) && is_called_test(name) => TargetKind::Test,
            () if marks.contains(&ManifestMark::Library) => TargetKind::Library,
            () => continue,
        };
        let prefix = prefix(&group.folder);
        let begins = |path: &&String| {
            let is_own = path.ends_with(".cs") && !path[prefix.len()..].contains('/');
            is_own
                && texts.read(path).is_some_and(|text| {
                    text.lines().any(|line| line.contains("static ") && line.contains(" Main("))
                })
        };
        let entry = match kind {
            TargetKind::Program if texts.exists(&format!("{prefix}Program.cs")) => {
                format!("{prefix}Program.cs")
            }
            TargetKind::Program => texts
                .below(&prefix)
                .filter(|path| path.ends_with(".cs"))
                .take(60)
                .find(begins)
                .cloned()
                .unwrap_or_else(|| read.manifest.path.clone()),
            _ => read.manifest.path.clone(),
        };
        let line = read.entries.iter().find(|it| it.key() == "OutputType" && !it.text.is_empty());
        let line = line.map(|it| it.line).filter(|_| kind == TargetKind::Program);
        targets.add(kind, name, entry, place(read, line));
    }
}

/// Returns true for the name of a test project, such as `Shop.Tests`.
fn is_called_test(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| {
        matches!(last, "Test" | "Tests" | "Specs" | "UnitTests" | "IntegrationTests")
            || last.ends_with("Tests")
    })
}
