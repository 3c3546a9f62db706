//! The order of a drawing from top to bottom. Pure: numbers and edges in, rows out.

use std::collections::{BTreeMap, BTreeSet};

/// The vertices 0 to `count` from top to bottom: each below everything that leads to it, but for the edges that close cycles.
/// Where several could come next it is the one that a walk along the edges meets first; those in `last` come last.
pub(super) fn rows(count: usize, edges: &[(usize, usize)], last: &BTreeSet<usize>) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges {
        next[*from].push(*to);
    }
    let mut walk = Walk { met: vec![None; count], order: Vec::new(), forward: BTreeSet::new() };
    for vertex in 0..count {
        walk.from(vertex, &next);
    }
    let mut waits = vec![0; count];
    walk.forward.iter().for_each(|(_, to)| waits[*to] += 1);
    let mut met = BTreeMap::new();
    met.extend(walk.order.iter().enumerate().map(|(at, vertex)| (*vertex, at)));
    let rank = |vertex: usize| (last.contains(&vertex), met[&vertex]);
    let free = |vertex: &usize| waits[*vertex] == 0;
    let mut ready: BTreeSet<((bool, usize), usize)> =
        (0..count).filter(free).map(|vertex| (rank(vertex), vertex)).collect();
    let mut rows = Vec::new();
    while let Some((_, vertex)) = ready.pop_first() {
        rows.push(vertex);
        for (_, to) in walk.forward.range((vertex, 0)..).take_while(|(from, _)| *from == vertex) {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.insert((rank(*to), *to));
            }
        }
    }
    rows
}

/// A walk along the edges, the first edge first.
struct Walk {
    met: Vec<Option<Progress>>,
    order: Vec<usize>,
    /// The edges that do not close a cycle.
    forward: BTreeSet<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    OnThePath,
    Finished,
}

impl Walk {
    /// Depth first without recursion: a chain may be as long as the graph.
    fn from(&mut self, start: usize, next: &[Vec<usize>]) {
        if self.met[start].is_some() {
            return;
        }
        self.meet(start);
        let mut path = vec![(start, next[start].iter())];
        while let Some((vertex, rest)) = path.last_mut() {
            let (vertex, Some(to)) = (*vertex, rest.next().copied()) else {
                self.met[*vertex] = Some(Progress::Finished);
                path.pop();
                continue;
            };
            match self.met[to] {
                Some(Progress::OnThePath) => {}
                Some(Progress::Finished) => drop(self.forward.insert((vertex, to))),
                None => {
                    self.forward.insert((vertex, to));
                    self.meet(to);
                    path.push((to, next[to].iter()));
                }
            }
        }
    }

    fn meet(&mut self, vertex: usize) {
        self.met[vertex] = Some(Progress::OnThePath);
        self.order.push(vertex);
    }
}
