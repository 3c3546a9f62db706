//! Findings about entry points of the product: programs and libraries, subcommands, routes.

use std::collections::BTreeMap;

use super::{at, part_of, path_of};
use crate::facts::{Fact, FactKind, FactValue, PathRole, TargetKind};
use crate::workflows::explore::rules::finding::{ENTRIES, ROUTES, RuleFinding, SUBCOMMANDS};
use crate::workflows::survey::Survey;
use crate::workflows::survey::phrases::{first_place, first_sentence};
use crate::workflows::survey::quoted::path_span;
use crate::workflows::survey::targets::target_line;

/// Maximum number of routes or subcommands in a finding.
const TOGETHER: usize = 8;
/// Maximum length of a route's handler that is shown, in characters.
const HANDLER: usize = 60;

/// Appends the programs, libraries, routes and subcommands.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    for fact in survey.of_product(FactKind::Target) {
        let FactValue::Target { target, entry, .. } = &fact.value else { continue };
        if let Some(line) = target_line(survey, fact) {
            let weight = if *target == TargetKind::Program { 1.0 } else { 0.0 };
            let about = if entry.is_empty() { fact.subject.path() } else { entry };
            let content = line.trim_start_matches("- ").to_owned();
            found.push(RuleFinding::new(ENTRIES, about, weight, content));
        }
    }
    let route = |fact: &Fact| route(survey, fact);
    by_file(survey, (FactKind::Route, ROUTES, "Routes"), route, found);
    let subcommand = |fact: &Fact| subcommand(survey, fact);
    by_file(survey, (FactKind::Subcommand, SUBCOMMANDS, "Subcommands"), subcommand, found);
}

/// Adds findings about the facts of one kind, up to `TOGETHER` facts of a file in each. `said` formats
/// a fact, or returns `None` to skip it.
fn by_file(
    survey: &Survey<'_>,
    (kind, topic, title): (FactKind, &'static str, &str),
    said: impl Fn(&Fact) -> Option<String>,
    found: &mut Vec<RuleFinding>,
) {
    let mut files: BTreeMap<&str, Vec<(usize, String)>> = BTreeMap::new();
    // A website of documents may have routes and subcommands of its own.
    for fact in survey.of_product(kind).filter(|fact| fact.role != PathRole::Docs) {
        if let Some(said) = said(fact) {
            let line = fact.sources.first().map_or(0, |source| source.start);
            files.entry(path_of(fact)).or_default().push((line, said));
        }
    }
    for (path, mut all) in files {
        all.sort_by_key(|(line, _)| *line);
        let all: Vec<String> = all.into_iter().map(|(_, said)| said).collect();
        for (position, chunk) in all.chunks(TOGETHER).enumerate() {
            let count = part_of(chunk.len(), all.len());
            let content = format!("{title} in {}{count}: {}", path_span(path), chunk.join("; "));
            found.push(RuleFinding::new(topic, path, at(0.0, position), content));
        }
    }
}

fn route(survey: &Survey<'_>, fact: &Fact) -> Option<String> {
    let FactValue::Route { method, path, handler } = &fact.value else { return None };
    let mut text = method.clone().map(|method| format!("{method} ")).unwrap_or_default();
    text.push_str(&survey.quoter.code(if path.is_empty() { "/" } else { path })?);
    let handler = handler.as_deref().filter(|handler| handler.chars().count() <= HANDLER);
    if let Some(handler) = handler.and_then(|handler| survey.quoter.code(handler)) {
        text.extend([format!(" is answered by {handler}")]);
    }
    text.extend([format!(" {}", first_place(&fact.sources))]);
    Some(text)
}

fn subcommand(survey: &Survey<'_>, fact: &Fact) -> Option<String> {
    let FactValue::Subcommand { name, text } = &fact.value else { return None };
    let mut line = survey.quoter.code(name)?;
    if let Some(said) = text.as_deref().and_then(|text| survey.quoter.prose(first_sentence(text))) {
        line.extend([format!(": {}", said.trim_end_matches('.'))]);
    }
    line.extend([format!(" {}", first_place(&fact.sources))]);
    Some(line)
}
