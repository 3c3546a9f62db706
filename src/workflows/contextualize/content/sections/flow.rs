//! The way from an entry to the core: traces, and the calls of functions near the entries.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::super::central::root;
use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{falling, lines_of};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, TraceStep};

/// Maximum of calls of a function that a line shows.
const CALLS: usize = 10;
/// Maximum of functions.
const FUNCTIONS: usize = 60;
/// Fewest calls of a function that is told.
const FEWEST: usize = 3;
/// Largest distance from an entry that counts, and up to which a function needs one call less.
const DEPTH: usize = 5;
const NEAR: usize = 3;

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for fact in survey.of_product(FactKind::Trace) {
        let FactValue::Trace { steps } = &fact.value else { continue };
        if let Some(text) = trace_line(survey, steps) {
            draft.add(ContextSection::Flow, falling(120.0, at, 2.0), "traces", text);
            at += 1;
        }
    }
    add_calls(survey, draft);
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
        text.extend([format!(" {shown}")]);
        before = Some(&step.at.path);
    }
    Some(text)
}

/// A function with its calls.
struct Caller<'a> {
    fact: &'a Fact,
    path: &'a str,
    name: &'a str,
    calls: &'a [TraceStep],
}

/// Lists the functions that decide what happens: near an entry, in central files, with many calls.
fn add_calls(survey: &Survey, draft: &mut LineDraft) {
    let callers: Vec<Caller> = survey.of_product(FactKind::Calls).filter_map(caller).collect();
    let depths = depths(survey, &callers);
    let scores: HashMap<&str, f64> =
        survey.central.iter().map(|file| (file.path.as_str(), file.score)).collect();
    let mut found: Vec<(f64, &Caller)> = Vec::new();
    for (at, caller) in callers.iter().enumerate() {
        let is_near = depths.get(&at).is_some_and(|depth| *depth <= NEAR);
        let is_side = scores.get(caller.path).is_none_or(|score| *score < 0.0);
        if is_side || caller.calls.len() < if is_near { FEWEST - 1 } else { FEWEST } {
            continue;
        }
        #[allow(clippy::cast_precision_loss, reason = "at most the largest depth")]
        let nearness = depths.get(&at).map_or(0.0, |depth| 3.0 - 0.5 * *depth as f64);
        let score = scores.get(caller.path).copied().unwrap_or(-1.0).min(8.0) * 0.5
            + root(caller.calls.len())
            + nearness;
        found.push((score, caller));
    }
    let in_order = |a: &(f64, &Caller), b: &(f64, &Caller)| {
        b.0.total_cmp(&a.0).then_with(|| (a.1.path, a.1.name).cmp(&(b.1.path, b.1.name)))
    };
    found.sort_by(in_order);
    // The second function of a file says less than the first one of another.
    let mut per_file: BTreeMap<&str, usize> = BTreeMap::new();
    for (score, caller) in &mut found {
        let count = per_file.entry(caller.path).or_default();
        *score -= root(*count);
        *count += 1;
    }
    found.sort_by(in_order);
    let mut at = 0;
    for (_, caller) in found.into_iter().take(FUNCTIONS) {
        if let Some(text) = calls_line(survey, caller) {
            let count = ("calls", caller.calls.len().min(CALLS));
            draft.add_many(ContextSection::Flow, falling(66.0, at, 6.0), count, text);
            at += 1;
        }
    }
}

fn caller(fact: &Fact) -> Option<Caller<'_>> {
    match (&fact.subject, &fact.value) {
        (FactSubject::Symbol { path, name }, FactValue::Calls { calls }) => {
            Some(Caller { fact, path, name, calls })
        }
        _ => None,
    }
}

/// Returns the distances of the functions from `main`, from the targets of traces and from the handlers of routes. A called name means the
/// function of the same file, else the only one of that name.
fn depths(survey: &Survey, callers: &[Caller]) -> HashMap<usize, usize> {
    let mut names: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, caller) in callers.iter().enumerate() {
        names.entry(caller.name).or_default().push(at);
    }
    let mut starts: HashSet<&str> = HashSet::from(["main"]);
    for fact in survey.of_product(FactKind::Route) {
        if let FactValue::Route { handler: Some(handler), .. } = &fact.value {
            starts.insert(handler.rsplit(['.', ':']).next().unwrap_or(handler));
        }
    }
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let mut depths: HashMap<usize, usize> = HashMap::new();
    let mut queue: VecDeque<usize> =
        (0..callers.len()).filter(|at| starts.contains(last(callers[*at].name).as_str())).collect();
    depths.extend(queue.iter().map(|at| (*at, 0)));
    while let Some(at) = queue.pop_front() {
        let depth = depths[&at] + 1;
        if depth > DEPTH {
            continue;
        }
        for call in callers[at].calls {
            let all = names.get(call.name.as_str()).map_or(&[][..], Vec::as_slice);
            let near = all.iter().find(|to| callers[**to].path == callers[at].path);
            if let Some(to) = near.or_else(|| all.first().filter(|_| all.len() == 1))
                && !depths.contains_key(to)
            {
                depths.insert(*to, depth);
                queue.push_back(*to);
            }
        }
    }
    depths
}

fn calls_line(survey: &Survey, caller: &Caller) -> Option<String> {
    let name = survey.quoter.code(caller.name)?;
    let shown: Vec<String> = caller
        .calls
        .iter()
        .take(CALLS)
        .filter_map(|call| {
            Some(format!("{} {}", survey.quoter.code(&call.name)?, lines_of(call.at.start, call.at.end)))
        })
        .collect();
    let more = if caller.calls.len() > CALLS { ", …" } else { "" };
    Some(format!("- {name} {} calls {}{more}", super::first_place(&caller.fact.sources), shown.join(", ")))
}
