//! What happens from an entry to the core: traces, and the calls of the functions that call most.

use std::collections::{BTreeMap, HashMap};

use super::super::draft::{Draft, Section};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, TraceStep};

/// Maximum of calls of a function that a line shows.
const CALLS: usize = 9;
/// Maximum of functions.
const FUNCTIONS: usize = 60;
/// Fewest calls of a function that is told.
const FEWEST: usize = 3;

pub(super) fn add(survey: &Survey, draft: &mut Draft) {
    let mut told: Vec<(&str, &str)> = Vec::new();
    let mut at = 0;
    for fact in survey.of_product(FactKind::Trace) {
        let FactValue::Trace { steps } = &fact.value else { continue };
        if let Some(text) = trace_line(survey, steps) {
            draft.add(Section::Flow, falling(120.0, at, 2.0), "traces", text);
            at += 1;
        }
        told.extend(steps.iter().map(|step| (step.at.path.as_str(), step.name.as_str())));
    }
    add_calls(survey, draft, &told);
}

fn trace_line(survey: &Survey, steps: &[TraceStep]) -> Option<String> {
    let mut text = String::from("- ");
    let mut before: Option<&str> = None;
    for (at, step) in steps.iter().enumerate() {
        if at > 0 {
            text.push_str(" → ");
        }
        text.push_str(&survey.quoter.code(&step.name)?);
        let is_same = before == Some(step.at.path.as_str());
        let shown = if is_same { lines_of(step.at.start, step.at.end) } else { place(&step.at) };
        text.push_str(&format!(" {shown}"));
        before = Some(&step.at.path);
    }
    Some(text)
}

/// Lists the functions that decide what happens: in central files, with many calls.
fn add_calls(survey: &Survey, draft: &mut Draft, told: &[(&str, &str)]) {
    let scores: HashMap<&str, f64> =
        survey.central.iter().map(|file| (file.path.as_str(), file.score)).collect();
    let mut found: Vec<(f64, &Fact)> = Vec::new();
    for fact in survey.of_product(FactKind::Calls) {
        let (FactSubject::Symbol { path, name }, FactValue::Calls { calls }) = (&fact.subject, &fact.value)
        else {
            continue;
        };
        if calls.len() < FEWEST {
            continue;
        }
        let in_trace =
            told.iter().any(|(_, known)| known.rsplit(['.', ':']).next() == name.rsplit(['.', ':']).next());
        let score = scores.get(path.as_str()).copied().unwrap_or(-1.0)
            + super::super::central::root(calls.len().min(CALLS))
            + if in_trace { 3.0 } else { 0.0 };
        found.push((score, fact));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    let mut per_file: BTreeMap<&str, usize> = BTreeMap::new();
    let mut at = 0;
    for (_, fact) in found {
        let count = per_file.entry(fact.subject.path()).or_default();
        *count += 1;
        if *count > 4 || at == FUNCTIONS {
            continue;
        }
        if let Some(text) = calls_line(survey, fact) {
            draft.add(Section::Flow, falling(60.0, at, 6.0), "functions with their calls", text);
            at += 1;
        }
    }
}

fn calls_line(survey: &Survey, fact: &Fact) -> Option<String> {
    let FactValue::Calls { calls } = &fact.value else { return None };
    let name = survey.quoter.code(fact.subject.name()?)?;
    let shown: Vec<String> = calls
        .iter()
        .take(CALLS)
        .filter_map(|call| {
            Some(format!("{} {}", survey.quoter.code(&call.name)?, lines_of(call.at.start, call.at.end)))
        })
        .collect();
    let more = if calls.len() > CALLS { ", …" } else { "" };
    Some(format!("- {name} {} calls {}{more}", super::first_place(&fact.sources), shown.join(", ")))
}
