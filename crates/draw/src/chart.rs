//! The chart: a topology whose edges refer to vertices by index, with sub-graphs opened to a depth and the
//! path of a run attached. Every format draws only from a chart, so that all formats show the same.

use std::collections::BTreeMap;

use stategraph_core::{END, START};
use stategraph_core::{EdgeKind, Topology};
use stategraph_core::{NodeVisits, RunPath, VisitStatus};

/// A graph prepared for drawing, or an opened sub-graph inside it. Built from a `Topology`; read by every
/// output format.
pub(super) struct Chart<'a> {
    pub(super) graph: &'a Topology,
    /// `START`, the nodes by name, `END`. The two ends are there if an edge uses them. In sub-graphs they are always there, because the
    /// edges from outside are attached to them.
    pub(super) vertices: Vec<Vertex<'a>>,
    pub(super) edges: Vec<ChartEdge<'a>>,
    /// Path of the run; `None` without a run, and in a sub-graph of which the run has no visit.
    pub(super) run: Option<&'a RunPath>,
}

/// A vertex of a graph to be drawn: a node of the graph, `START` or `END`.
pub(super) struct Vertex<'a> {
    pub(super) name: &'a str,
    /// The name after the names of the enclosing sub-graphs: `outer/inner`.
    pub(super) path: String,
    pub(super) about: &'a str,
    pub(super) kind: VertexKind,
    /// Number of tasks that one superstep plans for it.
    pub(super) multiplicity: Multiplicity,
    /// The sub-graph inside, if it is shown.
    pub(super) inner: Option<Chart<'a>>,
    /// Visits of the run; `None` if it was never here.
    pub(super) visit: Option<&'a NodeVisits>,
}

/// Kind of a vertex of a graph to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VertexKind {
    Start,
    Node,
    End,
}

/// Number of tasks that one superstep plans for a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Multiplicity {
    /// One task.
    Once,
    /// A task for each item of a fan-out (`Dispatch`).
    PerItem,
}

/// An edge of a graph to be drawn. `from` and `to` are indices into the vertices of the same chart.
pub(super) struct ChartEdge<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: &'a EdgeKind,
    /// Number of times that the run took this edge.
    pub(super) taken: u64,
}

/// A join: several source vertices and one target, which runs after all sources have run. The indices refer
/// to the vertices of its chart.
pub(super) struct ChartJoin {
    pub(super) number: usize,
    pub(super) from: Vec<usize>,
    pub(super) to: usize,
    /// The smallest count among its edges.
    pub(super) taken: u64,
}

impl<'a> Chart<'a> {
    /// Builds the chart of a graph. Sub-graphs are opened `depth` levels deep; `run` adds its visits and
    /// the counts of taken edges.
    pub(super) fn new(graph: &'a Topology, depth: usize, run: Option<&'a RunPath>) -> Self {
        Self::new_inside(graph, depth, run, "")
    }

    /// Builds the chart of a graph or of one of its sub-graphs. `prefix` is the path of the enclosing node
    /// with a trailing `/`; it is empty for the outermost graph. `depth` counts the levels still to be
    /// opened.
    fn new_inside(graph: &'a Topology, depth: usize, run: Option<&'a RunPath>, prefix: &str) -> Self {
        // A history may lack the visits inside a sub-graph. Its nodes must not look as if the run had skipped them.
        let run = run.filter(|run| run.visits.keys().any(|path| path.starts_with(prefix)));
        let used = |name: &str| graph.edges.iter().any(|edge| edge.from == name || edge.to == name);
        let mut vertices = Vec::new();
        let end = |name: &'a str, kind| Vertex::new(name, prefix, kind);
        if used(START) || !prefix.is_empty() {
            vertices.push(end(START, VertexKind::Start));
        }
        for node in &graph.nodes {
            let mut vertex =
                Vertex { about: &node.about, ..Vertex::new(&node.name, prefix, VertexKind::Node) };
            vertex.visit = run.and_then(|run| run.visits.get(&vertex.path));
            let dispatched =
                |to: &str| graph.edges.iter().any(|edge| edge.kind == EdgeKind::Dispatch && edge.to == to);
            if dispatched(&node.name) {
                vertex.multiplicity = Multiplicity::PerItem;
            }
            if let (Some(inner), Some(depth)) = (&node.inner, depth.checked_sub(1)) {
                vertex.inner = Some(Self::new_inside(inner, depth, run, &format!("{}/", vertex.path)));
            }
            vertices.push(vertex);
        }
        if used(END) || !prefix.is_empty() {
            vertices.push(end(END, VertexKind::End));
        }
        let edges = collect_edges(graph, &vertices, run);
        Self { graph, vertices, edges, run }
    }

    /// Groups the join edges by join and returns the joins in ascending order of their number.
    pub(super) fn joins(&self) -> Vec<ChartJoin> {
        let mut joins: BTreeMap<usize, ChartJoin> = BTreeMap::new();
        for edge in &self.edges {
            if let EdgeKind::Join { join } = edge.kind {
                let new = ChartJoin { number: *join, from: Vec::new(), to: edge.to, taken: edge.taken };
                let join = joins.entry(*join).or_insert(new);
                join.from.push(edge.from);
                join.taken = join.taken.min(edge.taken);
            }
        }
        joins.into_values().collect()
    }

    /// Returns the index of the `START` or `END` vertex, as `kind` says, of an opened sub-graph, which
    /// always has both. Panics if there is none.
    pub(super) fn terminal(&self, kind: VertexKind) -> usize {
        let at = self.vertices.iter().position(|vertex| vertex.kind == kind);
        at.expect("an opened sub-graph has both ends")
    }
}

impl<'a> Vertex<'a> {
    fn new(name: &'a str, prefix: &str, kind: VertexKind) -> Self {
        let path = format!("{prefix}{name}");
        Self { name, path, about: "", kind, multiplicity: Multiplicity::Once, inner: None, visit: None }
    }

    /// Returns the status of the run at this vertex; `None` if the run never visited it.
    pub(super) fn standing(&self) -> Option<VisitStatus> {
        self.visit.map(|visit| visit.standing)
    }
}

/// Converts the edges of a topology to edges between vertex indices, with the number of times that the run
/// took each. An edge with an unknown end is left out.
fn collect_edges<'a>(
    graph: &'a Topology,
    vertices: &[Vertex<'a>],
    run: Option<&RunPath>,
) -> Vec<ChartEdge<'a>> {
    let numbers: BTreeMap<&str, usize> =
        vertices.iter().enumerate().map(|(at, vertex)| (vertex.name, at)).collect();
    let moves = |from: usize, to: usize| {
        let moves = &run?.moves;
        moves.get(&vertices[from].path)?.get(&vertices[to].path).copied()
    };
    let ran = |at: usize| vertices[at].visit.map_or(0, |visit| visit.count);
    let edge = |edge: &'a stategraph_core::TopologyEdge| {
        let (from, to) = (*numbers.get(edge.from.as_str())?, *numbers.get(edge.to.as_str())?);
        let taken = match &edge.kind {
            // A run records moves from one superstep to the next, but the sources of a join may have run in different ones.
            EdgeKind::Join { .. } => ran(from).min(ran(to)),
            _ => moves(from, to).unwrap_or(0),
        };
        Some(ChartEdge { from, to, kind: &edge.kind, taken })
    };
    graph.edges.iter().filter_map(edge).collect()
}

/// A chart in which each opened sub-graph is replaced by its own vertices. Used by the text drawing, which
/// has no nested boxes.
pub(super) struct FlatChart<'a> {
    pub(super) vertices: Vec<&'a Vertex<'a>>,
    pub(super) edges: Vec<ChartEdge<'a>>,
    pub(super) joins: Vec<ChartJoin>,
}

impl<'a> FlatChart<'a> {
    /// Builds the flat form of a chart, in which opened sub-graphs are replaced by their vertices. An edge
    /// to an opened node leads to the `START` of its sub-graph; an edge from it leaves the sub-graph's
    /// `END`.
    pub(super) fn new(chart: &'a Chart<'a>) -> Self {
        let mut flat = Self { vertices: Vec::new(), edges: Vec::new(), joins: Vec::new() };
        flat.add(chart);
        flat
    }

    /// Appends the vertices, edges and joins of a chart, recursively. Returns for each vertex of the chart
    /// two flat indices: where its incoming edges end, and where its outgoing edges begin.
    fn add(&mut self, chart: &'a Chart<'a>) -> Vec<(usize, usize)> {
        let mut ports = Vec::new();
        for vertex in &chart.vertices {
            if let Some(inner) = &vertex.inner {
                let inside = self.add(inner);
                ports.push((
                    inside[inner.terminal(VertexKind::Start)].0,
                    inside[inner.terminal(VertexKind::End)].1,
                ));
            } else {
                ports.push((self.vertices.len(), self.vertices.len()));
                self.vertices.push(vertex);
            }
        }
        let (into, out_of) = (|at: usize| ports[at].0, |at: usize| ports[at].1);
        for edge in &chart.edges {
            if !matches!(edge.kind, EdgeKind::Join { .. }) {
                self.edges.push(ChartEdge { from: out_of(edge.from), to: into(edge.to), ..*edge });
            }
        }
        for join in chart.joins() {
            let number = self.joins.len();
            let from = join.from.iter().map(|at| out_of(*at)).collect();
            self.joins.push(ChartJoin { number, from, to: into(join.to), ..join });
        }
        ports
    }
}
