//! The ways into the product: programs, libraries, subcommands.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, first_sentence};
use crate::facts::{Fact, FactKind, FactValue, PathRole, TargetKind};
use crate::workflows::survey::targets::target_line;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
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
                draft.add(ContextSection::Entries, falling(first, at, 5.0), "programs and libraries", text);
            }
        }
    }
    add_subcommands(survey, draft);
}

/// Adds the subcommands of command line programs, below a heading for each file that defines them.
fn add_subcommands(survey: &Survey, draft: &mut LineDraft) {
    let mut files: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    // A website of documents may have subcommands of its own.
    for fact in survey.of_product(FactKind::Subcommand).filter(|fact| fact.role != PathRole::Docs) {
        if let Some(source) = fact.sources.first() {
            files.entry(&source.path).or_default().push(fact);
        }
    }
    let mut at = 0;
    for (path, facts) in files {
        let parent =
            draft.add_heading(ContextSection::Entries, format!("- Subcommands in {}:", path_span(path)));
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
        line.extend([format!(": {said}")]);
    }
    line.extend([format!(" {}", super::lines_of(source.start, source.end))]);
    Some(line)
}
