//! The calls between functions of the program: those that resolve, and those that may mean one of a few functions by their name alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use stategraph_repo::{CalledFunction, Dependencies};

use super::names::is_aside;
use crate::fact::{PathRole, SourceLines, TraceStep};
use crate::role::role_of;

/// Most functions of one trace after its entry.
const STEPS: usize = 6;
/// Most calls of one function that are compared.
const CALLS: usize = 100;
/// Upper bound of the functions that are counted below a call; larger counts compare as equal.
const REACH: usize = 3_000;

/// Names of methods that the libraries of every language have; on an unknown value they mean nothing.
const COMMON: &[&str] = &[
    "add",
    "all",
    "any",
    "append",
    "as_ref",
    "as_str",
    "build",
    "call",
    "clear",
    "clone",
    "close",
    "collect",
    "contains",
    "copy",
    "count",
    "create",
    "default",
    "delete",
    "each",
    "encode",
    "decode",
    "entry",
    "eq",
    "error",
    "exists",
    "extend",
    "filter",
    "find",
    "first",
    "flush",
    "fmt",
    "format",
    "from",
    "get",
    "hash",
    "index",
    "info",
    "init",
    "insert",
    "into",
    "is_empty",
    "iter",
    "join",
    "key",
    "keys",
    "last",
    "len",
    "length",
    "list",
    "load",
    "lock",
    "log",
    "map",
    "match",
    "name",
    "new",
    "next",
    "of",
    "open",
    "parse",
    "path",
    "peek",
    "pop",
    "push",
    "put",
    "read",
    "remove",
    "replace",
    "reset",
    "seek",
    "send",
    "set",
    "size",
    "sort",
    "split",
    "start_with",
    "stop",
    "string",
    "String",
    "Error",
    "Close",
    "Read",
    "Write",
    "Get",
    "Set",
    "Add",
    "Len",
    "Next",
    "Name",
    "New",
    "Print",
    "Printf",
    "Println",
    "Errorf",
    "Fatal",
    "take",
    "test",
    "to_s",
    "to_string",
    "toString",
    "trim",
    "unwrap",
    "update",
    "value",
    "values",
    "wait",
    "with",
    "write",
    "equals",
    "hashCode",
    "ToString",
    "Equals",
    "Dispose",
    "print",
    "println",
    "printf",
    "exit",
    "raise",
    "warn",
    "debug",
    "expect",
    "min",
    "max",
    "empty",
    "end",
    "begin",
    "back",
    "front",
    "data",
    "c_str",
    "str",
    "type",
    "then",
    "catch",
    "apply",
    "bind",
    "forEach",
    "reduce",
    "some",
];

/// The place where a trace begins.
#[derive(Clone, Copy)]
pub(super) enum TraceEntry<'a> {
    Function(usize),
    /// A file whose outermost level runs.
    Script(&'a str),
}

/// A call to a function at a line.
type Call = (usize, usize);

pub(super) struct CallGraph<'a> {
    functions: &'a [CalledFunction],
    is_core: Vec<bool>,
    /// Line and called function, by calling function, in the order of the text.
    calls: Vec<Vec<Call>>,
    /// The functions that calls on unknown values may mean.
    open: Vec<Vec<usize>>,
    scripts: HashMap<&'a str, Vec<Call>>,
    /// The functions that each reaches, where they are counted.
    reach: BTreeMap<usize, usize>,
}

impl<'a> CallGraph<'a> {
    pub(super) fn new(dependencies: &'a Dependencies) -> Self {
        let functions = &dependencies.functions[..];
        let is_core: Vec<bool> =
            functions.iter().map(|it| !it.is_test && role_of(&it.path) == PathRole::Runtime).collect();
        let mut calls = vec![Vec::new(); functions.len()];
        for call in dependencies.calls.iter().filter(|call| call.from != call.to && is_core[call.to]) {
            calls[call.from].push((call.line, call.to));
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, function) in functions.iter().enumerate().filter(|(at, _)| is_core[*at]) {
            by_name.entry(last(&function.name)).or_default().push(at);
        }
        let mut open = vec![Vec::new(); functions.len()];
        for call in dependencies.open_calls.iter().filter(|it| !COMMON.contains(&it.name.as_str())) {
            let from = &functions[call.from].path;
            let same = by_name.get(call.name.as_str()).into_iter().flatten().copied();
            let same = same.filter(|at| *at != call.from && ending(&functions[*at].path) == ending(from));
            open[call.from].extend(same);
        }
        let mut scripts: HashMap<&str, Vec<Call>> = HashMap::new();
        for call in dependencies.script_calls.iter().filter(|call| is_core[call.to]) {
            scripts.entry(&call.path).or_default().push((call.line, call.to));
        }
        Self { functions, is_core, calls, open, scripts, reach: BTreeMap::new() }
    }

    /// Returns the functions behind an entry, each with the place of its call.
    pub(super) fn steps(&mut self, entry: TraceEntry<'a>) -> Vec<TraceStep> {
        let (mut path, mut calls, mut open) = match entry {
            TraceEntry::Function(at) => {
                (self.functions[at].path.as_str(), self.calls[at].clone(), self.open[at].clone())
            }
            TraceEntry::Script(path) => {
                (path, self.scripts.get(path).cloned().unwrap_or_default(), Vec::new())
            }
        };
        let mut seen: HashSet<usize> = HashSet::new();
        if let TraceEntry::Function(at) = entry {
            seen.insert(at);
        }
        let mut steps = Vec::new();
        while steps.len() < STEPS {
            let Some((line, next)) = self.next(&calls, &open, &seen) else { break };
            steps.push(TraceStep {
                name: self.functions[next].name.clone(),
                at: SourceLines::line(path, line),
            });
            seen.insert(next);
            (path, calls, open) =
                (&self.functions[next].path, self.calls[next].clone(), self.open[next].clone());
        }
        steps
    }

    /// Returns the call that leads on: it reaches half of what all calls reach, and more than any call that does not resolve.
    fn next(&mut self, calls: &[Call], open: &[usize], seen: &HashSet<usize>) -> Option<Call> {
        let is_way = |at: &usize| !is_aside(&self.functions[*at].name);
        let known: Vec<Call> = calls.iter().take(CALLS).filter(|(_, to)| is_way(to)).copied().collect();
        let open: Vec<usize> = open.iter().take(CALLS).filter(|to| is_way(to)).copied().collect();
        let mut best: Option<(usize, Call)> = None;
        for call in known.iter().filter(|(_, to)| !seen.contains(to)) {
            let reach = self.reach(call.1);
            if best.is_none_or(|(most, _)| reach > most) {
                best = Some((reach, *call));
            }
        }
        let (most, call) = best?;
        if most < 2 || open.iter().any(|to| *to != call.1 && self.reach(*to) > most) {
            return None;
        }
        let all = self.reach_of_all(known.iter().map(|(_, to)| *to).chain(open).collect());
        (most * 2 >= all).then_some(call)
    }

    /// Returns the number of functions that a function reaches with itself, at most [`REACH`].
    fn reach(&mut self, function: usize) -> usize {
        if let Some(known) = self.reach.get(&function) {
            return *known;
        }
        let count = self.reach_of_all(vec![function]);
        self.reach.insert(function, count);
        count
    }

    fn reach_of_all(&self, mut open: Vec<usize>) -> usize {
        let mut seen: HashSet<usize> = open.iter().copied().collect();
        while let Some(next) = open.pop().filter(|_| seen.len() < REACH) {
            let known = self.calls[next].iter().map(|(_, to)| *to);
            let all = known.chain(self.open[next].iter().copied());
            open.extend(all.filter(|to| self.is_core[*to] && seen.insert(*to)));
        }
        seen.len().min(REACH)
    }
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn ending(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending)
}
