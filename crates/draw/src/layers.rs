//! Orders the vertices of a drawing from top to bottom. Pure: numbers and edges in, an order out.
//!
//! A cyclic graph has no such order before some edges are taken out. A greedy feedback arc set, as that of Eades, Lin and Smyth (1993),
//! chooses them. It differs from theirs where it has to break a cycle: it enters the cycle where the main path from `START` to `END` does,
//! even if another vertex would leave fewer edges that lead up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Returns the vertices `0..count` in drawing order from top to bottom. Each vertex follows all vertices
/// with an edge to it; edges that close cycles are ignored. Ties are broken by a depth-first walk along the
/// edges in their order. The vertices in `last` come as late as possible.
pub(super) fn order_vertically(count: usize, edges: &[(usize, usize)], last: &BTreeSet<usize>) -> Vec<usize> {
    let graph = Digraph::new(count, edges);
    let forward = graph.find_forward_edges(last);
    let mut waits = vec![0; count];
    forward.iter().for_each(|(_, to)| waits[*to] += 1);
    let preorder: BTreeMap<usize, usize> =
        graph.walk_depth_first().into_iter().enumerate().map(|(at, vertex)| (vertex, at)).collect();
    let rank = |vertex: usize| (last.contains(&vertex), preorder[&vertex]);
    let is_free = |vertex: &usize| waits[*vertex] == 0;
    let mut ready: BTreeSet<((bool, usize), usize)> =
        (0..count).filter(is_free).map(|vertex| (rank(vertex), vertex)).collect();
    let mut order = Vec::new();
    while let Some((_, vertex)) = ready.pop_first() {
        order.push(vertex);
        for (_, to) in edges_from(&forward, vertex) {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.insert((rank(*to), *to));
            }
        }
    }
    order
}

/// Returns the edges of the set that leave `vertex`.
fn edges_from(edges: &BTreeSet<(usize, usize)>, vertex: usize) -> impl Iterator<Item = &(usize, usize)> {
    edges.range((vertex, 0)..).take_while(move |(from, _)| *from == vertex)
}

/// A directed graph as adjacency lists: the targets and the sources of each vertex. Self-loops are dropped.
/// Parallel edges stay, because each counts for the greedy choice.
struct Digraph {
    targets: Vec<Vec<usize>>,
    sources: Vec<Vec<usize>>,
}

impl Digraph {
    fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut graph = Self { targets: vec![Vec::new(); count], sources: vec![Vec::new(); count] };
        for (from, to) in edges.iter().filter(|(from, to)| from != to) {
            graph.targets[*from].push(*to);
            graph.sources[*to].push(*from);
        }
        graph
    }

    /// Returns a maximal acyclic set of edges, which become the edges that lead down. Every edge left out
    /// would close a cycle with them. `last` holds the vertices at the bottom.
    fn find_forward_edges(&self, last: &BTreeSet<usize>) -> BTreeSet<(usize, usize)> {
        let mut at = vec![0; self.targets.len()];
        self.order_greedily(last).into_iter().enumerate().for_each(|(place, vertex)| at[vertex] = place);
        let edges =
            self.targets.iter().enumerate().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)));
        let (mut forward, backward): (BTreeSet<_>, BTreeSet<_>) =
            edges.partition(|(from, to)| at[*from] < at[*to]);
        // The greedy order may leave out an edge that closes no cycle. The layout relies on a downward path beside each edge that leads up.
        for (from, to) in backward {
            if !has_path(&forward, to, from) {
                forward.insert((from, to));
            }
        }
        forward
    }

    /// Orders all vertices so that few edges lead backwards. Repeatedly moves sources to the front and
    /// sinks to the back. If there is neither, it breaks a cycle: it moves to the front the vertex that is,
    /// in this order of criteria, a successor of the front, nearest to `START` and farthest from `last`,
    /// richest in outgoing over incoming edges, or the first.
    fn order_greedily(&self, last: &BTreeSet<usize>) -> Vec<usize> {
        let progress = self.measure_progress(last);
        let mut rest = Remainder::new(self);
        let (mut front, mut back) = (Vec::new(), Vec::new());
        loop {
            while let Some((vertex, end)) = rest.ends.pop_front() {
                if rest.remove(vertex, self) {
                    match end {
                        GraphEnd::Source => front.push(vertex),
                        GraphEnd::Sink => back.push(vertex),
                    }
                }
            }
            let key = |vertex: &usize| {
                let surplus = rest.outgoing[*vertex].cast_signed() - rest.incoming[*vertex].cast_signed();
                (!rest.is_reached[*vertex], progress[*vertex], Reverse(surplus), *vertex)
            };
            let left = (0..self.targets.len()).filter(|vertex| rest.is_left[*vertex]);
            let Some(vertex) = left.min_by_key(key) else { break };
            rest.remove(vertex, self);
            front.push(vertex);
        }
        front.extend(back.into_iter().rev());
        front
    }

    /// Returns for each vertex its distance from vertex 0 (`START`, if the chart has one) minus its
    /// distance to the nearest vertex in `last`, in edges. A missing path counts as 0. Small values are
    /// near the beginning.
    fn measure_progress(&self, last: &BTreeSet<usize>) -> Vec<isize> {
        let from_start = measure_distances([0], &self.targets);
        let to_end = measure_distances(last.iter().copied(), &self.sources);
        from_start.into_iter().zip(to_end).map(|(from, to)| from.cast_signed() - to.cast_signed()).collect()
    }

    /// Returns all vertices in depth-first preorder. Iterative, because a chain may be as long as the
    /// graph.
    fn walk_depth_first(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut is_met = vec![false; self.targets.len()];
        for start in 0..self.targets.len() {
            let mut stack = vec![start];
            while let Some(vertex) = stack.pop() {
                if !std::mem::replace(&mut is_met[vertex], true) {
                    order.push(vertex);
                    stack.extend(self.targets[vertex].iter().rev());
                }
            }
        }
        order
    }
}

/// Reason why a vertex can be removed without breaking a cycle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphEnd {
    /// It has no incoming edges.
    Source,
    /// It has no outgoing edges.
    Sink,
}

/// The vertices that `order_greedily` has not ordered yet, with their remaining edge counts.
struct Remainder {
    is_left: Vec<bool>,
    /// True for the targets of vertices that were taken away.
    is_reached: Vec<bool>,
    /// Number of incoming edges from this part.
    incoming: Vec<usize>,
    /// Number of outgoing edges into this part.
    outgoing: Vec<usize>,
    /// Sources and sinks to be taken away. A vertex may be in it twice.
    ends: VecDeque<(usize, GraphEnd)>,
}

impl Remainder {
    fn new(graph: &Digraph) -> Self {
        let count = graph.targets.len();
        let mut rest = Self {
            is_left: vec![true; count],
            is_reached: vec![false; count],
            incoming: graph.sources.iter().map(Vec::len).collect(),
            outgoing: graph.targets.iter().map(Vec::len).collect(),
            ends: VecDeque::new(),
        };
        (0..count).for_each(|vertex| rest.queue_end(vertex));
        rest
    }

    /// Queues the vertex for removal if no remaining edge enters it or none leaves it.
    fn queue_end(&mut self, vertex: usize) {
        if self.incoming[vertex] == 0 {
            self.ends.push_back((vertex, GraphEnd::Source));
        } else if self.outgoing[vertex] == 0 {
            self.ends.push_back((vertex, GraphEnd::Sink));
        }
    }

    /// Removes a vertex and updates the edge counts of its neighbours. Returns false if it was removed
    /// before.
    fn remove(&mut self, vertex: usize, graph: &Digraph) -> bool {
        if !std::mem::replace(&mut self.is_left[vertex], false) {
            return false;
        }
        for to in &graph.targets[vertex] {
            self.is_reached[*to] = true;
            self.incoming[*to] -= 1;
            self.queue_end(*to);
        }
        for from in &graph.sources[vertex] {
            self.outgoing[*from] -= 1;
            self.queue_end(*from);
        }
        true
    }
}

/// Returns for each vertex the number of edges from the nearest of `starts` to it; 0 if no path exists.
/// `targets` holds the successors of each vertex.
fn measure_distances(starts: impl IntoIterator<Item = usize>, targets: &[Vec<usize>]) -> Vec<usize> {
    let mut distances = vec![0; targets.len()];
    let mut is_met = vec![false; targets.len()];
    let mut queue: VecDeque<(usize, usize)> = starts.into_iter().map(|start| (start, 0)).collect();
    while let Some((vertex, distance)) = queue.pop_front() {
        if vertex < targets.len() && !std::mem::replace(&mut is_met[vertex], true) {
            distances[vertex] = distance;
            queue.extend(targets[vertex].iter().map(|to| (*to, distance + 1)));
        }
    }
    distances
}

/// Returns true if a path of these edges leads from `from` to `to`.
fn has_path(edges: &BTreeSet<(usize, usize)>, from: usize, to: usize) -> bool {
    let mut met = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(vertex) = stack.pop() {
        if vertex == to {
            return true;
        }
        stack.extend(edges_from(edges, vertex).map(|(_, to)| *to).filter(|to| met.insert(*to)));
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Digraph, order_vertically};

    // A side path (1) that enters the main path 0, 2, 3, 4 in its middle used to turn it round.
    #[test]
    fn the_main_path_leads_down_whichever_edge_comes_first() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 2), (3, 4)];
        assert_eq!(order_vertically(5, &edges, &BTreeSet::from([4])), [0, 1, 2, 3, 4]);
    }

    // Sent back from 4, the search (1) still comes before the ranking (2): only the later edge leads up.
    #[test]
    fn a_step_that_is_repeated_stays_where_it_comes_first() {
        let edges = [(0, 1), (1, 2), (2, 1), (2, 3), (3, 4), (4, 1), (4, 5)];
        assert_eq!(order_vertically(6, &edges, &BTreeSet::from([5])), [0, 1, 2, 3, 4, 5]);
        // A shortcut from 0 to 4, which leads back twice, does not turn the path round.
        let edges = [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4), (4, 1), (4, 2), (4, 5)];
        assert_eq!(order_vertically(6, &edges, &BTreeSet::from([5])), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_graph_without_cycles_keeps_all_edges_and_a_cycle_loses_one() {
        let chain: Vec<(usize, usize)> = (0..50_000).map(|at| (at, at + 1)).collect();
        assert_eq!(Digraph::new(50_001, &chain).find_forward_edges(&BTreeSet::new()).len(), 50_000);
        let ring: Vec<(usize, usize)> = (0..100).map(|at| (at, (at + 1) % 100)).collect();
        let forward = Digraph::new(100, &ring).find_forward_edges(&BTreeSet::new());
        assert!(forward.len() == 99 && !forward.contains(&(99, 0)));
    }
}
