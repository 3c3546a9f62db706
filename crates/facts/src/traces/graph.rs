//! The calls between functions of the program: those that resolve, and those that may mean one of a few functions by their name alone.

use std::collections::{BTreeMap, HashMap, HashSet};

use stategraph_repo::{CalledFunction, Dependencies};

use super::names::is_aside;
use crate::collect::Texts;
use crate::fact::{PathRole, SourceLines, TraceStep};
use crate::role::role_of;

/// Most functions of one trace after its entry.
const STEPS: usize = 6;
/// Fewest functions that a step reaches, with itself.
const FEWEST: usize = 3;
/// The part of what the first steps reach that a later one must reach.
const PART: usize = 10;
/// Fewest parts of a program that one function leads to.
const PARTS: usize = 5;
/// Levels of indentation of a branch of a branch.
const LEVELS: usize = 3;
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
    texts: &'a Texts<'a>,
    functions: &'a [CalledFunction],
    is_core: Vec<bool>,
    /// Line and called function, by calling function, in the order of the text.
    calls: Vec<Vec<Call>>,
    /// The functions that calls on unknown values may mean.
    open: Vec<Vec<usize>>,
    /// True for functions that call a value: its effect is unknown.
    calls_values: Vec<bool>,
    scripts: HashMap<&'a str, Vec<Call>>,
    /// The functions that each reaches, where they are counted.
    reach: BTreeMap<usize, usize>,
}

impl<'a> CallGraph<'a> {
    pub(super) fn new(dependencies: &'a Dependencies, texts: &'a Texts<'a>) -> Self {
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
        let mut calls_values = vec![false; functions.len()];
        for call in dependencies.open_calls.iter().filter(|it| it.name.is_empty()) {
            calls_values[call.from] = true;
        }
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
        Self { texts, functions, is_core, calls, open, calls_values, scripts, reach: BTreeMap::new() }
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
        let mut steps: Vec<TraceStep> = Vec::new();
        let mut least = FEWEST;
        let mut first = match entry {
            TraceEntry::Function(at) => self.functions[at].line,
            TraceEntry::Script(_) => 1,
        };
        let mut is_open = matches!(entry, TraceEntry::Function(at) if self.calls_values[at]);
        while steps.len() < STEPS && !is_open {
            let is_branch = self.is_dispatcher(&calls);
            let Some((line, next)) =
                self.next(&calls, &open, &seen).filter(|(_, to)| self.reach(*to) >= least)
            else {
                break;
            };
            if is_branch && self.is_deep(path, first, line) {
                break;
            }
            // A small part of the program is a detail.
            least = least.max(self.reach(next) / PART);
            steps.push(TraceStep {
                name: self.functions[next].name.clone(),
                at: SourceLines::line(path, line),
            });
            seen.insert(next);
            (path, calls, open) =
                (&self.functions[next].path, self.calls[next].clone(), self.open[next].clone());
            is_open = self.calls_values[next];
            first = self.functions[next].line;
        }
        steps
    }

    /// Returns true for a function that leads to many parts of the program.
    fn is_dispatcher(&mut self, calls: &[Call]) -> bool {
        let all: HashSet<usize> = calls.iter().take(CALLS).map(|(_, to)| *to).collect();
        all.into_iter().filter(|to| !is_aside(&self.functions[*to].name) && self.reach(*to) >= FEWEST).count()
            >= PARTS
    }

    /// Returns true for a call in a branch of a branch: in a program with many parts it is one of them.
    fn is_deep(&self, path: &str, definition: usize, call: usize) -> bool {
        let text = self.texts.read(path).unwrap_or_default();
        let level = |line: usize| {
            let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let space = &line[..line.len() - line.trim_start().len()];
            space.matches('\t').count() + space.matches(' ').count() / 4
        };
        level(call) >= level(definition) + LEVELS
    }

    /// Returns the call that leads on: it reaches half of what all calls reach, and twice as much as any other, resolved or not.
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
        let all: Vec<usize> = known.iter().map(|(_, to)| *to).chain(open).collect();
        let is_rival = |to: &usize| *to != call.1 && !seen.contains(to);
        let rivals: Vec<usize> = all.iter().copied().filter(is_rival).collect();
        if rivals.into_iter().any(|to| self.reach(to) * 2 > most) {
            return None;
        }
        (most * 2 >= self.reach_of_all(all)).then_some(call)
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
