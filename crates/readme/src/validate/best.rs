//! The better of two versions of a section (SEC-77 to SEC-82).

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use pulldown_cmark::{Event, Tag};
use serde::{Deserialize, Serialize};

use super::{Issue, Validation};
use crate::document::{MarkdownSource, NOT_AVAILABLE, NOT_POPULATED};

/// A version of a section with its verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Iteration {
    /// Text.
    pub text: String,
    /// True if the critic approved it and no blocking issue was found.
    pub is_approved: bool,
    /// Number of critical and major issues.
    pub blocking: usize,
    /// Number of all issues.
    pub issues: usize,
}

impl Iteration {
    /// Makes a version of a text and its validations.
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

/// Returns true if `new` replaces `best` (SEC-80, SEC-81). An approved version replaces an unapproved one; then fewer blocking issues
/// decide, then length and structure, then fewer issues. A version that is equal in all of that does not replace the earlier one.
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

/// Content of a text: repeated words and filler do not count (SEC-82).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ContentMeasure {
    length: usize,
    structure: usize,
}

/// Words that add length and no content.
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

    /// Returns true if the content is at least a fifth longer (SEC-77), or about as long and richer in structure (SEC-78).
    fn exceeds(self, other: Self) -> bool {
        let is_longer = self.length * 10 > other.length * 12;
        let is_shorter = other.length * 10 > self.length * 12;
        let is_richer = self.length * 10 >= other.length * 9 && self.structure > other.structure;
        // Two versions cannot each be better than the other: the longer one wins over the richer one.
        is_longer || (is_richer && !is_shorter)
    }
}

/// Returns the length of all words that are not the end of a sequence of three words that the text has already had.
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

/// Returns the number of different list items, tables and code blocks with content.
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
