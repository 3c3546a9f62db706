//! The topics of the documentation, with the beginnings of their texts.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::survey::Survey;
use super::{cut_at_word, falling, first_place, first_sentence};
use crate::facts::{FactKind, FactSubject, FactValue};
use crate::workflows::survey::topics::{is_about_code, is_told_elsewhere, topic_prose};

/// Longest quotation, in characters.
const CHARS: usize = 220;
/// Longest continuation, in characters, where the limit leaves room for it.
const MORE_CHARS: usize = 500;
/// Fewest words of a topic.
const FEWEST_WORDS: usize = 7;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let purpose = survey.purpose_of(&FactSubject::Repository).map(|(text, _)| text);
    let (mut inner, mut outer) = (0, 0);
    let mut per_file: BTreeMap<&str, usize> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Topic) {
        let FactValue::Topic { title, text, lead, .. } = &fact.value else { continue };
        let Some(said) = topic_prose(&text[..*lead]) else { continue };
        let repeats = purpose.is_some_and(|purpose| said.contains(first_sentence(purpose)));
        if said.split_whitespace().count() < FEWEST_WORDS
            || repeats
            || is_told_elsewhere(title)
            || title.is_empty()
        {
            continue;
        }
        let is_inner = is_about_code(title);
        // In the order of the documents; those about the code rank first.
        let (position, first) = if is_inner { (&mut inner, 80.0) } else { (&mut outer, 30.0) };
        let Some(title) = survey.quoter.prose(title) else { continue };
        let first_part = cut_at_word(&said, CHARS);
        let rest = said.get(first_part.trim_end_matches('…').len()..).unwrap_or_default().trim();
        let Some(first_part) = survey.quoter.prose(&first_part) else { continue };
        let text = format!("- {title}: {first_part} {}", first_place(&fact.sources));
        // The second section of a document says less than the first one of another.
        let in_file = per_file.entry(fact.sources.first().map_or("", |source| &source.path)).or_default();
        // The documents are in the repository too; what the code does is not.
        let lower = title.to_lowercase();
        let is_setting = ["environment", "configur", "variable"].iter().any(|word| lower.contains(word));
        // A section about the code says as much at the end of a document.
        let depth = if is_inner { *position } else { *in_file };
        let rank = if is_setting { 0.8 } else { 0.6 } * falling(falling(first, *position, 10.0), depth, 4.0);
        *in_file += 1;
        let line = draft.add(ContextSection::Topics, rank, "topics of the documentation", text);
        if let Some(rest) = survey.quoter.prose(&cut_at_word(rest, MORE_CHARS)) {
            draft.add_below(line, rank * 0.25, ("", 1), format!("  - …{rest}"));
        }
        *position += 1;
    }
}
