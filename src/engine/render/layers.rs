//! The order of a drawing from top to bottom. Pure: names and edges in, rows out.

use std::collections::{BTreeMap, BTreeSet};

use super::super::draft::{END, START};
use super::super::topology::Topology;

/// The places of the graph from top to bottom: each below everything that leads to it, but for the edges that close cycles.
/// Where several could come next it is the one that a walk along the edges meets first; `END` is last.
pub(super) fn rows(graph: &Topology) -> Vec<&str> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in &graph.edges {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut walk = Walk { met: BTreeMap::new(), order: Vec::new(), forward: BTreeSet::new() };
    for place in graph.places() {
        walk.from(place, &next);
    }
    let mut waits: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, to) in &walk.forward {
        *waits.entry(to).or_default() += 1;
    }
    let mut ready: BTreeSet<(usize, &str)> = BTreeSet::new();
    let rank = |name: &str| if name == END { usize::MAX } else { walk.met[name].at };
    let free = |name: &&&str| !waits.contains_key(**name);
    ready.extend(walk.order.iter().filter(free).map(|name| (rank(name), *name)));
    let mut rows = Vec::new();
    while let Some((_, name)) = ready.pop_first() {
        rows.push(name);
        for (_, to) in walk.forward.range((name, "")..).take_while(|(from, _)| *from == name) {
            let open = waits.get_mut(to).expect("every target of a forward edge was counted");
            *open -= 1;
            if *open == 0 {
                ready.insert((rank(to), to));
            }
        }
    }
    rows
}

/// A walk along the edges, the first edge first.
struct Walk<'a> {
    met: BTreeMap<&'a str, Met>,
    order: Vec<&'a str>,
    /// The edges that do not close a cycle.
    forward: BTreeSet<(&'a str, &'a str)>,
}

struct Met {
    at: usize,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    OnThePath,
    Finished,
}

impl<'a> Walk<'a> {
    /// Depth first without recursion: a chain may be as long as the graph.
    fn from(&mut self, start: &'a str, next: &BTreeMap<&'a str, Vec<&'a str>>) {
        if self.met.contains_key(start) {
            return;
        }
        let follow = |name: &str| next.get(name).cloned().unwrap_or_default().into_iter();
        self.meet(start);
        let mut path = vec![(start, follow(start))];
        while let Some((name, rest)) = path.last_mut() {
            let Some(to) = rest.next() else {
                self.met.get_mut(name).expect("it is on the path").progress = Progress::Finished;
                path.pop();
                continue;
            };
            match self.met.get(to).map(|met| met.progress) {
                Some(Progress::OnThePath) => {}
                Some(Progress::Finished) => drop(self.forward.insert((name, to))),
                None => {
                    self.forward.insert((name, to));
                    self.meet(to);
                    path.push((to, follow(to)));
                }
            }
        }
    }

    fn meet(&mut self, name: &'a str) {
        // The start of a run stays on top whatever else has no source.
        let at = if name == START { 0 } else { self.order.len() + 1 };
        self.met.insert(name, Met { at, progress: Progress::OnThePath });
        self.order.push(name);
    }
}
