//! The section "Where it is": the definitions that match best, with the lines of code that matter.

use stategraph_repo::SymbolInfo;

use super::page::{AnswerItem, AnswerSection};
use super::subject::{Subject, reference};
use crate::workflows::contextualize::search::definitions::LineHits;
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::quote;

/// Most definitions with code.
const EXCERPTS: usize = 5;
/// Most lines of an excerpt, and of the lines at its beginning.
const LINES: usize = 14;
const HEAD: usize = 3;
/// Most parts of a type that are named.
const PARTS: usize = 8;

pub(super) fn section(subject: &Subject) -> AnswerSection {
    let mut section = AnswerSection::new("Where it is");
    for (index, definition) in subject.definitions.iter().enumerate() {
        let symbol = subject.symbol(definition);
        let place = reference(
            &definition.path,
            definition.start as usize,
            definition.end as usize,
            describe(definition),
        );
        let Some(head) = headline(definition, symbol.as_ref(), &place.to_string()) else { continue };
        let entry = section.push(AnswerItem {
            text: head,
            priority: index * 4,
            parent: None,
            references: vec![place],
        });
        if index < EXCERPTS
            && let Some(code) = excerpt(subject, definition)
        {
            let text = quote::fenced(&code) + "\n";
            section.push(AnswerItem {
                text,
                priority: index * 6 + 1,
                parent: Some(entry),
                references: Vec::new(),
            });
        }
    }
    section
}

fn describe(definition: &RankedDefinition) -> String {
    match definition.kind {
        Some(kind) => format!("{kind} `{}`", definition.name),
        None => format!("lines with {}", definition.keywords.join(", ")),
    }
}

/// Returns the line about a definition: its name, kind and place, its signature, its purpose.
fn headline(definition: &RankedDefinition, symbol: Option<&SymbolInfo>, place: &str) -> Option<String> {
    let Some(symbol) = symbol else {
        let words: Vec<String> =
            definition.keywords.iter().filter_map(|word| quote::code_span(word)).collect();
        return Some(format!("- lines with {} ({place})", words.join(", ")));
    };
    let name = quote::code_span(&definition.name)?;
    let mut text = format!("- **{name}**, {} ({place})", symbol.kind);
    if let Some(signature) = quote::code_span(&symbol.signature) {
        text.push_str(&format!(": {signature}"));
    }
    if let Some(docs) = symbol.docstring.as_deref().and_then(|docs| quote::prose(quote::first_sentence(docs)))
    {
        text.push_str(&format!(" — {docs}"));
    }
    let parts: Vec<String> = symbol
        .children
        .iter()
        .filter(|child| child.kind.is_callable())
        .filter_map(|child| quote::code_span(&child.name))
        .take(PARTS)
        .collect();
    if symbol.kind.is_type() && !parts.is_empty() {
        text.push_str(&format!(" Has {}.", parts.join(", ")));
    }
    Some(text)
}

/// Returns the lines of a definition that matter, with their numbers; gaps are marked.
fn excerpt(subject: &Subject, definition: &RankedDefinition) -> Option<Vec<String>> {
    let (first, last) = (definition.start as usize, definition.end as usize);
    let lines = subject.lines(&definition.path, first, last);
    if lines.is_empty() {
        return None;
    }
    let chosen = choose_lines(subject, definition, lines.len());
    let indent = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min();
    let mut shown = Vec::new();
    let mut before = None;
    for at in chosen {
        if before.is_some_and(|before| at > before + 1) {
            shown.push("…".to_owned());
        }
        let code = lines[at].get(indent.unwrap_or(0)..).unwrap_or(lines[at].trim_start());
        shown.push(format!("{}: {code}", first + at));
        before = Some(at);
    }
    Some(shown)
}

/// Returns the offsets of the lines to show: all of a short definition; of a long one its beginning and the lines around its best hits.
fn choose_lines(subject: &Subject, definition: &RankedDefinition, count: usize) -> Vec<usize> {
    if count <= LINES {
        return (0..count).collect();
    }
    let Some(text) = subject.text(&definition.path) else { return (0..LINES).collect() };
    let hits = LineHits::of(&subject.scanner, &text);
    let mut scores = vec![0.0_f32; count];
    let first = definition.start as usize;
    for (line, term, weight) in hits.within(first, definition.end as usize) {
        let weight = weight * subject.discovery.weights.get(usize::from(*term)).copied().unwrap_or_default();
        let at = *line as usize - first;
        scores[at] += weight;
        // The lines around a hit explain it.
        for near in [at.wrapping_sub(1), at + 1] {
            if let Some(score) = scores.get_mut(near) {
                *score += weight / 4.0;
            }
        }
    }
    let mut order: Vec<usize> = (HEAD..count).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut chosen: Vec<usize> = (0..HEAD).chain(order.into_iter().take(LINES - HEAD)).collect();
    chosen.sort_unstable();
    chosen
}
