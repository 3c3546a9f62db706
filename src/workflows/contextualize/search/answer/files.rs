//! The section "Other files with these words": the candidates of the discovery that no definition is in, with their purposes and the words that they have.

use stategraph_facts::{FactKind, FactSubject, FactValue};

use super::page::{AnswerItem, AnswerSection};
use super::subject::AnswerSubject;
use crate::workflows::contextualize::search::discover::RankedFile;
use crate::workflows::contextualize::search::quote;

/// Most files that are named.
const FILES: usize = 8;
/// Least score of a file, as a fraction of the best one's.
const LEAST_PART: f32 = 0.2;

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("Other files with these words");
    let least = subject.discovery.candidates.first().map_or(0.0, |best| best.score * LEAST_PART);
    let is_named = |path: &str| subject.definitions.iter().any(|definition| definition.path == path);
    let others =
        subject.discovery.candidates.iter().filter(|file| file.score >= least && !is_named(&file.path));
    for (index, file) in others.take(FILES).enumerate() {
        if let Some(text) = line(subject, file) {
            section.push(AnswerItem { text, priority: 16 + index * 3, ..AnswerItem::default() });
        }
    }
    section
}

/// Builds the section for a question without hits: the same list under the title "First files of the
/// repository".
pub(super) fn fallback_section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = section(subject);
    section.title = "First files of the repository";
    section
}

fn line(subject: &AnswerSubject, file: &RankedFile) -> Option<String> {
    let path = quote::code_span(&file.path)?;
    let words: Vec<String> = file
        .hits
        .iter()
        .filter(|hit| says_much(subject, &hit.keyword))
        .filter_map(|hit| quote::code_span(&hit.keyword))
        .collect();
    let words = if words.is_empty() { String::new() } else { format!(" (has {})", words.join(", ")) };
    let purpose = purpose(subject, &file.path).map(|text| format!(": {text}")).unwrap_or_default();
    Some(format!("- {path}{purpose}{words}"))
}

/// Returns true if the term of `keyword` weighs at least half as much as the heaviest term of the question.
fn says_much(subject: &AnswerSubject, keyword: &str) -> bool {
    let weights = &subject.discovery.weights;
    let most = weights.iter().copied().fold(0.0_f32, f32::max);
    subject
        .question
        .terms
        .iter()
        .zip(weights)
        .any(|(term, weight)| term.text == keyword && weight * 2.0 >= most)
}

/// Returns the first sentence of a file's recorded purpose and, in parentheses, its source, as safe Markdown;
/// `None` if no purpose is known or it must not be quoted.
fn purpose(subject: &AnswerSubject, path: &str) -> Option<String> {
    let of_file = FactSubject::File(path.to_owned());
    let fact = subject.facts.about(&of_file).find(|fact| fact.value.kind() == FactKind::Purpose)?;
    let FactValue::Purpose { text } = &fact.value else { return None };
    let said = quote::prose(quote::first_sentence(text))?;
    Some(format!("{said} ({})", fact.sources.first()?))
}
