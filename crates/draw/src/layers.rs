//! Orders the vertices of a drawing from top to bottom. Pure: numbers and edges in, an order out.
//!
//! A cyclic graph has no such order before some edges are taken out. A greedy feedback arc set, as that of Eades, Lin and Smyth (1993),
//! chooses them. It differs from theirs where it has to break a cycle: it enters the cycle where the main path from `START` to `END` does,
//! even if another vertex would leave fewer edges that lead up.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Orders the vertices 0 to `count`: each below all vertices that lead to it, except by edges that close cycles. Ties are broken by a walk
/// along the edges in their order; the vertices in `last` come last.
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

fn edges_from(edges: &BTreeSet<(usize, usize)>, vertex: usize) -> impl Iterator<Item = &(usize, usize)> {
    edges.range((vertex, 0)..).take_while(move |(from, _)| *from == vertex)
}

/// The edges of a graph by source and by target, without self-loops. Parallel edges stay, because each counts for the greedy choice.
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

    /// Returns a maximal set of edges without a cycle. Every edge that is left out closes a cycle with these.
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

    /// Orders the vertices so that the main path leads forwards and few edges lead backwards: takes away sources to the front and sinks to
    /// the back. If there is neither, a vertex goes to the front that follows one already there: the one nearest to the beginning and
    /// farthest from the end, then the one with the largest surplus of outgoing edges, then the first.
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

    /// Returns for each vertex its distance from vertex 0, which is `START` in a chart with one, less its distance to the vertices in
    /// `last`; a distance without a path counts as 0.
    fn measure_progress(&self, last: &BTreeSet<usize>) -> Vec<isize> {
        let from_start = measure_distances([0], &self.targets);
        let to_end = measure_distances(last.iter().copied(), &self.sources);
        from_start.into_iter().zip(to_end).map(|(from, to)| from.cast_signed() - to.cast_signed()).collect()
    }

    /// Returns all vertices in depth-first preorder. Not recursive, because a chain may be as long as the graph.
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

/// Kind of a vertex that can be taken away without a choice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GraphEnd {
    /// It has no incoming edges.
    Source,
    /// It has no outgoing edges.
    Sink,
}

/// The part of a graph that is not ordered yet.
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

    fn queue_end(&mut self, vertex: usize) {
        if self.incoming[vertex] == 0 {
            self.ends.push_back((vertex, GraphEnd::Source));
        } else if self.outgoing[vertex] == 0 {
            self.ends.push_back((vertex, GraphEnd::Sink));
        }
    }

    /// Takes a vertex away; returns false if it was taken away before.
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

/// Returns the number of edges from the nearest of `starts` to each vertex; 0 without a path.
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
