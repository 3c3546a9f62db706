//! The order of a drawing from top to bottom. Pure: numbers and edges in, rows out.

use std::collections::{BTreeMap, BTreeSet};

/// The places 0 to `count` from top to bottom: each below everything that leads to it, but for the edges that close cycles.
/// Where several could come next it is the one that a walk along the edges meets first; those in `last` come last.
pub(super) fn rows(count: usize, edges: &[(usize, usize)], last: &BTreeSet<usize>) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges {
        next[*from].push(*to);
    }
    let mut walk = Walk { met: vec![None; count], order: Vec::new(), forward: BTreeSet::new() };
    for place in 0..count {
        walk.from(place, &next);
    }
    let mut waits = vec![0; count];
    walk.forward.iter().for_each(|(_, to)| waits[*to] += 1);
    let mut met = BTreeMap::new();
    met.extend(walk.order.iter().enumerate().map(|(at, place)| (*place, at)));
    let rank = |place: usize| (last.contains(&place), met[&place]);
    let free = |place: &usize| waits[*place] == 0;
    let mut ready: BTreeSet<((bool, usize), usize)> =
        (0..count).filter(free).map(|place| (rank(place), place)).collect();
    let mut rows = Vec::new();
    while let Some((_, place)) = ready.pop_first() {
        rows.push(place);
        for (_, to) in walk.forward.range((place, 0)..).take_while(|(from, _)| *from == place) {
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
        while let Some((place, rest)) = path.last_mut() {
            let (place, Some(to)) = (*place, rest.next().copied()) else {
                self.met[*place] = Some(Progress::Finished);
                path.pop();
                continue;
            };
            match self.met[to] {
                Some(Progress::OnThePath) => {}
                Some(Progress::Finished) => drop(self.forward.insert((place, to))),
                None => {
                    self.forward.insert((place, to));
                    self.meet(to);
                    path.push((to, next[to].iter()));
                }
            }
        }
    }

    fn meet(&mut self, place: usize) {
        self.met[place] = Some(Progress::OnThePath);
        self.order.push(place);
    }
}
