//! Decides the shape of a project (library, program, framework and so on) from its targets and manifests. A
//! framework is recognised by the project's own description.

use stategraph_repo::{ManifestMark, ProjectType};

use super::group::ManifestGroup;
use super::targets::Targets;
use crate::collect::Texts;
use crate::fact::{PathRole, ProjectShape, TargetKind};
use crate::purposes::readme_paragraph;
use crate::role::role_of;

/// Returns the shape of a project (library, program, both, framework, website or workspace); `None` if
/// neither its build targets nor its manifests show it.
pub(super) fn of_group(group: &ManifestGroup, targets: &Targets, texts: &Texts) -> Option<ProjectShape> {
    let has =
        |kind: TargetKind| targets.found.iter().any(|it| it.kind == kind && is_product(group, &it.entry));
    let is_marked =
        group.has(ManifestMark::Library) && !targets.misses_library && has_main_code(group, texts);
    let has_program = has(TargetKind::Program);
    // A main class of its examples makes no program of a library.
    let says_library = !has_program && group.description().is_some_and(|it| says_noun(it, &["library"]));
    let is_used = targets.is_library && !(has_program && is_go_program(group, texts));
    let is_library = has(TargetKind::Library) || is_used || is_marked || says_library;
    let is_program = has_program || group.has(ManifestMark::Program) && !says_library;
    if group.has(ManifestMark::Website) && !is_program {
        return Some(ProjectShape::Website);
    }
    let is_workspace = group.has(ManifestMark::Workspace);
    match (is_library, is_program) {
        _ if is_workspace && !has_own_code(group, targets, texts) => Some(ProjectShape::Workspace),
        (true, true) => Some(ProjectShape::Both),
        (false, true) => Some(ProjectShape::Program),
        (true, false) if has_unnamed_programs(group) => None,
        (true, false) if is_framework(group, texts) => Some(ProjectShape::Framework),
        (true, false) => Some(ProjectShape::Library),
        (false, false) => None,
    }
}

/// Returns true if the file `entry`, where a build target starts, belongs to the product and not to tests
/// or examples. Folders above the project do not count, so a project inside `examples` has products, too.
fn is_product(group: &ManifestGroup, entry: &str) -> bool {
    let own =
        if group.folder.is_empty() { entry } else { entry.strip_prefix(&group.folder).unwrap_or(entry) };
    matches!(role_of(own.trim_start_matches('/')), PathRole::Runtime | PathRole::Generated)
}

/// Returns false for a Maven or Gradle module that only has test code.
fn has_main_code(group: &ManifestGroup, texts: &Texts) -> bool {
    let is_jvm = matches!(group.ecosystem, ProjectType::Maven | ProjectType::Gradle);
    let prefix = if group.folder.is_empty() { String::new() } else { format!("{}/", group.folder) };
    let has = |set: &str| texts.below(&format!("{prefix}src/{set}")).next().is_some();
    !is_jvm || has("main/") || !has("test/")
}

/// Returns true if the project has code besides that of its members.
fn has_own_code(group: &ManifestGroup, targets: &Targets, texts: &Texts) -> bool {
    match group.ecosystem {
        ProjectType::Rust => group.manifests.iter().any(|it| it.manifest.name.is_some()),
        ProjectType::Maven => false,
        ProjectType::Gradle => {
            let prefix =
                if group.folder.is_empty() { "src/".to_owned() } else { format!("{}/src/", group.folder) };
            texts.below(&prefix).next().is_some()
        }
        _ => !targets.found.is_empty() || group.has(ManifestMark::Library),
    }
}

/// Returns true if a `CMake` build makes programs whose names are variables.
fn has_unnamed_programs(group: &ManifestGroup) -> bool {
    let is_computed = |line: &str| {
        let lower = line.trim_start().to_lowercase();
        lower.strip_prefix("add_executable(").is_some_and(|rest| rest.trim_start().starts_with("${"))
    };
    group.ecosystem == ProjectType::Cmake
        && group
            .manifests
            .iter()
            .any(|it| role_of(&it.manifest.path) == PathRole::Runtime && it.text.lines().any(is_computed))
}

/// Returns true for a Go module that is a program although it has packages: no package is in `pkg`, and the
/// README calls it a program.
fn is_go_program(group: &ManifestGroup, texts: &Texts) -> bool {
    const PROGRAMS: &[&str] = &[
        "tool",
        "server",
        "application",
        "app",
        "daemon",
        "cli",
        "binary",
        "client",
        "proxy",
        "manager",
        "program",
        "utility",
        "service",
        "platform",
        "bot",
        "editor",
    ];
    let prefix = if group.folder.is_empty() { String::new() } else { format!("{}/", group.folder) };
    let has_packages = texts.below(&format!("{prefix}pkg/")).any(|path| path.ends_with(".go"));
    let says_program = || {
        readme_paragraph(&group.folder, texts).is_some_and(|it| {
            says_noun(&it.text, PROGRAMS) || it.text.to_lowercase().contains("single binary")
        })
    };
    group.ecosystem == ProjectType::Go && !has_packages && says_program()
}

/// Returns true if the manifest or README calls the project a framework.
fn is_framework(group: &ManifestGroup, texts: &Texts) -> bool {
    group.description().is_some_and(says_framework)
        || readme_paragraph(&group.folder, texts).is_some_and(|paragraph| says_framework(&paragraph.text))
}

/// Words that end the noun phrase of a sentence; a noun after them does not name its subject.
const BREAKS: &[&str] = &[
    "for", "of", "to", "in", "with", "that", "which", "from", "on", "by", "using", "as", "like", "inspired",
    "built", "based", "helps", "at", "without", "and",
];

/// Returns true if the first sentence calls its subject a framework: "a small web framework for Go", but
/// not "a plugin for a framework" or "framework-agnostic".
pub(super) fn says_framework(text: &str) -> bool {
    says_noun(text, &["framework", "microframework"])
}

/// Returns true if the first sentence calls its subject by one of these nouns, as the last word of the noun
/// phrase.
fn says_noun(text: &str, nouns: &[&str]) -> bool {
    let sentence =
        text.split_inclusive(['.', ';', ':', '!']).find(|part| part.split_whitespace().count() >= 2);
    let words: Vec<String> =
        sentence.unwrap_or(text).split_whitespace().take(24).map(str::to_lowercase).collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_noun = |at: usize| {
        let ends = words[at].ends_with(|c: char| !c.is_alphanumeric());
        let next = words.get(at + 1).map(|word| bare(word));
        ends || next.is_none_or(|next| next.is_empty() || BREAKS.contains(&next.as_str()))
    };
    let Some(at) = words.iter().position(|word| nouns.contains(&bare(word).as_str())) else { return false };
    let before_is_noun = !words[..at].iter().any(|word| BREAKS.contains(&word.as_str()) && word != "and");
    before_is_noun && is_noun(at)
}

#[cfg(test)]
mod tests {
    use super::{says_framework, says_noun};

    #[test]
    fn a_noun_is_the_subject_and_no_part_of_another_word() {
        for (text, nouns, expected) in [
            ("jsoup is a Java library for HTML.", &["library"][..], true),
            ("Tools for a library of books.", &["library"], false),
            ("shop is a self-hosted order manager. It is fast.", &["manager"], true),
            ("A server-side renderer", &["server"], false),
        ] {
            assert_eq!(says_noun(text, nouns), expected, "{text}");
        }
    }

    #[test]
    fn only_the_noun_of_the_first_sentence_makes_a_framework() {
        for (text, expected) in [
            ("Fast, unopinionated, minimalist web framework", true),
            ("Slim is a PHP micro framework that helps you write APIs.", true),
            ("Web framework built on Web Standards", true),
            ("A simple framework for building complex web applications.", true),
            ("A plugin for the Flask framework.", false),
            ("A framework-agnostic router", false),
            ("Helpers of a framework", false),
            ("A tool. It is no framework.", false),
        ] {
            assert_eq!(says_framework(text), expected, "{text}");
        }
    }
}
