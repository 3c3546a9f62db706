//! Errors, logging and concurrency: the constructs with their first places.

use std::collections::BTreeMap;

use super::super::bodies::is_exit;
use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::falling;
use super::map::MapFile;
use crate::facts::{ConcernKind, FactKind, FactValue, SourceLines};
use crate::repo::SymbolInfo;
use crate::workflows::survey::concerns::KEYWORDS;

/// Maximum of constructs on a line, and of statuses.
const ON_LINE: usize = 4;
const EXITS: usize = 8;

/// Ends of names that only release something, such as `unlock`; these are not listed.
const ENDING: &[&str] = &["unlock", "destroy", "_exit", "Unlock"];

pub(super) fn add(survey: &Survey, files: &[MapFile], draft: &mut LineDraft) {
    add_exits(survey, files, draft);
    let kinds = [
        (ConcernKind::Errors, "Errors", 2),
        (ConcernKind::Concurrency, "Concurrency", 2),
        (ConcernKind::Logging, "Logging", 1),
    ];
    for (kind, title, lines) in kinds {
        let (mut first, mut last): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for fact in survey.of_product(FactKind::Concern) {
            let FactValue::Concern { concern, construct } = &fact.value else { continue };
            if *concern != kind || ENDING.iter().any(|end| construct.ends_with(end)) {
                continue;
            }
            if let (Some(shown), Some(source)) = (survey.quoter.code(construct), fact.sources.first()) {
                let within = function_around(survey, source).and_then(|name| survey.quoter.code(&name));
                let within = within.filter(|name| *name != shown).map(|name| format!(" in {name}"));
                let said = format!("{shown}{} {}", within.unwrap_or_default(), place(source));
                let is_plain = KEYWORDS.contains(&construct.as_str());
                if is_plain { last.push(said) } else { first.push(said) }
            }
        }
        if first.is_empty() {
            first.append(&mut last);
        }
        for (at, chunk) in first.chunks(ON_LINE).take(lines).enumerate() {
            let text = format!("- {title}, among others: {}", chunk.join(", "));
            let first = if kind == ConcernKind::Logging { 14.0 } else { 20.0 };
            draft.add_many(ContextSection::Ways, falling(first, at, 1.0), ("constructs", chunk.len()), text);
        }
    }
}

/// Adds a line with the ways in which the program exits, such as `exit(2)`, each with at most two functions
/// and conditions.
fn add_exits(survey: &Survey, files: &[MapFile], draft: &mut LineDraft) {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for MapFile { file, definitions, .. } in files {
        for definition in definitions {
            for end in definition.body.ends.iter().filter(|end| is_exit(&end.text)) {
                let source = SourceLines { path: file.path.clone(), start: end.line, end: end.line };
                let condition = end.condition.as_deref().filter(|text| text.len() < 90);
                let condition = condition.and_then(|text| survey.quoter.code(text));
                let condition = condition.map(|text| format!(" {text}")).unwrap_or_default();
                if let Some(name) = survey.quoter.code(&definition.qualified()) {
                    let said = format!("{name}{condition} {}", place(&source));
                    found.entry(&end.text).or_default().push(said);
                }
            }
        }
    }
    let shown: Vec<String> = found
        .into_iter()
        .take(EXITS)
        .filter_map(|(end, places)| {
            let more = if places.len() > 2 { ", …" } else { "" };
            Some(format!(
                "{} in {}{more}",
                survey.quoter.code(end)?,
                places[..places.len().min(2)].join(", ")
            ))
        })
        .collect();
    if !shown.is_empty() {
        let text = format!("- Exits, among others: {}", shown.join("; "));
        draft.add_many(ContextSection::Ways, 75.0, ("exits", shown.len()), text);
    }
}

/// Returns the name of the innermost function around some lines, with that of its type (`Type.method`);
/// `None` outside of functions.
fn function_around(survey: &Survey, source: &SourceLines) -> Option<String> {
    let outline = survey.outlines.get(&source.path)?;
    let holds = |symbol: &SymbolInfo| symbol.line <= source.start && source.end <= symbol.line_end;
    let around = outline.walk().filter(|(_, symbol)| symbol.kind.is_callable() && holds(symbol));
    let (around, symbol) = around.min_by_key(|(_, symbol)| symbol.line_end - symbol.line)?;
    let of = around.last().filter(|of| of.chars().all(|c| c.is_alphanumeric() || c == '_'));
    Some(of.map_or_else(|| symbol.name.clone(), |of| format!("{of}.{}", symbol.name)))
}
