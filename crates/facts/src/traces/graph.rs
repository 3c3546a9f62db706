//! Graph of the calls between functions of the program: calls that resolve, and calls that by their name
//! alone may mean one of several functions. Follows a trace through it.

use std::collections::{BTreeMap, HashMap, HashSet};

use stategraph_repo::{CalledFunction, Dependencies};

use super::names::is_aside;
use crate::collect::Texts;
use crate::fact::{PathRole, SourceLines, TraceStep};
use crate::role::role_of;

/// Maximum number of functions of a trace after its entry.
const STEPS: usize = 6;
/// Minimum number of functions that a step must reach, itself included.
const FEWEST: usize = 3;
/// A step must reach at least one `PART`th of the functions that each step before it reaches.
const PART: usize = 10;
/// Minimum number of large calls of a function that count it as a dispatcher, at which a trace may end.
const PARTS: usize = 5;
/// Indentation, in levels from its function's definition, from which a call is in a nested branch.
const LEVELS: usize = 3;
/// Maximum number of calls of one function that are compared.
const CALLS: usize = 100;
/// Upper bound of the number of functions counted below a call; larger numbers count as equal.
const REACH: usize = 3_000;

/// Names of methods in the standard libraries of all languages. A call of one on a value of unknown type is
/// ignored.
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

/// Start of a trace (a chain of calls from a program's entry): a function, or a script.
#[derive(Clone, Copy)]
pub(super) enum TraceEntry<'a> {
    /// A function, by its index.
    Function(usize),
    /// A script, by its path: its top level runs.
    Script(&'a str),
}

/// A call: its line, and the index of the called function.
type Call = (usize, usize);

/// The calls between functions, with the sizes of the code that they reach.
pub(super) struct CallGraph<'a> {
    texts: &'a Texts<'a>,
    functions: &'a [CalledFunction],
    is_core: Vec<bool>,
    /// Resolved calls of each function, in the order of the text.
    calls: Vec<Vec<Call>>,
    /// Functions that unresolved calls of each function may mean.
    open: Vec<Vec<usize>>,
    /// True for functions that call a value, such as a closure, so that a part of their effect is unknown.
    calls_values: Vec<bool>,
    /// Resolved calls at the top level of scripts, by path.
    scripts: HashMap<&'a str, Vec<Call>>,
    /// Number of functions that a function reaches, as far as counted.
    reach: BTreeMap<usize, usize>,
}

impl<'a> CallGraph<'a> {
    /// Builds the call graph of a program from the calls that the repository resolved and those that it
    /// left open. Tests are left out.
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

    /// Follows the chain of main calls from a program's entry. Returns the functions after the entry, each
    /// with the position of its call.
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

    /// Returns true if at least five of these calls reach considerable parts of the program, so that the
    /// caller dispatches to them.
    fn is_dispatcher(&mut self, calls: &[Call]) -> bool {
        let all: HashSet<usize> = calls.iter().take(CALLS).map(|(_, to)| *to).collect();
        all.into_iter().filter(|to| !is_aside(&self.functions[*to].name) && self.reach(*to) >= FEWEST).count()
            >= PARTS
    }

    /// Returns true if a call is in a nested branch of its function, judged by indentation; in a dispatcher
    /// such a call is only one of several cases. `definition` and `call` are lines.
    fn is_deep(&self, path: &str, definition: usize, call: usize) -> bool {
        let text = self.texts.read(path).unwrap_or_default();
        let level = |line: usize| {
            let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let space = &line[..line.len() - line.trim_start().len()];
            space.matches('\t').count() + space.matches(' ').count() / 4
        };
        level(call) >= level(definition) + LEVELS
    }

    /// Returns the call, among those of one function, with which the trace goes on. It must reach half of
    /// all that the calls reach, and twice as much as any other call, resolved or not; otherwise `None`.
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

    /// Returns the number of functions reachable from a function, itself included, at most [`REACH`].
    fn reach(&mut self, function: usize) -> usize {
        if let Some(known) = self.reach.get(&function) {
            return *known;
        }
        let count = self.reach_of_all(vec![function]);
        self.reach.insert(function, count);
        count
    }

    /// Returns the number of functions reachable from any of these, themselves included, at most [`REACH`].
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

/// Returns the last segment of a qualified name.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the file ending of a path, without the dot.
fn ending(path: &str) -> &str {
    path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending)
}
