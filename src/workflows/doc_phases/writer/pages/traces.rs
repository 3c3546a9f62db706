//! The sections of the overview that come from facts: paths from an entry to the core, dependencies, and ways of working.

use std::collections::{BTreeMap, BTreeSet};

use super::super::diagrams;
use super::super::facts::PageFacts;
use super::super::page::{Block, Span, Text, code, heading, plain, source};
use super::calls::branch_words;
use super::sourced;
use crate::facts::{ConcernKind, Fact, FactKind, FactSubject, FactValue, SourceLines, TraceStep};
use crate::repo::Scope;

/// Maximum of traces.
const TRACES: usize = 5;
/// Maximum of dependencies that are named in one item.
const DEPENDENCIES: usize = 40;
/// Maximum of constructs of a concern.
const CONSTRUCTS: usize = 12;

/// Shows the paths of calls from an entry point to the core, at most [`TRACES`], each as numbered steps and
/// as a diagram.
pub(super) fn traces(facts: &PageFacts) -> Vec<Block> {
    let steps = |fact: &'_ Fact| match &fact.value {
        FactValue::Trace { steps } if steps.len() > 1 => Some(steps.clone()),
        _ => None,
    };
    let found: Vec<Vec<TraceStep>> = facts.selected.of_product(FactKind::Trace).filter_map(steps).collect();
    let mut blocks = Vec::new();
    for steps in found.iter().take(TRACES) {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else { continue };
        blocks.push(Block::Heading(3, vec![plain(format!("From {} to {}", first.name, last.name))]));
        let item = |(at, step): (usize, &TraceStep)| {
            let mut item = vec![code(&step.name)];
            item.push(plain(if at == 0 { ", defined at " } else { ", called at " }));
            item.push(source(&step.at));
            let branches = branch_words(if at == 0 { &[] } else { facts.selected.branches_around(step) });
            if !branches.is_empty() {
                item.push(plain(", in "));
                item.extend(branches);
            }
            item
        };
        blocks.push(Block::Steps(steps.iter().enumerate().map(item).collect()));
        blocks.extend(
            diagrams::trace(steps, facts).map(|text| Block::Code { language: "mermaid".into(), text }),
        );
    }
    blocks.extend(super::not_shown(found.len(), found.len().min(TRACES), "paths"));
    blocks
}

/// Draws the types with the most relations as a diagram, with a sentence about the others; empty without
/// relations.
pub(super) fn type_relations(facts: &PageFacts) -> Vec<Block> {
    let relations =
        facts.selected.of_product(FactKind::Relation).filter_map(|fact| match (&fact.subject, &fact.value) {
            (FactSubject::Symbol { path, name }, FactValue::Relation { relation, to, name: other, .. }) => {
                Some(diagrams::DrawnRelation {
                    from: diagrams::DrawnType { name, path },
                    words: super::component::relation_words(*relation).trim(),
                    to: diagrams::DrawnType { name: other, path: to },
                })
            }
            _ => None,
        });
    let relations: Vec<diagrams::DrawnRelation<'_>> = relations.collect();
    let Some((text, hidden)) = diagrams::type_relations(&relations) else { return Vec::new() };
    let hidden = match hidden {
        0 => None,
        1 => Some("One further type with relations is not drawn.".to_owned()),
        _ => Some(format!("{hidden} further types with relations are not drawn.")),
    };
    let hidden = hidden.map(|hidden| Block::Paragraph(vec![plain(hidden)]));
    hidden.into_iter().chain([Block::Code { language: "mermaid".into(), text }]).collect()
}

/// Lists the dependencies of the product by project and use (run time, development); `None` without any.
pub(super) fn dependencies(facts: &PageFacts) -> Option<Block> {
    let mut groups: BTreeMap<(&str, &str), Vec<(Text, &SourceLines)>> = BTreeMap::new();
    for fact in facts.selected.of_product(FactKind::Dependency) {
        let (FactValue::Dependency { name, requirement, scope }, FactSubject::Project(folder)) =
            (&fact.value, &fact.subject)
        else {
            continue;
        };
        if let Some(place) = fact.sources.first() {
            let mut named = vec![code(name)];
            let condition = requirement.as_deref().and_then(|requirement| requirement.split_once("; "));
            named.extend(condition.into_iter().flat_map(|(_, condition)| [plain(" if "), code(condition)]));
            groups.entry((folder, scope_title(*scope))).or_default().push((named, place));
        }
    }
    let several =
        groups.keys().map(|(folder, _)| folder).collect::<std::collections::BTreeSet<_>>().len() > 1;
    let item = |((folder, scope), mut all): ((&str, &str), Vec<(Text, &SourceLines)>)| {
        let more = all.len().saturating_sub(DEPENDENCIES);
        let place = lines_around(all.iter().map(|(_, place)| *place));
        all.truncate(DEPENDENCIES);
        let label = match (several, folder) {
            (false, _) => format!("{scope}:"),
            (true, "") => format!("{scope}, the root:"),
            (true, folder) => format!("{scope}, {folder}:"),
        };
        let mut item = vec![Span::Strong(label), plain(" ")];
        for (at, (name, _)) in all.into_iter().enumerate() {
            item.extend((at > 0).then(|| plain(", ")));
            item.extend(name);
        }
        if more > 0 {
            item.push(plain(format!(" and {more} more")));
        }
        sourced(item, &place)
    };
    let items: Vec<Text> = groups.into_iter().map(item).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// Returns, for each of the first two files, the lines from the first to the last of its places.
fn lines_around<'a>(places: impl Iterator<Item = &'a SourceLines>) -> Vec<SourceLines> {
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for place in places {
        let lines = files.entry(&place.path).or_insert((place.start, place.end));
        *lines = (lines.0.min(place.start), lines.1.max(place.end));
    }
    let lines =
        files.into_iter().map(|(path, (start, end))| SourceLines { path: path.to_owned(), start, end });
    lines.take(2).collect()
}

fn scope_title(scope: Scope) -> &'static str {
    let name = serde_json::to_value(scope).ok().and_then(|value| value.as_str().map(str::to_owned));
    match name.as_deref() {
        Some("runtime") => "At run time",
        Some("dev") => "For development",
        Some("build") => "For the build",
        Some("optional") => "Optional",
        Some("peer") => "From its user",
        _ => "Others",
    }
}

/// Returns a table of code constructs for errors, for logging and for concurrency, with their first places.
pub(super) fn ways_of_working(facts: &PageFacts) -> Vec<Block> {
    let kinds = [
        (ConcernKind::Errors, "Errors"),
        (ConcernKind::Logging, "Logging"),
        (ConcernKind::Concurrency, "Concurrency"),
    ];
    kinds.into_iter().flat_map(|(kind, title)| ways_of(facts, kind, title)).collect()
}

fn constructs(facts: &PageFacts, kind: ConcernKind) -> impl Iterator<Item = (&str, &[SourceLines])> {
    facts.selected.of_product(FactKind::Concern).filter_map(move |fact| match &fact.value {
        FactValue::Concern { concern, construct } if *concern == kind => {
            Some((construct.as_str(), fact.sources.as_slice()))
        }
        _ => None,
    })
}

fn ways_of(facts: &PageFacts, kind: ConcernKind, title: &str) -> Vec<Block> {
    // The most frequent ones come first. A type of errors beside `raise TYPE` says the same once more.
    let all: Vec<_> = constructs(facts, kind).collect();
    let raised: BTreeSet<&str> = all.iter().filter_map(|(construct, _)| raised_type(construct)).collect();
    let found: Vec<_> = all.iter().filter(|(construct, _)| !raised.contains(construct)).collect();
    if found.is_empty() {
        return Vec::new();
    }
    let row =
        |(construct, sources): &(&str, &[SourceLines])| vec![vec![code(*construct)], super::places(sources)];
    let rows: Vec<Vec<Text>> = found.iter().copied().take(CONSTRUCTS).map(row).collect();
    let shown = rows.len();
    let table = Block::Table { head: vec!["Construct".into(), "First places".into()], rows };
    [heading(2, title), table].into_iter().chain(super::not_shown(found.len(), shown, "constructs")).collect()
}

/// Returns the type in a construct such as `raise TYPE` or `throw TYPE`; `None` for another construct.
fn raised_type(construct: &str) -> Option<&str> {
    construct.strip_prefix("raise ").or_else(|| construct.strip_prefix("throw "))
}
