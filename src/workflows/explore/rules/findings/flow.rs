//! Findings about control flow: traces of calls from an entry, and the calls of central functions.

use std::collections::HashMap;

use super::at;
use crate::facts::{Fact, FactKind, FactSubject, FactValue, TraceStep};
use crate::workflows::explore::rules::finding::{CALLS, FLOW, RuleFinding};
use crate::workflows::survey::Survey;
use crate::workflows::survey::central::root;
use crate::workflows::survey::phrases::{first_place, lines_of};
use crate::workflows::survey::quoted::place;

/// Maximum number of calls that a finding shows.
const SHOWN: usize = 10;
/// Minimum number of calls of a function that get a finding.
const FEWEST: usize = 3;

/// Appends the traces, and the calls of functions with at least `FEWEST` calls.
pub(super) fn collect(survey: &Survey<'_>, found: &mut Vec<RuleFinding>) {
    for (position, fact) in survey.of_product(FactKind::Trace).enumerate() {
        let FactValue::Trace { steps } = &fact.value else { continue };
        let Some(content) = trace(survey, steps) else { continue };
        let about = steps.iter().map(|step| step.at.path.clone()).collect();
        found.push(RuleFinding { topic: FLOW, content, about, weight: at(0.0, position) });
    }
    let scores: HashMap<&str, f64> =
        survey.central.iter().map(|file| (file.path.as_str(), file.score)).collect();
    for fact in survey.of_product(FactKind::Calls) {
        let (FactSubject::Symbol { path, name }, FactValue::Calls { calls }) = (&fact.subject, &fact.value)
        else {
            continue;
        };
        let Some(score) = scores
            .get(path.as_str())
            .filter(|_| calls.iter().filter(|call| is_step(&call.name)).count() >= FEWEST)
        else {
            continue;
        };
        let weight = score.min(8.0) * 0.5 + root(calls.len());
        if let Some(content) = calls_line(survey, fact, name, calls) {
            found.push(RuleFinding::new(CALLS, path, weight, content));
        }
    }
}

/// Returns true unless the name marks an accessor (`get…`, `is…`, `len…`).
fn is_step(name: &str) -> bool {
    let name = name.rsplit('.').next().unwrap_or(name);
    let rest = ["get", "Get", "is", "Is", "len", "Len"].iter().find_map(|start| name.strip_prefix(start));
    !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_uppercase() || c == '_'))
}

/// Formats a trace: the called functions with the places of their calls. `None` if a name must not be
/// quoted.
fn trace(survey: &Survey<'_>, steps: &[TraceStep]) -> Option<String> {
    let mut shown = Vec::with_capacity(steps.len());
    for step in steps {
        shown.push(format!("{} {}", survey.quoter.code(&step.name)?, place(&step.at)));
    }
    Some(format!("One way of calls from an entry: {}", shown.join(" → ")))
}

/// Formats the calls of a function, in order, with the lines of each. `None` if its name must not be
/// quoted.
fn calls_line(survey: &Survey<'_>, fact: &Fact, name: &str, calls: &[TraceStep]) -> Option<String> {
    let name = survey.quoter.code(name)?;
    let called = |call: &TraceStep| {
        let lines = lines_of(call.at.start, call.at.end);
        Some(format!("{} {lines}", survey.quoter.code(&call.name)?))
    };
    let shown: Vec<String> = calls.iter().take(SHOWN).filter_map(called).collect();
    let more = if calls.len() > SHOWN { ", …" } else { "" };
    Some(format!("{name} {} calls {}{more}", first_place(&fact.sources), shown.join(", ")))
}
