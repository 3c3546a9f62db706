//! Drawings of a [`Topology`]: SVG, Mermaid, DOT, plain text, JSON. Draws what is there; checks and decides nothing.
//!
//! All show static edges solid, branches dashed with their label, `goto` dotted, a fan-out bold and marked `each`, and a join as
//! one place where its edges meet. Whatever a name contains, the drawing is well-formed. A [`Drawing`] says what is shown besides:
//! the inside of sub-graphs, and the path of a run. `chart.rs` collects that; each format has a file; `picture` lays it out.

mod chart;
mod text;
mod tone;

mod dot;
mod mermaid;

mod ascii;
mod lanes;
mod layers;

pub mod picture;
#[cfg(feature = "png")]
pub mod raster;

use serde::Serialize;

use chart::Chart;
use picture::Picture;
use stategraph_core::{RunPath, Topology};

pub use ascii::ASCII_WIDTH;

/// What is said of an edge that is taken for each item.
const EACH: &str = "each";

/// What is to be drawn of a graph: how deep, and with which run.
///
/// ```
/// use stategraph_draw::Draw as _;
/// use stategraph_core::{Topology, TopologyEdge, TopologyNode, EdgeKind, START, END};
///
/// let node = TopologyNode { name: "work".into(), about: "Works".into(), inner: None };
/// let edge = |from: &str, to: &str| TopologyEdge { from: from.into(), to: to.into(), kind: EdgeKind::Static };
/// let graph = Topology {
///     name: "small".into(),
///     about: String::new(),
///     nodes: vec![node],
///     edges: vec![edge(START, "work"), edge("work", END)],
/// };
/// assert!(graph.drawing().svg().starts_with("<svg"));
/// assert_eq!(graph.ascii(), "(START)\n   |\n   v\n[work]\n   |\n   v\n(END)\n");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Drawing<'a> {
    graph: &'a Topology,
    depth: usize,
    run: Option<&'a RunPath>,
}

impl<'a> Drawing<'a> {
    /// Opens sub-graphs so many levels deep; 0, which is how it begins, shows them as nodes.
    pub fn xray(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Shows what a run did: where it was and how long, where it waits or failed.
    pub fn with_run(self, run: &'a RunPath) -> Self {
        Self { run: Some(run), ..self }
    }

    /// A Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        mermaid::mermaid(&self.chart())
    }

    /// A digraph for Graphviz.
    pub fn dot(&self) -> String {
        dot::dot(&self.chart())
    }

    /// A drawing in text of at most so many columns (at least 40): nodes from top to bottom, edges as lanes beside them. The lines
    /// are ASCII; names are what they are. A node of a sub-graph that is opened is written `outer/inner`.
    pub fn ascii(&self, columns: usize) -> String {
        ascii::ascii(&self.chart(), columns)
    }

    /// Nodes and edges, and the run if there is one. Sub-graphs are in it to the depth that is shown.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            graph: &'a Topology,
            #[serde(skip_serializing_if = "Option::is_none")]
            run: Option<&'a RunPath>,
        }
        let whole = Whole { graph: &opened(self.graph, self.depth), run: self.run };
        serde_json::to_string_pretty(&whole).expect("a topology is strings and numbers") + "\n"
    }

    /// The layout: shapes with their places, for whoever draws them otherwise.
    pub fn picture(&self) -> Picture {
        picture::picture(&self.chart())
    }

    /// A picture for a page: light or dark as its reader likes it, with titles for those who cannot see it. Equal graphs give equal
    /// bytes.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    fn chart(&self) -> Chart<'a> {
        Chart::of(self.graph, self.depth, self.run)
    }
}

/// The drawings of a graph: what [`Topology`] can be turned into.
pub trait Draw {
    /// Returns the graph as a drawing, of which more can be said.
    fn drawing(&self) -> Drawing<'_>;

    /// Returns a Mermaid flowchart.
    fn mermaid(&self) -> String {
        self.drawing().mermaid()
    }

    /// Returns a digraph for Graphviz.
    fn dot(&self) -> String {
        self.drawing().dot()
    }

    /// Returns a picture for a page.
    fn svg(&self) -> String {
        self.drawing().svg()
    }

    /// Returns a drawing in text of at most [`ASCII_WIDTH`] columns.
    fn ascii(&self) -> String {
        self.drawing().ascii(ASCII_WIDTH)
    }

    /// As [`ascii`](Self::ascii), with another width, in columns; at least 40.
    fn ascii_within(&self, columns: usize) -> String {
        self.drawing().ascii(columns)
    }
}

impl Draw for Topology {
    fn drawing(&self) -> Drawing<'_> {
        Drawing { graph: self, depth: 0, run: None }
    }
}

/// The graph without what is deeper than so many levels.
fn opened(graph: &Topology, depth: usize) -> Topology {
    let mut shown = graph.clone();
    for node in &mut shown.nodes {
        node.inner = match (&node.inner, depth.checked_sub(1)) {
            (Some(inner), Some(depth)) => Some(Box::new(opened(inner, depth))),
            _ => None,
        };
    }
    shown
}
