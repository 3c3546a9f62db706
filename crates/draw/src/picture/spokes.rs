//! Finds hubs and their spokes, as in a supervisor graph: a node with edges to and from many workers. Pure.
//!
//! The edges of a spoke back to its hub are drawn beside those to it, from its upper border to the lower border of the hub. Hub and spokes
//! are then drawn as a tree, which needs no crossings; in lanes at the sides, the edges of the inner spokes would cross those of all
//! outer ones.

use std::collections::BTreeSet;

/// Minimum number of spokes of a hub. The edges back from only two fit into lanes at both sides of the hub.
const MIN_SPOKES: usize = 3;

/// Returns a flag per edge: true if it leads from a spoke back to its hub, and the hub has at least three
/// spokes.
///
/// A spoke has edges to and from its hub alone, and a rank below it. It may have spokes of its own, as a
/// supervisor of another supervisor. `rank_of` holds the rank of each node.
pub(super) fn find_returns(edges: &[(usize, usize)], rank_of: &[usize]) -> Vec<bool> {
    let pairs: BTreeSet<(usize, usize)> = edges.iter().copied().collect();
    let mut neighbours = vec![BTreeSet::new(); rank_of.len()];
    for (from, to) in pairs.iter().filter(|(from, to)| from != to) {
        neighbours[*from].insert(*to);
        neighbours[*to].insert(*from);
    }
    let mut hub_of = vec![None; rank_of.len()];
    let mut spokes = vec![0; rank_of.len()];
    let mut queue: Vec<usize> = (0..rank_of.len()).collect();
    while let Some(node) = queue.pop() {
        let mut only = neighbours[node].iter().copied();
        let (Some(hub), None) = (only.next(), only.next()) else { continue };
        if rank_of[hub] < rank_of[node] && pairs.contains(&(hub, node)) && pairs.contains(&(node, hub)) {
            hub_of[node] = Some(hub);
            spokes[hub] += 1;
            neighbours[node].clear();
            neighbours[hub].remove(&node);
            // Without its own spokes, the hub may be a spoke itself.
            queue.push(hub);
        }
    }
    edges.iter().map(|(from, to)| hub_of[*from] == Some(*to) && spokes[*to] >= MIN_SPOKES).collect()
}

#[cfg(test)]
mod tests {
    use super::find_returns;

    fn star(hub: usize, spokes: std::ops::Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        spokes.flat_map(move |spoke| [(hub, spoke), (spoke, hub)])
    }

    #[track_caller]
    fn check(edges: &[(usize, usize)], rank_of: &[usize], returns: &[(usize, usize)]) {
        let found = edges.iter().zip(find_returns(edges, rank_of)).filter(|(_, found)| *found);
        assert_eq!(found.map(|(edge, _)| *edge).collect::<Vec<_>>(), returns);
    }

    #[test]
    fn three_workers_make_a_hub_and_two_do_not() {
        let edges: Vec<_> = [(0, 1)].into_iter().chain(star(1, 2..5)).collect();
        check(&edges, &[0, 1, 2, 2, 2], &[(2, 1), (3, 1), (4, 1)]);
        check(&edges[..5], &[0, 1, 2, 2, 2], &[]);
    }

    #[test]
    fn a_worker_that_leads_elsewhere_is_no_spoke() {
        let edges: Vec<_> = star(0, 1..5).chain([(4, 5)]).collect();
        check(&edges, &[0, 1, 1, 1, 1, 2], &[(1, 0), (2, 0), (3, 0)]);
    }

    #[test]
    fn a_supervisor_of_workers_may_be_a_worker_itself() {
        let edges: Vec<_> = star(0, 1..4).chain(star(3, 4..7)).collect();
        check(&edges, &[0, 1, 1, 1, 2, 2, 2], &[(1, 0), (2, 0), (3, 0), (4, 3), (5, 3), (6, 3)]);
    }
}
