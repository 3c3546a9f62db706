//! The way of calls from the entry of a program to its core: at each step the call that reaches most of the code that is no
//! test.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use stategraph_repo::{CalledFunction, Dependencies, FileOutline, ProjectMetadata};

use crate::fact::{Fact, FactOrigin, FactSubject, FactValue, PathRole, SourceLines, TraceStep};
use crate::role::role_of;

/// Most functions of one trace.
const STEPS: usize = 8;
/// Most programs with a trace.
const PROGRAMS: usize = 50;
/// Most calls of one function that are compared.
const CALLS: usize = 100;
/// Functions that are counted; one that reaches more is as deep as another.
const REACH: usize = 3_000;

/// Returns a trace for each program whose entry calls something that resolves.
pub(crate) fn facts(
    project: &ProjectMetadata,
    _outlines: &[Arc<FileOutline>],
    dependencies: &Dependencies,
) -> Vec<Fact> {
    let functions = &dependencies.functions;
    let mut graph = Graph::new(dependencies);
    let mut found = Vec::new();
    for entry in entries(project, functions).into_iter().take(PROGRAMS) {
        let steps = graph.steps(entry);
        if steps.len() < 2 {
            continue;
        }
        let subject =
            FactSubject::Symbol { path: functions[entry].path.clone(), name: functions[entry].name.clone() };
        let source = steps[0].at.clone();
        found.push(Fact::new(subject, FactValue::Trace { steps }, source, FactOrigin::Resolved));
    }
    found
}

/// Returns the functions where programs begin: those called `main`, and those that manifests name as `module:function`.
fn entries(project: &ProjectMetadata, functions: &[CalledFunction]) -> Vec<usize> {
    let named: Vec<(String, &str)> = project
        .manifests
        .iter()
        .flat_map(|manifest| manifest.programs.values())
        .filter_map(|start| start.split_once(':'))
        .map(|(module, function)| (format!("/{}", module.trim().replace('.', "/")), function.trim()))
        .collect();
    let is_entry = |function: &CalledFunction| {
        let last = function.name.rsplit('.').next().unwrap_or_default();
        let ending = function.path.rsplit('.').next().unwrap_or_default();
        let is_main = match ending {
            "java" => last == "main" && function.name.contains('.'),
            "cs" => last == "Main" && function.name.contains('.'),
            "rs" | "go" | "c" | "cc" | "cpp" | "cxx" => function.name == "main",
            _ => false,
        };
        let stem = format!("/{}", function.path.trim_end_matches(".py").trim_end_matches("/__init__"));
        let is_named = || named.iter().any(|(module, name)| function.name == *name && stem.ends_with(module));
        let is_python_main = ending == "py" && function.name == "main" && stem.ends_with("/__main__");
        (is_main || is_python_main || (ending == "py" && is_named()))
            && !function.is_test
            && role_of(&function.path) == PathRole::Runtime
    };
    (0..functions.len()).filter(|at| is_entry(&functions[*at])).collect()
}

/// The resolved calls between functions that are no tests.
struct Graph<'a> {
    functions: &'a [CalledFunction],
    /// Line and called function, by calling function, in the order of the text.
    calls: Vec<Vec<(usize, usize)>>,
    /// Number of functions that each reaches, where it is known.
    reach: BTreeMap<usize, usize>,
}

impl<'a> Graph<'a> {
    fn new(dependencies: &'a Dependencies) -> Self {
        let functions = &dependencies.functions[..];
        let is_core: Vec<bool> =
            functions.iter().map(|it| !it.is_test && role_of(&it.path) == PathRole::Runtime).collect();
        let mut calls = vec![Vec::new(); functions.len()];
        for call in dependencies.calls.iter().filter(|call| call.from != call.to && is_core[call.to]) {
            calls[call.from].push((call.line, call.to));
        }
        Self { functions, calls, reach: BTreeMap::new() }
    }

    /// Returns the functions from the entry on: each calls the next one, which reaches more functions than all others that it calls.
    fn steps(&mut self, entry: usize) -> Vec<TraceStep> {
        let mut steps = vec![self.step(entry, entry, self.functions[entry].line)];
        let mut seen = BTreeSet::from([entry]);
        let mut at = entry;
        while steps.len() < STEPS {
            let mut best: Option<(usize, (usize, usize))> = None;
            for (line, to) in self.calls[at].clone().into_iter().take(CALLS) {
                let reach = self.reach(to);
                if !seen.contains(&to) && best.is_none_or(|(known, _)| reach > known) {
                    best = Some((reach, (line, to)));
                }
            }
            let Some((_, (line, next))) = best else { break };
            steps.push(self.step(next, at, line));
            seen.insert(next);
            at = next;
        }
        steps
    }

    /// Returns the step to a function from a line of the file of another one.
    fn step(&self, function: usize, from: usize, line: usize) -> TraceStep {
        let name = self.functions[function].name.clone();
        TraceStep { name, at: SourceLines::line(&self.functions[from].path, line) }
    }

    /// Returns the number of functions that a function reaches, at most [`REACH`].
    fn reach(&mut self, function: usize) -> usize {
        if let Some(known) = self.reach.get(&function) {
            return *known;
        }
        let mut seen = HashSet::from([function]);
        let mut open = vec![function];
        while let Some(next) = open.pop().filter(|_| seen.len() < REACH) {
            open.extend(self.calls[next].iter().map(|(_, to)| *to).filter(|to| seen.insert(*to)));
        }
        let count = seen.len().min(REACH);
        self.reach.insert(function, count);
        count
    }
}
