//! The ways into the product: programs, libraries, subcommands.

use std::collections::BTreeMap;

use super::super::draft::{Draft, Section};
use super::super::quoted::{path_span, place};
use super::super::survey::Survey;
use super::{falling, first_place, first_sentence};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, SourceLines, TargetKind};

pub(super) fn add(survey: &Survey, draft: &mut Draft) {
    let (mut programs, mut libraries): (Vec<&Fact>, Vec<&Fact>) = (Vec::new(), Vec::new());
    for fact in survey.of_product(FactKind::Target) {
        match &fact.value {
            FactValue::Target { target: TargetKind::Program, .. } => programs.push(fact),
            FactValue::Target { target: TargetKind::Library, .. } => libraries.push(fact),
            _ => {}
        }
    }
    // The libraries of a workspace are its parts, which the architecture tells.
    let of_library = if libraries.len() > 2 { 40.0 } else { 150.0 };
    for (facts, first) in [(programs, 150.0), (libraries, of_library)] {
        for (at, fact) in facts.into_iter().enumerate() {
            if let Some(text) = target_line(survey, fact) {
                draft.add(Section::Entries, falling(first, at, 5.0), "programs and libraries", text);
            }
        }
    }
    add_subcommands(survey, draft);
}

fn target_line(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Target { target, name, entry } = &fact.value else { return None };
    let kind = match target {
        TargetKind::Program => "Program",
        TargetKind::Library => "Library",
        _ => return None,
    };
    let mut text = format!("- {kind} {}", survey.quoter.code(name)?);
    let main = (*target == TargetKind::Program).then(|| entry_function(survey, entry)).flatten();
    let declared = fact.sources.first();
    let is_same = declared.is_some_and(|declared| declared.path == *entry);
    match main {
        None if is_same => {}
        Some(main) => text.push_str(&format!(" begins in `main` {}", place(&main))),
        None => text.push_str(&format!(": {}", path_span(entry))),
    }
    match (is_same, *target) {
        (false, _) => text.push_str(&format!(", declared {}", first_place(&fact.sources))),
        (true, TargetKind::Library) => text.push_str(&format!(" {}", first_place(&fact.sources))),
        _ => {}
    }
    let own = FactSubject::File(entry.clone());
    if let Some((said, source)) = survey.purpose_of(&own)
        && let Some(said) = survey.quoter.prose(first_sentence(said))
    {
        text.push_str(&format!(": {said} {}", place(source)));
    }
    Some(text)
}

/// Returns the place of the function `main` of a file.
fn entry_function(survey: &Survey, entry: &str) -> Option<SourceLines> {
    let outline = survey.outlines.get(entry).cloned().or_else(|| survey.code.get_outline(entry))?;
    let main = outline.symbols.iter().find(|symbol| symbol.name == "main" && symbol.kind.is_callable())?;
    Some(SourceLines { path: entry.to_owned(), start: main.line, end: main.line_end })
}

/// Lists the subcommands by file.
fn add_subcommands(survey: &Survey, draft: &mut Draft) {
    let mut files: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Subcommand) {
        if let Some(source) = fact.sources.first() {
            files.entry(&source.path).or_default().push(fact);
        }
    }
    let mut at = 0;
    for (path, facts) in files {
        let parent = draft.add_heading(Section::Entries, format!("- Subcommands in {}:", path_span(path)));
        for fact in facts {
            if let Some(text) = subcommand_line(survey, fact) {
                draft.add_below(parent, falling(75.0, at, 12.0), ("subcommands", 1), text);
                at += 1;
            }
        }
    }
}

fn subcommand_line(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Subcommand { name, text } = &fact.value else { return None };
    let source = fact.sources.first()?;
    let mut line = format!("  - {}", survey.quoter.code(name)?);
    if let Some(said) = text.as_deref().and_then(|text| survey.quoter.prose(first_sentence(text))) {
        line.push_str(&format!(": {said}"));
    }
    line.push_str(&format!(" {}", super::lines_of(source.start, source.end)));
    Some(line)
}
