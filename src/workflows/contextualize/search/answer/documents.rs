//! The section "Documentation about it": sections of the documents whose words match the question, each with the sentence that does.

use stategraph_facts::{Fact, FactKind, FactValue};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, source_reference};
use crate::workflows::contextualize::search::quote;

/// Most sections that are named.
const SECTIONS: usize = 6;
/// Least relevance of a section, as a fraction of the best one's.
const LEAST_PART: f32 = 0.45;

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("Documentation about it");
    let topics = subject.facts.of_kind(FactKind::Topic).filter_map(|fact| {
        let FactValue::Topic { title, text, example, .. } = &fact.value else { return None };
        let body = text.join("\n");
        let score = subject.relevance(&[
            (title, 2.0),
            (&body, 1.0),
            (example.as_deref().unwrap_or_default(), 0.6),
        ])?;
        Some((score, fact, title, text))
    });
    let mut found: Vec<(f32, &Fact, &String, &Vec<String>)> = topics.collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = found.first().map_or(0.0, |best| best.0 * LEAST_PART);
    let base = if subject.question.aims.docs { 1 } else { 8 };
    for (index, (_, fact, title, text)) in
        found.into_iter().filter(|it| it.0 >= least).take(SECTIONS).enumerate()
    {
        let (Some(title), Some(source)) = (quote::prose(title), fact.sources.first()) else { continue };
        let said = best_sentence(subject, text).map(|said| format!(": {said}")).unwrap_or_default();
        section.push(AnswerItem {
            text: format!("- {title} ({source}){said}"),
            priority: base + index * 5,
            parent: None,
            references: vec![source_reference(source, "documentation")],
        });
    }
    section
}

/// Returns the first sentence of the line in `text` that is most relevant to the question (the first line if
/// none is), as safe Markdown; `None` if `text` is empty or the sentence must not be quoted.
fn best_sentence(subject: &AnswerSubject, text: &[String]) -> Option<String> {
    let rated = text.iter().map(|line| (subject.relevance(&[(line, 1.0)]).unwrap_or_default(), line));
    let best = rated.fold(None::<(f32, &String)>, |best, it| match best {
        Some(best) if best.0 >= it.0 => Some(best),
        _ => Some(it),
    });
    quote::prose(quote::first_sentence(best?.1))
}
