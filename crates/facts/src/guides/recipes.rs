//! Facts about recipes: sections of documents that tell step by step how to add or change something in the
//! code.

use super::documents::{BlockKind, Section, for_contributors, for_users, sections};
use crate::collect::Texts;
use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, SourceLines};
use crate::text::{has_secret, visible};

/// Maximum number of recipes.
const MOST: usize = 12;
/// Maximum number of steps of a recipe.
const STEPS: usize = 12;
/// Maximum length of a step, in characters; a recipe with a longer one is dropped.
const CHARS: usize = 300;

/// Returns the recipes (step-by-step instructions) of all documents, at most 12; those for contributors
/// come first.
pub(super) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut paths = for_contributors(texts);
    paths.extend(for_users(texts));
    let mut found: Vec<Fact> = Vec::new();
    for path in paths {
        let Some(text) = texts.read(&path) else { continue };
        for section in sections(&text).iter().filter(|section| is_recipe(&section.heading)) {
            let Some((steps, end)) = steps(section) else { continue };
            if found.len() >= MOST {
                return found;
            }
            let title = visible(&section.heading);
            let source = SourceLines { path: path.clone(), start: section.line, end };
            let fact = Fact::new(
                FactSubject::Repository,
                FactValue::Recipe { title, steps },
                source,
                FactOrigin::Quoted,
            );
            if !found.iter().any(|known| known.id == fact.id) {
                found.push(fact);
            }
        }
    }
    found
}

/// Returns true if a heading announces step-by-step instructions, such as "Adding a codec" or "How to add a
/// language".
pub(super) fn is_recipe(heading: &str) -> bool {
    const VERBS: &[&str] = &[
        "adding",
        "add",
        "creating",
        "create",
        "writing",
        "write",
        "implementing",
        "implement",
        "extending",
        "extend",
        "changing",
        "change",
        "updating",
        "update",
        "releasing",
        "regenerating",
        "regenerate",
        "porting",
        "removing",
        "bumping",
        "upgrading",
        "making",
        "defining",
        "registering",
    ];
    /// Words that follow the verb in the heading of a recipe.
    const OBJECTS: &[&str] = &["a", "an", "new", "another", "your", "the", "support", "custom"];
    let lower = heading.to_lowercase();
    let bare = lower.trim_start_matches(|c: char| !c.is_alphabetic());
    let bare = ["how to ", "how do i ", "guide to ", "steps to ", "guide: "]
        .iter()
        .find_map(|start| bare.strip_prefix(start))
        .unwrap_or(bare);
    let mut words = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let verb = words.next().unwrap_or_default();
    let object = words.next().unwrap_or_default();
    // Issues and pull requests are how people talk, not how code changes.
    let is_talk = [
        "issue",
        "pull request",
        "bug report",
        " pr",
        "discussion",
        "ticket",
        "commit message",
        "changelog entry",
    ]
    .iter()
    .any(|word| bare.contains(word));
    VERBS.contains(&verb) && (OBJECTS.contains(&object) || object.ends_with('s')) && !is_talk
}

/// Words with which a step of a recipe begins.
const IMPERATIVES: &[&str] = &[
    "add",
    "append",
    "apply",
    "build",
    "bump",
    "call",
    "change",
    "check",
    "choose",
    "click",
    "clone",
    "commit",
    "configure",
    "copy",
    "create",
    "declare",
    "define",
    "delete",
    "describe",
    "document",
    "edit",
    "enable",
    "ensure",
    "export",
    "extend",
    "find",
    "follow",
    "fork",
    "generate",
    "go",
    "implement",
    "import",
    "include",
    "increment",
    "insert",
    "install",
    "list",
    "make",
    "map",
    "mention",
    "merge",
    "modify",
    "move",
    "name",
    "navigate",
    "open",
    "paste",
    "pick",
    "place",
    "publish",
    "push",
    "put",
    "record",
    "regenerate",
    "register",
    "release",
    "remove",
    "rename",
    "replace",
    "restart",
    "run",
    "select",
    "set",
    "specify",
    "start",
    "submit",
    "switch",
    "tag",
    "test",
    "update",
    "upgrade",
    "upload",
    "use",
    "verify",
    "wait",
    "wire",
    "write",
    "finally",
    "first",
    "then",
    "next",
    "now",
    "in",
    "if",
    "optionally",
    "once",
];

/// Returns the steps of a section and their last line: the numbered items, else the items of its lists.
/// Returns `None` if there are fewer than two, if fewer than three quarters begin with an imperative, or if
/// one cannot be quoted.
fn steps(section: &Section) -> Option<(Vec<String>, usize)> {
    let of_kind = |kind: BlockKind| section.blocks.iter().filter(move |block| block.kind == kind);
    let kind = if of_kind(BlockKind::Step).count() >= 2 { BlockKind::Step } else { BlockKind::Item };
    let blocks: Vec<_> = of_kind(kind).take(STEPS).collect();
    let bare = |text: &str| {
        let unnumbered =
            text.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(". ").unwrap_or(text);
        unnumbered.trim_start_matches("[ ]").trim_start_matches("[x]").trim_start().to_owned()
    };
    let commands = blocks.iter().filter(|it| {
        let lower = bare(&it.text).to_lowercase();
        let word =
            lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
        IMPERATIVES.contains(&word)
    });
    // Code above the list is its first step.
    let first = blocks.first().map_or(0, |block| block.start);
    if section.example().is_some_and(|code| code.end <= first) {
        return None;
    }
    // Items that only name things are no steps.
    if blocks.len() < 2 || commands.count() * 4 < blocks.len() * 3 {
        return None;
    }
    // What follows a colon is no part of the step.
    let is_plain =
        |text: &str| !has_secret(text) && text.chars().count() <= CHARS && !text.trim_end().ends_with(':');
    let all: Option<Vec<String>> =
        blocks.iter().map(|it| is_plain(&it.text).then(|| visible(&bare(&it.text)))).collect();
    Some((all?, blocks.last().map_or(section.line, |it| it.end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_tell_how_to_change_the_code_are_recipes() {
        for (heading, expected) in [
            ("Adding a codec", true),
            ("How to add a new language", true),
            ("Writing tests", true),
            ("2. Creating a migration", true),
            ("Adding an issue", false),
            ("Creating a pull request", false),
            ("Usage", false),
            ("Update", false),
        ] {
            assert_eq!(is_recipe(heading), expected, "{heading}");
        }
        let code =
            "## Adding a codec\n\n```sh\nmake new\n```\n\nAfter that:\n\n1. Write `a.rs`.\n2. Register it.\n";
        assert_eq!(steps(sections(code).last().expect("a section")), None);
        let text = "## Adding a codec\n\nDo this:\n\n1. Write `a.rs`.\n2. Register it.\n";
        let all = sections(text);
        let section = all.last().expect("a section");
        assert_eq!(steps(section), Some((vec!["Write `a.rs`.".to_owned(), "Register it.".to_owned()], 6)));
    }
}
