//! Findings about relations of types: implementations of interfaces and base types, and fields that
//! hold other types.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{Fact, FactKind, FactSubject, FactValue, PathRole, RelationKind};
use crate::workflows::explore::rules::finding::{IMPLEMENTATIONS, RELATIONS, RuleFinding};
use crate::workflows::survey::Survey;
use crate::workflows::survey::central::root;
use crate::workflows::survey::phrases::first_place;
use crate::workflows::survey::quoted::path_span;

/// Maximum number of implementations or fields that a finding shows.
const SHOWN: usize = 8;
/// Minimum number of fields with types of the code base that get a finding.
const FEWEST: usize = 2;

/// Appends the implementations of types that have several, and the fields of types that hold others.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    let mut bases: BTreeMap<(&str, &str), Vec<&Fact>> = BTreeMap::new();
    let mut holders: BTreeMap<(&str, &str), Vec<&Fact>> = BTreeMap::new();
    for fact in survey.of_product(FactKind::Relation).filter(|fact| fact.role == PathRole::Runtime) {
        let FactValue::Relation { relation, to, name, .. } = &fact.value else { continue };
        match (relation, &fact.subject) {
            (RelationKind::Implements | RelationKind::Extends, _) => {
                bases.entry((to, name)).or_default().push(fact);
            }
            (_, FactSubject::Symbol { path, name }) => holders.entry((path, name)).or_default().push(fact),
            _ => {}
        }
    }
    for ((path, name), facts) in bases.into_iter().filter(|(_, facts)| facts.len() > 1) {
        if let Some(content) = implementations(survey, (path, name), &facts) {
            found.push(RuleFinding::new(IMPLEMENTATIONS, path, root(facts.len()), content));
        }
    }
    for ((path, name), facts) in holders.into_iter().filter(|(_, facts)| facts.len() >= FEWEST) {
        if let Some(content) = fields(survey, name, &facts) {
            let score = survey.positions.get(path).map_or(0.0, |at| survey.central[*at].score);
            found.push(RuleFinding::new(RELATIONS, path, score + root(facts.len()), content));
        }
    }
}

/// Formats the implementations of an interface or base type.
fn implementations(survey: &Survey<'_>, (path, name): (&str, &str), facts: &[&Fact]) -> Option<String> {
    let name = survey.quoter.code(name)?;
    let one = |fact: &&Fact| {
        Some(format!("{} {}", survey.quoter.code(fact.subject.name()?)?, first_place(&fact.sources)))
    };
    let shown: Vec<String> = facts.iter().filter_map(one).take(SHOWN).collect();
    let more = if facts.len() > SHOWN { " and others" } else { "" };
    Some(format!(
        "{name} in {} is implemented or extended, among others, by {}{more}",
        path_span(path),
        shown.join(", ")
    ))
}

/// Formats the fields of a type that hold types of the code base; `None` if they hold fewer than
/// `FEWEST` different types.
fn fields(survey: &Survey<'_>, name: &str, facts: &[&Fact]) -> Option<String> {
    let name = survey.quoter.code(name)?;
    let mut shown = Vec::new();
    let mut types = BTreeSet::new();
    for fact in facts.iter().take(SHOWN) {
        let FactValue::Relation { relation, name: to, field, .. } = &fact.value else { continue };
        types.insert(to.as_str());
        let count = if *relation == RelationKind::Many { "several " } else { "" };
        let field = field.as_deref().and_then(|field| survey.quoter.code(field));
        let within = field.map(|field| format!(" in {field}")).unwrap_or_default();
        shown.push(format!("{count}{}{within} {}", survey.quoter.code(to)?, first_place(&fact.sources)));
    }
    // A wrapper around all fields hides what they hold.
    if types.len() < FEWEST {
        return None;
    }
    let more = if facts.len() > SHOWN { ", …" } else { "" };
    Some(format!("{name} holds {}{more}", shown.join(", ")))
}
