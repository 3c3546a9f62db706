//! Compares two versions of a section, to keep the better one (SEC-77 to SEC-82).

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use pulldown_cmark::{Event, Tag};
use serde::{Deserialize, Serialize};

use super::{Issue, Validation};
use crate::document::{MarkdownSource, NOT_AVAILABLE, NOT_POPULATED};

/// A generated version of a section with the numbers of its issues, to be compared with other versions by
/// [`is_better`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Iteration {
    /// Text of the version.
    pub text: String,
    /// True if the critic approved it and no blocking issue was found.
    pub is_approved: bool,
    /// Number of critical and major issues.
    pub blocking: usize,
    /// Number of all issues.
    pub issues: usize,
}

impl Iteration {
    /// Makes the version from its text and its validations, whose issues it counts.
    pub fn new(text: String, is_approved: bool, validations: &[Validation]) -> Self {
        let issues = || validations.iter().flat_map(|validation| &validation.issues);
        Self {
            text,
            is_approved,
            blocking: issues().filter(|it| Issue::is_blocking(it)).count(),
            issues: issues().count(),
        }
    }
}

/// Returns true if the version `new` is better than `best`, the best one before it (SEC-80, SEC-81).
/// Approval decides first, then fewer blocking issues, then length and structure of the content, then fewer
/// issues. Equal versions give false.
pub fn is_better(new: &Iteration, best: &Iteration) -> bool {
    if new.is_approved != best.is_approved {
        return new.is_approved;
    }
    if new.blocking != best.blocking {
        return new.blocking < best.blocking;
    }
    let (new_content, best_content) =
        (ContentMeasure::measure(&new.text), ContentMeasure::measure(&best.text));
    if new_content.exceeds(best_content) || best_content.exceeds(new_content) {
        return new_content.exceeds(best_content);
    }
    new.issues < best.issues
}

/// The amount of content in a text: length without repeated words and filler, and number of structural
/// elements (SEC-82).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ContentMeasure {
    length: usize,
    structure: usize,
}

/// Phrases, in lower case, that add length and no content.
#[rustfmt::skip]
const FILLER: &[&str] = &[
    "it is important to note that", "it is worth noting that", "it should be noted that", "please note that",
    "needless to say", "as mentioned above", "as mentioned earlier", "as previously mentioned", "in order to",
    "in conclusion", "in summary", "at the end of the day", "for all intents and purposes", "lorem ipsum",
];

impl ContentMeasure {
    fn measure(text: &str) -> Self {
        Self { length: novel_length(text), structure: count_structure(text) }
    }

    /// Returns true if this content is more than a fifth longer (SEC-77), or about as long and richer in
    /// structure (SEC-78).
    fn exceeds(self, other: Self) -> bool {
        let is_longer = self.length * 10 > other.length * 12;
        let is_shorter = other.length * 10 > self.length * 12;
        let is_richer = self.length * 10 >= other.length * 9 && self.structure > other.structure;
        // Two versions cannot each be better than the other: the longer one wins over the richer one.
        is_longer || (is_richer && !is_shorter)
    }
}

/// Returns the number of characters of a text without repetitions and filler: a word does not count if it
/// ends a sequence of three words that occurred before.
fn novel_length(text: &str) -> usize {
    let mut text = text.replace(NOT_POPULATED, "").replace(NOT_AVAILABLE, "").to_lowercase();
    for filler in FILLER {
        if text.contains(filler) {
            text = text.replace(filler, "");
        }
    }
    let mut seen = HashSet::new();
    let mut last = ["", ""];
    let mut length = 0;
    for word in text.split_whitespace() {
        // Numbers vary where a model repeats a sentence; they count once, as part of it.
        let mut hasher = DefaultHasher::new();
        (last, word.trim_matches(|c: char| c.is_ascii_digit())).hash(&mut hasher);
        if seen.insert(hasher.finish()) {
            length += word.chars().count() + 1;
        }
        last = [last[1], word.trim_matches(|c: char| c.is_ascii_digit())];
    }
    length
}

/// Returns the number of different list items, tables and code blocks that have content.
fn count_structure(text: &str) -> usize {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut count = 0;
    for (event, range) in MarkdownSource::new(text).events() {
        let is_element = matches!(event, Event::Start(Tag::Item | Tag::Table(_) | Tag::CodeBlock(_)));
        if is_element {
            let slice = text[range].trim();
            // The fences of an empty block are all that it has.
            let has_content = slice.chars().filter(|c| c.is_alphanumeric()).nth(2).is_some();
            count += usize::from(has_content && seen.insert(slice));
        }
    }
    count
}
