//! The routes of servers, grouped by the first parts of their paths.

use std::collections::BTreeMap;

use super::super::draft::{Draft, Section};
use super::super::quoted::path_span;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{Fact, FactKind, FactValue};

/// Maximum of routes of a file that are told one by one; more are grouped by their paths.
const SINGLE: usize = 12;

pub(super) fn add(survey: &Survey, draft: &mut Draft) {
    let mut files: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Route) {
        if let Some(source) = fact.sources.first() {
            files.entry(&source.path).or_default().push(fact);
        }
    }
    let mut order: Vec<(&str, Vec<&Fact>)> = files.into_iter().collect();
    order.sort_by_key(|(path, facts)| (std::cmp::Reverse(facts.len()), *path));
    let total: usize = order.iter().map(|(_, facts)| facts.len()).sum();
    let mut at = 0;
    for (path, facts) in order {
        let parent = draft.add(
            Section::Entries,
            falling(80.0, at, 8.0),
            "",
            format!("- Routes in {}:", path_span(path)),
        );
        for group in groups(&facts, total) {
            if let Some(text) = group_line(survey, &group) {
                draft.add_below(parent, falling(80.0, at, 8.0), ("routes", group.len()), text);
                at += 1;
            }
        }
    }
}

/// Puts routes with the same beginning together.
fn groups<'f>(facts: &[&'f Fact], total: usize) -> Vec<Vec<&'f Fact>> {
    if total <= SINGLE {
        return facts.iter().map(|fact| vec![*fact]).collect();
    }
    let mut groups: Vec<(String, Vec<&Fact>)> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let depth = shared_depth(facts) + 1;
    for fact in facts {
        let FactValue::Route { path, .. } = &fact.value else { continue };
        let parts = path.split('/').filter(|part| !part.is_empty());
        let key: Vec<&str> = parts.take(depth).collect();
        let key = key.join("/");
        let at = *index.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(*fact);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns the number of leading parts that most of the routes share: 1 for `/api/…`.
fn shared_depth(facts: &[&Fact]) -> usize {
    let mut firsts: BTreeMap<&str, usize> = BTreeMap::new();
    for fact in facts {
        if let FactValue::Route { path, .. } = &fact.value {
            *firsts.entry(path.split('/').find(|part| !part.is_empty()).unwrap_or_default()).or_default() +=
                1;
        }
    }
    usize::from(firsts.values().any(|count| count * 2 > facts.len()))
}

fn group_line(survey: &Survey, group: &[&Fact]) -> Option<String> {
    let start = group.iter().filter_map(|fact| fact.sources.first()).map(|source| source.start).min()?;
    let end = group.iter().filter_map(|fact| fact.sources.first()).map(|source| source.end).max()?;
    let mut shown: Vec<String> = Vec::new();
    let mut at = 0;
    while at < group.len() {
        let FactValue::Route { path, .. } = &group[at].value else { return None };
        let same: Vec<&&Fact> = group[at..].iter().take_while(|fact| is_at(fact, path)).collect();
        at += same.len();
        let methods: Vec<String> = same.iter().filter_map(|fact| method_and_handler(survey, fact)).collect();
        if let Some(path) = survey.quoter.code(path) {
            shown.push(format!("{path} {}", methods.join(", ")).trim_end().to_owned());
        }
    }
    (!shown.is_empty()).then(|| format!("  - {} {}", shown.join("; "), lines_of(start, end)))
}

fn is_at(fact: &Fact, wanted: &str) -> bool {
    matches!(&fact.value, FactValue::Route { path, .. } if path == wanted)
}

fn method_and_handler(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Route { method, handler, .. } = &fact.value else { return None };
    let method = method.as_deref().unwrap_or("any");
    let handler = handler.as_deref().filter(|handler| handler.chars().count() <= 60);
    match handler.and_then(|handler| survey.quoter.code(handler)) {
        Some(handler) => Some(format!("{method} {handler}")),
        None => Some(method.to_owned()),
    }
}
