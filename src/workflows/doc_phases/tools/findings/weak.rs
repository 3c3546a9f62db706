//! Finds weak purposes: empty ones, counts, and those that repeat a name. Pure but for memory.

use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, FileRole, Memory, MemoryEntry as _,
    WrittenBy,
};
use crate::workflows::doc_phases::phase::Phase;

/// Maximum of weak purposes that are named.
const NAMED: usize = 20;

/// Least number of words that say something.
const WORDS: usize = 2;

/// Words that say nothing about a purpose.
const FILLERS: &[&str] = &[
    "a",
    "an",
    "all",
    "and",
    "are",
    "as",
    "at",
    "be",
    "been",
    "by",
    "for",
    "found",
    "from",
    "has",
    "have",
    "in",
    "into",
    "is",
    "it",
    "its",
    "not",
    "of",
    "on",
    "or",
    "other",
    "seen",
    "several",
    "some",
    "that",
    "the",
    "them",
    "these",
    "this",
    "those",
    "to",
    "various",
    "was",
    "were",
    "where",
    "which",
    "with",
    "class",
    "classes",
    "code",
    "component",
    "constant",
    "described",
    "directory",
    "do",
    "does",
    "entry",
    "enum",
    "field",
    "file",
    "folder",
    "function",
    "functionality",
    "implementation",
    "interface",
    "item",
    "library",
    "line",
    "logic",
    "main",
    "method",
    "module",
    "more",
    "package",
    "part",
    "private",
    "program",
    "public",
    "related",
    "source",
    "struct",
    "stuff",
    "system",
    "test",
    "thing",
    "trait",
    "type",
    "util",
    "utility",
    "variable",
    "contain",
    "define",
    "handle",
    "hold",
    "implement",
    "manage",
    "offer",
    "provide",
];

/// Returns true if a text says nothing about the purpose of the thing with these names: fewer than two of its
/// words are neither fillers (`handles`, `module`), numbers, names nor code. False for text in another
/// script.
pub(in super::super) fn is_weak(text: &str, names: &[&str]) -> bool {
    // Other scripts do not separate words by spaces.
    if text.chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).count() > 5 {
        return false;
    }
    let names: Vec<String> = names.iter().flat_map(|name| words(name)).collect();
    // Names in code tell of things, not of purposes.
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let says = |word: &String| {
        !word.chars().all(|c| c.is_ascii_digit())
            && !FILLERS.iter().any(|filler| singular(filler) == *word)
            && !names.contains(word)
    };
    words(&prose).filter(says).take(WORDS).count() < WORDS
}

/// Returns the lower-case words of a text, split at punctuation and inside `camelCase`, without the plural
/// `s`.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(text.len());
    let mut was_lower = false;
    for c in text.chars() {
        if was_lower && c.is_uppercase() {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase();
        spaced.extend(c.to_lowercase());
    }
    let words = spaced.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(singular).collect::<Vec<_>>().into_iter()
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')) {
        Some(stem) => stem.to_owned(),
        None => word.to_owned(),
    }
}

/// Returns a request to the model for each weak purpose that the phase left in the agent's memory, at most
/// [`NAMED`]: in phase A of the overview, in phase B of `component` and its files, in phase C of the
/// concerns.
pub(in super::super) fn weak_purposes(memory: &Memory, phase: Phase, component: Option<&str>) -> Vec<String> {
    let mut found = match (phase, component) {
        (Phase::ArchitectureDiscovery, _) => weak_overview(memory).into_iter().collect(),
        (Phase::ComponentDeepDive, Some(id)) => weak_component(memory, id),
        (Phase::CrossCutting, _) => weak_concerns(memory),
        _ => Vec::new(),
    };
    found.truncate(NAMED);
    found
}

fn weak_overview(memory: &Memory) -> Option<String> {
    match memory.entries::<ArchitectureOverview>().pop() {
        None => Some("architecture: store its purpose and its components".to_owned()),
        Some(it) if is_weak(&it.purpose, &[&it.system_name]) => {
            Some(format!("architecture: the purpose {:?} says nothing", short(&it.purpose)))
        }
        Some(_) => None,
    }
}

fn weak_component(memory: &Memory, id: &str) -> Vec<String> {
    let own = memory.entries::<ComponentSummary>().into_iter().find(|it| it.component_id == id);
    let of_component = match own {
        None => Some(format!("component `{id}`: store its responsibility")),
        Some(it) if is_weak(&it.responsibility, &[id, &it.component_name, &it.root_path]) => {
            Some(format!("component `{id}`: the responsibility {:?} says nothing", short(&it.responsibility)))
        }
        Some(_) => None,
    };
    let files = memory.all(crate::workflows::doc_phases::memory::EntryType::File);
    let of_files = files.iter().filter(|record| matches!(record.written_by(), Some(WrittenBy::Model(_))));
    let of_files = of_files.filter_map(|record| FileRole::from_entry(&record.entry)).filter_map(|file| {
        let is_bad = file.component == id && is_weak(&file.responsibility, &[id, &file.file_path]);
        is_bad.then(|| {
            format!(
                "file `{}`: the responsibility {:?} says nothing",
                file.file_path,
                short(&file.responsibility)
            )
        })
    });
    of_component.into_iter().chain(of_files).collect()
}

fn weak_concerns(memory: &Memory) -> Vec<String> {
    let weak = |it: &CrossCuttingConcern| {
        is_count(&it.description) || is_weak(&it.description, &[&it.concern_id, &it.concern_name])
    };
    let concerns = memory.entries::<CrossCuttingConcern>().into_iter().filter(weak);
    let request = |it: CrossCuttingConcern| {
        format!(
            "cross_cutting `{}`: describe how it is solved, or remove it; now it only counts",
            it.concern_id
        )
    };
    concerns.map(request).collect()
}

/// Returns true for a text that begins with a number of lines or files, such as `12 files use it`.
fn is_count(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_number = words.next().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
    is_number && words.next().is_some_and(|word| word.starts_with("line") || word.starts_with("file"))
}

fn short(text: &str) -> &str {
    crate::repo::cut(text, 80).kept
}

#[cfg(test)]
mod tests {
    use super::is_weak;

    #[test]
    fn a_purpose_that_says_nothing_is_weak() {
        for text in [
            "",
            "1 file, 1 public type.",
            "The auth module.",
            "Contains the authModule class.",
            "Defines `login`, `logout` and 3 more.",
            "This component was found and not described.",
            "Handles auth functionality.",
        ] {
            assert!(is_weak(text, &["auth", "src/auth"]), "{text}");
        }
    }

    #[test]
    fn a_purpose_that_says_something_is_not() {
        for text in
            ["Lets customers in.", "Checks passwords against `users.db`.", "認証とセッションの管理を行う"]
        {
            assert!(!is_weak(text, &["auth"]), "{text}");
        }
    }
}
