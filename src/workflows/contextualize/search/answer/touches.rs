//! The section "What it touches": the calls, types, settings, routes and errors of the facts that are in the lines of the best definitions.

use stategraph_facts::{ConcernKind, Fact, FactKind, FactSubject, FactValue, SourceLines};

use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, source_reference};
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::quote;

/// Most definitions that are looked at.
const DEFINITIONS: usize = 4;
/// Most files that are named.
const FILES: usize = 6;
/// Most values of one kind that are named.
const NAMED: usize = 10;

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("What it touches");
    for (index, definition) in
        subject.definitions.iter().filter(|it| it.kind.is_some()).take(DEFINITIONS).enumerate()
    {
        let mut parts: Vec<TouchLine> =
            [calls(subject, definition), relations(subject, definition)].into_iter().flatten().collect();
        parts.extend(KINDS.iter().filter_map(|(title, kind)| in_lines(subject, definition, title, *kind)));
        parts.retain(|part| !part.said.is_empty());
        let Some(name) = quote::code_span(&definition.name).filter(|_| !parts.is_empty()) else { continue };
        let parent = section.push(AnswerItem {
            text: format!("- {name} ({}:{})", definition.path, definition.start),
            priority: index * 8 + 5,
            ..AnswerItem::default()
        });
        for part in parts {
            let more = part.more.map(|more| format!(", and {more} more")).unwrap_or_default();
            section.push(AnswerItem {
                text: format!("  - {}: {}{more}", part.title, part.said.join(", ")),
                priority: index * 8 + 5,
                parent: Some(parent),
                references: part.references,
            });
        }
    }
    let paths = depended_files(subject);
    if !paths.is_empty() {
        section.push(AnswerItem {
            text: format!("- Files that it needs: {}", paths.join(", ")),
            priority: 14,
            ..AnswerItem::default()
        });
    }
    section
}

/// A line of the section: a title such as `calls`, and values of that kind in the lines of a definition.
struct TouchLine {
    title: &'static str,
    said: Vec<String>,
    more: Option<usize>,
    references: Vec<crate::workflows::contextualize::search::code_references::CodeReference>,
}

impl TouchLine {
    fn of<'f>(title: &'static str, values: impl Iterator<Item = (String, &'f SourceLines)>) -> Option<Self> {
        let mut all: Vec<(String, &SourceLines)> = Vec::new();
        for (name, at) in values {
            if !all.iter().any(|(_, known)| *known == at) {
                all.push((name, at));
            }
        }
        if all.is_empty() {
            return None;
        }
        let more = all.len().checked_sub(NAMED).filter(|more| *more > 0);
        let mut found = Self { title, said: Vec::new(), more, references: Vec::new() };
        for (name, at) in all.into_iter().take(NAMED) {
            if let Some(name) = quote::code_span(&name) {
                found.said.push(format!("{name} ({at})"));
                found.references.push(source_reference(at, title));
            }
        }
        Some(found)
    }
}

fn is_within(source: &SourceLines, definition: &RankedDefinition) -> bool {
    source.path == definition.path
        && source.start >= definition.start as usize
        && source.end <= definition.end as usize
}

/// Returns true if the subject of a fact is this definition: the same file, and one dotted name is the end of
/// the other.
fn is_about(fact: &Fact, definition: &RankedDefinition) -> bool {
    let FactSubject::Symbol { path, name } = &fact.subject else { return false };
    *path == definition.path
        && (definition.name == *name
            || definition.name.ends_with(&format!(".{name}"))
            || name.ends_with(&format!(".{}", definition.name)))
}

/// Returns the calls that the facts record within the lines of a definition; `None` if there are none.
fn calls(subject: &AnswerSubject, definition: &RankedDefinition) -> Option<TouchLine> {
    let facts = subject.facts.of_kind(FactKind::Calls).filter(|fact| is_about(fact, definition));
    let steps = facts.filter_map(|fact| match &fact.value {
        FactValue::Calls { calls } => Some(calls),
        _ => None,
    });
    TouchLine::of(
        "calls",
        steps
            .flatten()
            .filter(|step| is_within(&step.at, definition))
            .map(|step| (step.name.clone(), &step.at)),
    )
}

fn relations(subject: &AnswerSubject, definition: &RankedDefinition) -> Option<TouchLine> {
    let facts = subject.facts.of_kind(FactKind::Relation).filter(|fact| is_about(fact, definition));
    let named = facts.filter_map(|fact| match &fact.value {
        FactValue::Relation { name, field, .. } => {
            let said = field.as_ref().map_or_else(|| name.clone(), |field| format!("{field}: {name}"));
            Some((said, fact.sources.first()?))
        }
        _ => None,
    });
    TouchLine::of("types", named)
}

/// Kinds of facts that are named by their places, with their titles.
const KINDS: &[(&str, FactKind)] = &[
    ("settings", FactKind::Setting),
    ("routes", FactKind::Route),
    ("subcommands", FactKind::Subcommand),
    ("errors", FactKind::Concern),
];

/// Returns the facts of one kind whose source is within the lines of a definition; `None` if there are none.
/// Errors without an upper-case letter are left out.
fn in_lines(
    subject: &AnswerSubject,
    definition: &RankedDefinition,
    title: &'static str,
    kind: FactKind,
) -> Option<TouchLine> {
    let named = subject.facts.of_kind(kind).filter_map(|fact| {
        let at = fact.sources.iter().find(|source| is_within(source, definition))?;
        let name = match &fact.value {
            FactValue::Setting { name, .. } | FactValue::Subcommand { name, .. } => name.clone(),
            FactValue::Route { method, path, .. } => {
                format!("{} {path}", method.as_deref().unwrap_or("any method"))
            }
            FactValue::Concern { concern: ConcernKind::Errors, construct }
                if construct.contains(char::is_uppercase) =>
            {
                construct.clone()
            }
            _ => return None,
        };
        Some((name, at))
    });
    TouchLine::of(title, named)
}

/// Returns at most 6 files that the file of the best definition depends on, each as `path` with the place of
/// a use.
fn depended_files(subject: &AnswerSubject) -> Vec<String> {
    let mut paths: Vec<&str> = subject.definitions.iter().take(1).map(|it| it.path.as_str()).collect();
    paths.dedup();
    let edges = subject.facts.of_kind(FactKind::Edge).filter(|fact| paths.contains(&fact.subject.path()));
    let mut found: Vec<String> = Vec::new();
    for fact in edges {
        if let (FactValue::Edge { to, .. }, Some(at)) = (&fact.value, fact.sources.first())
            && let Some(shown) = quote::code_span(to)
            && !found.iter().any(|known| known.starts_with(&shown))
            && found.len() < FILES
        {
            found.push(format!("{shown} ({at})"));
        }
    }
    found
}
