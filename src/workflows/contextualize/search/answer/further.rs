//! The section "Also about it": the functions that the best definitions call, and further definitions with words of the question, each on a line.

use std::collections::HashSet;

use stategraph_facts::{FactKind, FactSubject, FactValue};
use stategraph_repo::SymbolInfo;

use super::page::{AnswerItem, AnswerSection};
use super::subject::{AnswerSubject, reference};
use crate::workflows::contextualize::search::discover::RankedDefinition;
use crate::workflows::contextualize::search::quote;

/// Most definitions whose calls are followed, and most functions that are named for them.
const CALLERS: usize = 4;
const CALLED: usize = 10;
/// Most further definitions, and the least score of one as a fraction of the best one's.
const FURTHER: usize = 16;
/// Further definitions that are named whatever their score.
const SURE: usize = 8;
const LEAST_PART: f32 = 0.12;
/// Most candidate files in which a called function is looked for.
const FILES: usize = 20;

/// Key of a definition: its path, first and last line.
type Lines = (String, usize, usize);

pub(super) fn section(subject: &AnswerSubject) -> AnswerSection {
    let mut section = AnswerSection::new("Also about it");
    let of = |it: &RankedDefinition| (it.path.clone(), it.start as usize, it.end as usize);
    let mut told: HashSet<Lines> = subject.definitions.iter().map(of).collect();
    let mut called = 0;
    for definition in subject.definitions.iter().take(CALLERS) {
        for name in calls_of(subject, definition) {
            let Some((path, symbol)) = find_definition(subject, &name) else { continue };
            let lines = (path.clone(), symbol.line, symbol.line_end);
            if called < CALLED && told.insert(lines) {
                push(
                    &mut section,
                    &name,
                    (&path, symbol.line, symbol.line_end),
                    Some(&definition.name),
                    called,
                );
                called += 1;
            }
        }
    }
    let best = subject.discovery.definitions.first().map_or(0.0, |first| first.score);
    let mut further = 0;
    for definition in subject.discovery.definitions.iter().filter(|it| it.kind.is_some()) {
        // A question that names one definition exactly leaves all others far behind.
        let is_near = definition.score >= best * LEAST_PART || further < SURE;
        if is_near && further < FURTHER && told.insert(of(definition)) {
            let place = (definition.path.as_str(), definition.start as usize, definition.end as usize);
            push(&mut section, &definition.name, place, None, further);
            further += 1;
        }
    }
    section
}

fn push(
    section: &mut AnswerSection,
    name: &str,
    (path, start, end): (&str, usize, usize),
    caller: Option<&str>,
    at: usize,
) {
    let place = reference(path, start, end, format!("definition of `{name}`"));
    let Some(shown) = quote::code_span(name) else { return };
    let by =
        caller.and_then(quote::code_span).map(|caller| format!(", called by {caller}")).unwrap_or_default();
    let text = format!("- {shown} ({place}){by}");
    section.push(AnswerItem { text, priority: 9 + at * 2, parent: None, references: vec![place] });
}

/// Returns the names of the functions that a definition calls, as the facts record them; of `f(g())`, `g`
/// comes first.
fn calls_of(subject: &AnswerSubject, definition: &RankedDefinition) -> Vec<String> {
    let is_it = |subject: &FactSubject| {
        matches!(subject, FactSubject::Symbol { path, name } if *path == definition.path
            && (definition.name == *name || definition.name.ends_with(&format!(".{name}"))))
    };
    let facts = subject.facts.of_kind(FactKind::Calls).filter(|fact| is_it(&fact.subject));
    let steps = facts.filter_map(|fact| match &fact.value {
        FactValue::Calls { calls } => Some(calls),
        _ => None,
    });
    steps.flatten().map(|step| step.name.clone()).collect()
}

/// Looks up a called function (`name` or `Type.name`) in the 20 best candidate files. Returns its path and
/// symbol; `None` if there is no definition with a body of several lines, or more than one.
fn find_definition(subject: &AnswerSubject, name: &str) -> Option<(String, SymbolInfo)> {
    let (around, last) = name.rsplit_once('.').unwrap_or(("", name));
    let mut found: Option<(String, SymbolInfo)> = None;
    for file in subject.discovery.candidates.iter().take(FILES) {
        let Some(outline) = subject.outline(&file.path) else { continue };
        for (outer, symbol) in outline.walk() {
            let owner = symbol.receiver().or(outer.last().copied()).unwrap_or_default();
            let is_owner = around.is_empty() || owner.split('<').next() == around.rsplit('.').next();
            if symbol.name == last && is_owner && symbol.kind.is_callable() && symbol.line_end > symbol.line {
                // Two of one name would need the types of the call.
                if found.is_some() {
                    return None;
                }
                found = Some((file.path.clone(), symbol.clone()));
            }
        }
    }
    found
}
