//! Call graph of the product's functions: numbers of callers and callees, and the distance from an
//! entry point.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::facts::{Fact, FactKind, FactSubject, FactValue, Facts, PathRole, TraceStep};

/// Largest distance from an entry point, in calls, that is measured.
const DEPTH: usize = 5;

/// Key of a function: its file and its qualified name, such as `Stock.take`.
type FunctionKey<'a> = (&'a str, &'a str);

/// Calls between functions of the product, from the facts of kind `Calls`. Part of a `Survey`; it gives
/// weights to definitions.
#[derive(Debug, Default)]
pub(crate) struct CallTable<'a> {
    /// Calls that each function makes. Overloads of a name in one file share an entry.
    calls: HashMap<FunctionKey<'a>, Vec<&'a TraceStep>>,
    /// Number of calls of each called name, in all files.
    callers: HashMap<&'a str, usize>,
    /// Number of calls that a function of each name makes; the largest one if several functions have
    /// the name.
    called: HashMap<&'a str, usize>,
    depths: HashMap<FunctionKey<'a>, usize>,
    starts: HashSet<&'a str>,
}

impl<'a> CallTable<'a> {
    /// Builds the call graph from the facts.
    pub(crate) fn of(facts: &'a Facts) -> Self {
        let mut table = Self::default();
        let mut order: Vec<FunctionKey> = Vec::new();
        for fact in facts.of_kind(FactKind::Calls).filter(|fact| is_product(fact)) {
            let (FactSubject::Symbol { path, name }, FactValue::Calls { calls }) =
                (&fact.subject, &fact.value)
            else {
                continue;
            };
            table.calls.entry((path, name)).or_default().extend(calls);
            let called = table.called.entry(name).or_default();
            *called = calls.len().max(*called);
            order.push((path, name));
            for call in calls {
                *table.callers.entry(&call.name).or_default() += 1;
            }
        }
        table.measure(facts, &order);
        table
    }

    /// Returns the calls that the function `name` in `path` makes on the lines `start` to `end`, both
    /// included. Inner calls of an expression come first.
    pub(crate) fn calls_of(
        &self,
        path: &str,
        name: &str,
        (start, end): (usize, usize),
    ) -> Vec<&'a TraceStep> {
        let all = self.calls.get(&(path, name)).into_iter().flatten().copied();
        all.filter(|call| (start..=end).contains(&call.at.start)).collect()
    }

    /// Returns the number of calls of `name` in all files.
    pub(crate) fn callers_of(&self, name: &str) -> usize {
        self.callers.get(name).copied().unwrap_or_default()
    }

    /// Returns the number of calls that the function `name` makes.
    pub(crate) fn calls_by(&self, name: &str) -> usize {
        self.called.get(name).copied().unwrap_or_default()
    }

    /// Returns true if `name` is the name of an entry point (`main`, a handler, a subcommand); `_`
    /// matches `-` too.
    pub(crate) fn is_start(&self, name: &str) -> bool {
        self.starts.contains(name) || self.starts.contains(name.replace('_', "-").as_str())
    }

    /// Returns the distance of a function from the nearest entry point, in calls: 0 for an entry point,
    /// at most `DEPTH`. `None` if no entry point reaches it within that.
    pub(crate) fn depth_of(&self, path: &str, name: &str) -> Option<usize> {
        self.depths.get(&(path, name)).copied()
    }

    /// Fills `starts` and `depths` with a breadth-first search from the entry points. A call is
    /// resolved to the function of that name in the same file, else to the only one of that name;
    /// others are not followed.
    fn measure(&mut self, facts: &'a Facts, order: &[FunctionKey<'a>]) {
        let mut names: HashMap<&str, Vec<FunctionKey>> = HashMap::new();
        for key in order {
            names.entry(key.1).or_default().push(*key);
        }
        self.starts = starts(facts);
        let starts = &self.starts;
        let is_start = |key: &&FunctionKey| {
            let last = key.1.rsplit('.').next().unwrap_or(key.1);
            starts.contains(last) || starts.contains(key.1)
        };
        let mut queue: VecDeque<FunctionKey> = order.iter().filter(is_start).copied().collect();
        self.depths.extend(queue.iter().map(|key| (*key, 0)));
        while let Some(key) = queue.pop_front() {
            let depth = self.depths[&key] + 1;
            if depth > DEPTH {
                continue;
            }
            for call in self.calls.get(&key).into_iter().flatten() {
                let all = names.get(call.name.as_str()).map_or(&[][..], Vec::as_slice);
                // Many functions of one name are not followed, because the file decides.
                let near = all.iter().take(40).find(|to| to.0 == key.0);
                if let Some(to) = near.or_else(|| all.first().filter(|_| all.len() == 1))
                    && !self.depths.contains_key(to)
                {
                    self.depths.insert(*to, depth);
                    queue.push_back(*to);
                }
            }
        }
    }
}

/// Returns true for a fact about runtime code, build scripts or documentation.
fn is_product(fact: &Fact) -> bool {
    matches!(fact.role, PathRole::Runtime | PathRole::Build | PathRole::Docs)
}

/// Returns the names of the product's entry points: `main`, handlers of routes, subcommands, and the
/// first function of each trace.
fn starts(facts: &Facts) -> HashSet<&str> {
    let mut starts: HashSet<&str> = HashSet::from(["main"]);
    for fact in facts.iter().filter(|fact| is_product(fact)) {
        match &fact.value {
            FactValue::Route { handler: Some(handler), .. } => {
                starts.insert(handler.rsplit(['.', ':']).next().unwrap_or(handler));
            }
            FactValue::Subcommand { name, .. } => {
                starts.insert(name);
            }
            FactValue::Trace { steps } => starts.extend(steps.first().map(|step| step.name.as_str())),
            _ => {}
        }
    }
    starts
}
