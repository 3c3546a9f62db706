//! Assigns nodes to rows: each below all nodes that lead to it, and as close to them as possible. Pure.

use std::collections::BTreeSet;

use super::super::layers::order_vertically;

/// Assignment of the nodes to ranks, the rows of nodes from top to bottom.
pub(super) struct Ranks {
    /// The nodes in the vertical order of `layers.rs`.
    pub(super) order: Vec<usize>,
    /// The row of each node, from 0.
    pub(super) rank_of: Vec<usize>,
}

impl Ranks {
    /// Assigns a rank (a row of nodes) to each of `count` nodes: below all nodes with an edge to it, edges
    /// that close cycles aside. The nodes in `last` get the lowest rank.
    pub(super) fn new(count: usize, edges: &[(usize, usize)], last: &BTreeSet<usize>) -> Self {
        let order = order_vertically(count, edges, last);
        let mut at = vec![0; count];
        order.iter().enumerate().for_each(|(row, vertex)| at[*vertex] = row);
        let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (from, to) in edges.iter().copied().filter(|(from, to)| at[*from] < at[*to]) {
            below[from].push(to);
            above[to].push(from);
        }
        let mut rank_of = vec![0; count];
        for vertex in &order {
            rank_of[*vertex] = above[*vertex].iter().map(|from| rank_of[*from] + 1).max().unwrap_or(0);
        }
        // A node with more targets than sources moves down to its targets, because that shortens more edges than it lengthens.
        for vertex in order.iter().rev() {
            let lowest = below[*vertex].iter().map(|to| rank_of[*to] - 1).min();
            if let Some(row) = lowest.filter(|_| below[*vertex].len() > above[*vertex].len()) {
                rank_of[*vertex] = row;
            }
        }
        let deepest = rank_of.iter().copied().max().unwrap_or(0);
        last.iter().for_each(|vertex| rank_of[*vertex] = deepest);
        Self { order, rank_of }
    }
}
