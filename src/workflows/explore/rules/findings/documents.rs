//! Findings about the documentation: its sections with the beginnings of their texts.

use std::collections::BTreeSet;

use super::{at, path_of};
use crate::facts::{FactKind, FactSubject, FactValue};
use crate::workflows::explore::rules::finding::{DOCUMENTS, RuleFinding};
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::{cut_at_word, first_place, first_sentence};
use crate::workflows::survey::topics::{is_about_code, is_told_elsewhere, topic_prose};

/// Maximum length of a quotation, in characters.
const CHARS: usize = 320;
/// Number of first characters by which the same section in two documents is recognized.
const BEGINNING: usize = 60;
/// Minimum number of words of a section.
const WORDS: usize = 7;

/// Appends the sections of the documentation, each once, without asides and short ones.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let purpose = survey.purpose_of(&FactSubject::Repository).map(|(text, _)| first_sentence(text));
    let mut told: BTreeSet<(String, String)> = BTreeSet::new();
    for (position, fact) in survey.of_product(FactKind::Topic).enumerate() {
        let FactValue::Topic { title, text, lead, .. } = &fact.value else { continue };
        let Some(said) = topic_prose(&text[..*lead]) else { continue };
        let repeats = purpose.is_some_and(|purpose| said.contains(purpose));
        if title.is_empty() || repeats || is_aside(title) || said.split_whitespace().count() < WORDS {
            continue;
        }
        let beginning = cut_at_word(&said, BEGINNING);
        if !told.insert((title.rsplit('›').next().unwrap_or(title).trim().to_lowercase(), beginning)) {
            continue;
        }
        let (Some(name), Some(quoted)) =
            (survey.quoter.prose(title), survey.quoter.prose(&cut_at_word(&said, CHARS)))
        else {
            continue;
        };
        let weight = if is_about_code(title) { 100.0 } else { 0.0 };
        let path = path_of(fact);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let content = format!("{name}: {quoted} {}", first_place(&fact.sources));
        found.push(RuleFinding::new(DOCUMENTS, folder, at(weight, position), content));
    }
}

/// Lower-case parts of headings over texts that are not about the product, or that measure it.
const ASIDES: &[&str] = &[
    "acknowledg",
    "alternative",
    "author",
    "badge",
    "benchmark",
    "compar",
    "contact",
    "credit",
    "license",
    "might like",
    "related",
    "similar",
    "sponsor",
    "thanks",
    "who uses",
    "used by",
    "users",
];

/// Returns true for the title of a section that is left out: an aside, a section that
/// `is_told_elsewhere` rejects, or front matter that was taken for a heading.
fn is_aside(title: &str) -> bool {
    let lower = title.to_lowercase();
    is_told_elsewhere(title) || lower.contains("layout:") || ASIDES.iter().any(|word| lower.contains(word))
}
