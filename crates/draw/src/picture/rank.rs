//! Which row each place stands in: below everything that leads to it, as near to it as may be. Pure.

use std::collections::BTreeSet;

use super::super::layers::rows;

/// The rows of places, and which way lines go.
pub(super) struct Ranks {
    /// The places from top to bottom; where it matters, the order in which a reader would tell them.
    pub(super) order: Vec<usize>,
    /// The row of each place, from 0.
    pub(super) of: Vec<usize>,
}

impl Ranks {
    /// Of `count` places with these edges; those in `last` stand in the lowest row.
    pub(super) fn new(count: usize, edges: &[(usize, usize)], last: &BTreeSet<usize>) -> Self {
        let order = rows(count, edges, last);
        let mut at = vec![0; count];
        order.iter().enumerate().for_each(|(row, place)| at[*place] = row);
        let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (from, to) in edges.iter().copied().filter(|(from, to)| at[*from] < at[*to]) {
            below[from].push(to);
            above[to].push(from);
        }
        let mut of = vec![0; count];
        for place in &order {
            of[*place] = above[*place].iter().map(|from| of[*from] + 1).max().unwrap_or(0);
        }
        // Whoever has more below than above moves down to it.
        for place in order.iter().rev() {
            let lowest = below[*place].iter().map(|to| of[*to] - 1).min();
            if let Some(row) = lowest.filter(|_| below[*place].len() > above[*place].len()) {
                of[*place] = row;
            }
        }
        let deepest = of.iter().copied().max().unwrap_or(0);
        last.iter().for_each(|place| of[*place] = deepest);
        Self { order, of }
    }
}
