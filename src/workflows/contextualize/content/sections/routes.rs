//! The routes of servers, by the files that declare them.

use std::collections::BTreeMap;

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{Fact, FactKind, FactValue, PathRole};

/// Number of routes up to which each has a line of its own, and number on a line beyond.
const SINGLE: usize = 12;
const ON_LINE: usize = 6;
/// Fewest files with few routes each that are told below their common folder.
const FILES: usize = 4;
const FEW: usize = 5;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut files: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    // A website of documents may have routes of its own.
    for fact in survey.of_product(FactKind::Route).filter(|fact| fact.role != PathRole::Docs) {
        if let Some(source) = fact.sources.first() {
            files.entry(&source.path).or_default().push(fact);
        }
    }
    let total: usize = files.values().map(Vec::len).sum();
    let (small, mut large): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, facts)| facts.len() <= FEW);
    let (small, rest) = if small.len() >= FILES { (small, Vec::new()) } else { (Vec::new(), small) };
    large.extend(rest);
    large.sort_by_key(|(path, facts)| (std::cmp::Reverse(facts.len()), *path));
    let mut at = 0;
    for (path, facts) in large {
        let heading = format!("- Routes in {}:", path_span(path));
        let parent = draft.add_heading(ContextSection::Entries, heading);
        for chunk in facts.chunks(if total <= SINGLE { 1 } else { ON_LINE }) {
            if let Some(text) = routes_line(survey, chunk) {
                draft.add_below(
                    parent,
                    falling(85.0, at, 8.0),
                    ("routes", chunk.len()),
                    format!("  - {text}"),
                );
                at += 1;
            }
        }
    }
    add_small_files(survey, draft, &small, at);
}

/// Lists files with a few routes each, one line a file, below their common folder. `at` is the number of
/// lines that were added before.
fn add_small_files(survey: &Survey, draft: &mut LineDraft, files: &[(&str, Vec<&Fact>)], mut at: usize) {
    if files.is_empty() {
        return;
    }
    let folder = common_folder(files);
    let below = if folder.is_empty() { "the root".to_owned() } else { path_span(&folder) };
    let heading = format!("- Routes of files in {below}:");
    let parent = draft.add_heading(ContextSection::Entries, heading);
    for (path, facts) in files {
        if let Some(text) = routes_line(survey, facts) {
            let text = format!("  - {}: {text}", path_span(&path[folder.len()..]));
            draft.add_below(parent, falling(85.0, at, 10.0), ("routes", facts.len()), text);
            at += 1;
        }
    }
}

/// Returns the innermost folder that contains all files, with a slash at its end; empty for the root.
fn common_folder(files: &[(&str, Vec<&Fact>)]) -> String {
    let mut shared: &str = files[0].0.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (path, _) in files {
        while !shared.is_empty() && !path.strip_prefix(shared).is_some_and(|rest| rest.starts_with('/')) {
            shared = shared.rsplit_once('/').map_or("", |(outer, _)| outer);
        }
    }
    if shared.is_empty() { String::new() } else { format!("{shared}/") }
}

/// Returns the routes of a file as `/path GET handler, POST handler; …` and the lines that declare them;
/// `None` if there is nothing to show.
fn routes_line(survey: &Survey, facts: &[&Fact]) -> Option<String> {
    let start = facts.iter().filter_map(|fact| fact.sources.first()).map(|source| source.start).min()?;
    let end = facts.iter().filter_map(|fact| fact.sources.first()).map(|source| source.end).max()?;
    let mut shown: Vec<String> = Vec::new();
    let mut at = 0;
    while at < facts.len() {
        let FactValue::Route { path, .. } = &facts[at].value else { return None };
        let same: Vec<&&Fact> = facts[at..].iter().take_while(|fact| is_at(fact, path)).collect();
        at += same.len();
        let methods: Vec<String> = same.iter().filter_map(|fact| method_and_handler(survey, fact)).collect();
        let path = if path.is_empty() { "/" } else { path };
        if let Some(path) = survey.quoter.code(path) {
            shown.push(format!("{path} {}", methods.join(", ")).trim_end().to_owned());
        }
    }
    (!shown.is_empty()).then(|| format!("{} {}", shown.join("; "), lines_of(start, end)))
}

fn is_at(fact: &Fact, wanted: &str) -> bool {
    matches!(&fact.value, FactValue::Route { path, .. } if path == wanted)
}

/// Returns the method and the handler of a route as `` GET `handler` ``, or one of them. A handler that
/// repeats the method is left out.
fn method_and_handler(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Route { method, handler, .. } = &fact.value else { return None };
    let handler = handler.as_deref().filter(|handler| handler.chars().count() <= 60);
    let handler = handler.filter(|handler| method.as_deref() != Some(*handler));
    let handler = handler.and_then(|handler| survey.quoter.code(handler));
    match (method.as_deref(), handler) {
        (Some(method), Some(handler)) => Some(format!("{method} {handler}")),
        (Some(method), None) => Some(method.to_owned()),
        (None, handler) => handler,
    }
}
