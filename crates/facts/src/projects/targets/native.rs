//! Finds the declared targets of `CMake`, Meson and Automake projects. Programs in folders of tests,
//! examples and benchmarks count as tests, examples and benchmarks.

use stategraph_repo::DeclaredKind;

use super::{Targets, place};
use crate::fact::{PathRole, TargetKind};
use crate::projects::group::ManifestGroup;
use crate::projects::lines::{folder_of, join_path, line_of, line_where};
use crate::role::role_of;

/// Maximum number of targets of one build file.
const MOST: usize = 300;

/// Adds the programs and libraries that the build files of a C or C++ project declare to `targets`.
pub(super) fn find(group: &ManifestGroup, targets: &mut Targets) {
    for read in &group.manifests {
        let folder = folder_of(&read.manifest.path);
        for it in read.manifest.targets.iter().take(MOST) {
            let entry =
                it.path.as_ref().map_or_else(|| read.manifest.path.clone(), |path| join_path(folder, path));
            let kind = match (role_of(&entry), it.kind) {
                // A project below `examples` is one whose programs are examples too.
                (PathRole::Test, DeclaredKind::Library) | (PathRole::Vendored | PathRole::Build, _) => {
                    continue;
                }
                (PathRole::Test, _) => TargetKind::Test,
                (PathRole::Example | PathRole::Docs, DeclaredKind::Program) => TargetKind::Example,
                (PathRole::Bench, DeclaredKind::Program) => TargetKind::Bench,
                (PathRole::Example | PathRole::Docs | PathRole::Bench, _) => continue,
                (_, DeclaredKind::Library) => TargetKind::Library,
                (_, DeclaredKind::Program) => of_name(&it.name),
                (_, DeclaredKind::Example) => TargetKind::Example,
                (_, DeclaredKind::Test) => TargetKind::Test,
                (_, DeclaredKind::Bench) => TargetKind::Bench,
            };
            let is_comment = |line: &str| line.trim_start().starts_with('#');
            let declares = |line: &str| {
                let words = ["add_", "library", "executable", "PROGRAMS", "LIBRARIES"];
                !is_comment(line) && words.iter().any(|word| line.contains(word))
            };
            // Commands of CMake have no case.
            let calls = |line: &str| {
                let lower = line.to_lowercase();
                let is_call = ["add_executable", "add_library", "executable(", "library("]
                    .iter()
                    .any(|it| lower.contains(it));
                !is_comment(line) && is_call && !lower.contains("target_")
            };
            let line = line_where(&read.text, &it.name, calls);
            let line = line.or_else(|| line_where(&read.text, &it.name, declares));
            let line = line.or_else(|| line_of(&read.text, &it.name));
            let line = line.or_else(|| line_of(&read.text, &format!("{}.la", it.name)));
            // A name that is put together stands in no line.
            let line = line.or_else(|| {
                read.text
                    .lines()
                    .position(|line| line.contains("PROJECT_NAME") && declares(line))
                    .map(|at| at + 1)
            });
            targets.add(kind, &it.name, entry, place(read, line));
        }
    }
}

/// Returns the kind of a program that a C or C++ build file declares, judged by its name: test, benchmark
/// or example if it is called so, else program.
fn of_name(name: &str) -> TargetKind {
    let lower = name.to_lowercase();
    let has = |word: &str| lower.split(['-', '_', '.']).any(|part| part == word);
    match () {
        () if has("test") || has("tests") || has("unittest") || has("fuzz") || has("fuzzer") => {
            TargetKind::Test
        }
        () if has("bench") || has("benchmark") || has("benchmarks") => TargetKind::Bench,
        () if has("example") || has("examples") || has("demo") || has("sample") => TargetKind::Example,
        () => TargetKind::Program,
    }
}
