//! The topics of the documentation, with their first sentences and places.

use super::super::draft::{Draft, Section};
use super::super::survey::Survey;
use super::{cut_at_word, falling, first_place, first_sentence};
use crate::facts::{Fact, FactKind, FactValue};

/// Longest first sentence, in characters.
const SENTENCE: usize = 200;

/// Words of headings that tell how the code works or is used.
const INNER: &[&str] = &[
    "architecture",
    "design",
    "internals",
    "how it works",
    "overview",
    "concept",
    "configuration",
    "environment",
    "usage",
    "development",
    "structure",
    "protocol",
    "api",
    "database",
    "migration",
    "plugin",
    "extend",
    "debug",
    "test",
    "performance",
    "security",
    "error",
];

pub(super) fn add(survey: &Survey, draft: &mut Draft) {
    let mut topics: Vec<(bool, &Fact, &str, Option<&str>)> = Vec::new();
    for fact in survey.of_product(FactKind::Topic) {
        let FactValue::Topic { title, text, .. } = &fact.value else { continue };
        let lower = title.to_lowercase();
        let is_inner = INNER.iter().any(|word| lower.contains(word));
        topics.push((is_inner, fact, title, text.first().map(String::as_str)));
    }
    // In the order of the text; those about the code rank first.
    let (mut inner, mut outer) = (0, 0);
    for (is_inner, fact, title, text) in topics {
        let (position, first) = if is_inner { (&mut inner, 55.0) } else { (&mut outer, 40.0) };
        let Some(title) = survey.quoter.prose(title) else { continue };
        let said = text.map(|text| cut_at_word(first_sentence(text), SENTENCE));
        let said = said.and_then(|said| survey.quoter.prose(&said)).map(|said| format!(": {said}"));
        let text = format!("- {title}{} {}", said.unwrap_or_default(), first_place(&fact.sources));
        draft.add(Section::Topics, falling(first, *position, 6.0), "topics of the documentation", text);
        *position += 1;
    }
}
