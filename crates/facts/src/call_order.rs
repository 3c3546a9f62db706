//! Facts about the order of calls: for a function, the functions of the code base that it calls, in the
//! order of the text and inner calls of an expression first. Only calls that resolve by names and written
//! types are known.

use stategraph_repo::{Dependencies, ResolvedCall};

use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines, TraceStep};
use crate::role::role_of;

/// Maximum number of called functions in one fact.
const MOST: usize = 20;

/// Returns a `Calls` fact for each function of the product (no tests) that calls other functions of the
/// code base.
pub(crate) fn facts(dependencies: &Dependencies) -> Vec<Fact> {
    let functions = &dependencies.functions;
    let mut calls: Vec<Vec<(usize, usize)>> = vec![Vec::new(); functions.len()];
    let mut all: Vec<&ResolvedCall> = dependencies.calls.iter().chain(&dependencies.overload_calls).collect();
    // The sort is stable, so inner calls of a line stay first.
    all.sort_by_key(|call| (call.from, call.line));
    for call in all.into_iter().filter(|call| call.from != call.to) {
        let known = &mut calls[call.from];
        if known.len() < MOST && !known.iter().any(|(to, _)| *to == call.to) {
            known.push((call.to, call.line));
        }
    }
    let is_told = |at: usize| !functions[at].is_test && role_of(&functions[at].path) == PathRole::Runtime;
    let told = calls.into_iter().enumerate().filter(|(at, calls)| !calls.is_empty() && is_told(*at));
    told.map(|(at, calls)| {
        let from = &functions[at];
        let step = |(to, line): (usize, usize)| TraceStep {
            name: functions[to].name.clone(),
            at: SourceLines::line(&from.path, line),
        };
        let source = SourceLines::line(&from.path, from.line);
        let subject = FactSubject::Symbol { path: from.path.clone(), name: from.name.clone() };
        let value = FactValue::Calls { calls: calls.into_iter().map(step).collect() };
        Fact::new(subject, value, source, FactOrigin::Resolved)
    })
    .collect()
}
