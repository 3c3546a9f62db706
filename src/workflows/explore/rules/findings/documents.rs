//! Sections of the documentation, with the beginnings of their texts.

use super::{at, path_of};
use crate::facts::{FactKind, FactSubject, FactValue};
use crate::workflows::explore::rules::finding::{DOCUMENTS, Finding};
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::{cut_at_word, first_place, first_sentence};
use crate::workflows::survey::topics::{is_about_code, is_told_elsewhere};

/// Longest quotation, in characters.
const CHARS: usize = 320;
/// Fewest words of a section.
const WORDS: usize = 7;

pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<Finding>) {
    let purpose = survey.purpose_of(&FactSubject::Repository).map(|(text, _)| first_sentence(text));
    for (position, fact) in survey.of_product(FactKind::Topic).enumerate() {
        let FactValue::Topic { title, text, .. } = &fact.value else { continue };
        let said = text.join(" ");
        let repeats = purpose.is_some_and(|purpose| said.contains(purpose));
        if title.is_empty() || repeats || is_told_elsewhere(title) || said.split_whitespace().count() < WORDS
        {
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
        found.push(Finding::new(DOCUMENTS, folder, at(weight, position), content));
    }
}
