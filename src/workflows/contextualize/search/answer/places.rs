//! The section "Where it is": the definitions that match best, with the lines of code that matter.

use stategraph_repo::SymbolInfo;

use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, reference};
use crate::workflows::contextualize::search::definitions::LineHits;
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::quote;

/// Most definitions with code.
const EXCERPTS: usize = 5;
/// Most lines of an excerpt, and of the lines at its beginning.
const LINES: usize = 14;
const HEAD: usize = 3;
/// Most methods of a type that are named.
const PARTS: usize = 8;

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("Where it is");
    for (index, definition) in subject.definitions.iter().enumerate() {
        let symbol = subject.symbol(definition);
        let place = reference(
            &definition.path,
            definition.start as usize,
            definition.end as usize,
            describe(definition),
        );
        let is_twin = subject.definitions[..index].iter().any(|known| is_same_name(known, definition));
        let code =
            (index < EXCERPTS && !is_twin).then(|| excerpt(subject, definition, symbol.as_ref())).flatten();
        let Some(head) = headline(definition, symbol.as_ref(), &place.to_string(), code.is_some()) else {
            continue;
        };
        let entry = section.push(AnswerItem {
            text: head,
            priority: index * 4,
            parent: None,
            references: vec![place],
        });
        if let Some(code) = code {
            let text = format!("\n{}\n", quote::fenced(&code));
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

/// Returns true if the last segments of two names are equal, as for the synchronous and the asynchronous form
/// of a method.
fn is_same_name(one: &RankedDefinition, other: &RankedDefinition) -> bool {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    !one.name.is_empty() && last(&one.name) == last(&other.name)
}

fn describe(definition: &RankedDefinition) -> String {
    match definition.kind {
        Some(kind) => format!("{kind} `{}`", definition.name),
        None => format!("lines with {}", definition.keywords.join(", ")),
    }
}

/// Returns the list item of a definition: name, kind, place, signature (unless `has_code`), purpose, and the
/// methods of a type. Without a symbol it names the keywords and the place. `None` if the name must not be
/// quoted.
fn headline(
    definition: &RankedDefinition,
    symbol: Option<&SymbolInfo>,
    place: &str,
    has_code: bool,
) -> Option<String> {
    let Some(symbol) = symbol else {
        let words: Vec<String> =
            definition.keywords.iter().filter_map(|word| quote::code_span(word)).collect();
        return Some(format!("- lines with {} ({place})", words.join(", ")));
    };
    let name = quote::code_span(&definition.name)?;
    let mut text = format!("- **{name}**, {} ({place})", symbol.kind);
    if let Some(signature) = quote::code_span(&symbol.signature).filter(|_| !has_code) {
        text.extend([": ", &signature]);
    }
    if let Some(docs) = symbol.docstring.as_deref().and_then(purpose) {
        text.extend([" — ", &docs]);
    }
    let parts: Vec<String> =
        callables(symbol).filter_map(|child| quote::code_span(&child.name)).take(PARTS).collect();
    let more = callables(symbol).count().saturating_sub(PARTS);
    if symbol.kind.is_type() && !parts.is_empty() {
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        text.extend([" Has ", &parts.join(", "), &more, "."]);
    }
    Some(text)
}

fn callables(symbol: &SymbolInfo) -> impl Iterator<Item = &SymbolInfo> {
    symbol.children.iter().filter(|child| child.kind.is_callable())
}

/// Returns the first sentence of a doc comment, before any ` @tag`, as safe Markdown; `None` if it begins
/// with a tag or markup, or must not be quoted.
fn purpose(docs: &str) -> Option<String> {
    let text = docs.split(" @").next().unwrap_or(docs).trim();
    if text.starts_with(['@', ':', '\\', '<']) {
        return None;
    }
    quote::prose(quote::first_sentence(text))
}

/// Returns the relevant lines of a definition's code, numbered (`12: let x`), with `…` at gaps; of a type
/// with methods, the lines above the first method. `None` if the file cannot be read or fewer than two lines
/// remain.
fn excerpt(
    subject: &AnswerSubject,
    definition: &RankedDefinition,
    symbol: Option<&SymbolInfo>,
) -> Option<Vec<String>> {
    let (first, last) = (definition.start as usize, definition.end as usize);
    let lines = subject.lines(&definition.path, first, last);
    if lines.is_empty() {
        return None;
    }
    let chosen = match symbol.and_then(|symbol| callables(symbol).next()) {
        // The methods of a type are definitions of their own; its fields are not.
        Some(first_method) if symbol.is_some_and(|symbol| symbol.kind.is_type()) => {
            let end = first_method.line.saturating_sub(first).min(lines.len());
            let is_code = |at: &usize| !is_comment(&lines[*at]) && !lines[*at].trim().is_empty();
            (0..end).filter(is_code).take(LINES / 2).collect()
        }
        _ => choose_lines(subject, definition, &lines),
    };
    if chosen.len() < 2 && lines.len() > 1 {
        return None;
    }
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

/// Returns the indexes into `lines` of the lines to show, in ascending order: all of up to 14 lines;
/// otherwise the first three and the best hits.
fn choose_lines(subject: &AnswerSubject, definition: &RankedDefinition, lines: &[String]) -> Vec<usize> {
    let count = lines.len();
    if count <= LINES {
        return (0..count).collect();
    }
    let scores = line_scores(subject, definition, lines);
    let mut order: Vec<usize> = (HEAD..count).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let mut chosen: Vec<usize> = (0..HEAD).chain(order.into_iter().take(LINES - HEAD)).collect();
    chosen.sort_unstable();
    // A mark for a gap takes as much room as the line in it.
    let gaps: Vec<usize> =
        chosen.windows(2).filter(|pair| pair[1] == pair[0] + 2).map(|pair| pair[0] + 1).collect();
    chosen.extend(gaps);
    chosen.sort_unstable();
    chosen
}

/// Returns a score for each line: the weights of the hits on it and, reduced, of those up to two lines away.
/// Lines of comments and of docstrings get 0.3 of it.
fn line_scores(subject: &AnswerSubject, definition: &RankedDefinition, lines: &[String]) -> Vec<f32> {
    const NEAR: &[f32] = &[1.0, 0.4, 0.15];
    let mut scores = vec![0.0_f32; lines.len()];
    let Some(text) = subject.text(&definition.path) else { return scores };
    let hits = LineHits::of(&subject.scanner, &text);
    let first = definition.start as usize;
    for (line, term, weight) in hits.within(first, definition.end as usize) {
        let weight = weight * subject.discovery.weights.get(usize::from(*term)).copied().unwrap_or_default();
        let at = *line as usize - first;
        for (distance, share) in NEAR.iter().enumerate() {
            for near in [at.wrapping_sub(distance), at + distance] {
                if let Some(score) = scores.get_mut(near) {
                    *score += weight * share;
                }
            }
        }
    }
    let mut is_text = false;
    for (score, line) in scores.iter_mut().zip(lines) {
        let opens = line.matches("\"\"\"").count() % 2 == 1;
        *score *= if is_text || opens || is_comment(line) { 0.3 } else { 1.0 };
        is_text ^= opens;
    }
    scores
}

fn is_comment(line: &str) -> bool {
    let bare = line.trim_start();
    ["//", "/*", "*", "# ", "\"\"\"", "--"].iter().any(|start| bare.starts_with(start))
}
