//! Drawings of a [`Topology`]: SVG, Mermaid, DOT, plain text, JSON. Draws what is there; checks and decides nothing.
//!
//! All formats show static edges solid, conditional edges dashed with their label, `goto` dotted, a fan-out bold and marked `each`, and a
//! join as one vertex where its edges meet. A drawing is well-formed whatever its names contain. A [`Drawing`] selects the depth of
//! sub-graphs and the run that are shown. `chart.rs` collects all that is drawn, each format has a file, `picture` lays charts out.

mod chart;
mod palette;
mod text;

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

/// Label of a fan-out edge in every drawing, because a task runs for each item.
const DISPATCH_LABEL: &str = "each";

/// A graph to be drawn, with the depth to which its sub-graphs are opened and the run that is shown.
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
    /// Levels of sub-graphs that are opened; `0` unless set.
    depth: usize,
    run: Option<&'a RunPath>,
}

impl<'a> Drawing<'a> {
    /// Sets the number of levels to which sub-graphs are drawn open; with 0, the default, they are plain
    /// nodes.
    pub fn xray(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Shows the path of a run: the nodes that it visited with their times, and the node where it waits or failed.
    pub fn with_run(self, run: &'a RunPath) -> Self {
        Self { run: Some(run), ..self }
    }

    /// Returns the drawing of the graph as a Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        mermaid::render(&self.chart())
    }

    /// Returns the drawing of the graph in the DOT language of Graphviz.
    pub fn dot(&self) -> String {
        dot::render(&self.chart())
    }

    /// Returns a drawing in text, at most `columns` wide (at least 40): nodes from top to bottom, edges as lanes beside them. Lines are
    /// ASCII; names keep their characters. A node of an opened sub-graph is written `outer/inner`.
    pub fn ascii(&self, columns: usize) -> String {
        ascii::render(&self.chart(), columns)
    }

    /// Returns the graph's nodes and edges as JSON, and the run if there is one. Sub-graphs are included to
    /// the depth that is shown.
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct JsonDrawing<'a> {
            #[serde(flatten)]
            graph: &'a Topology,
            #[serde(skip_serializing_if = "Option::is_none")]
            run: Option<&'a RunPath>,
        }
        let drawing = JsonDrawing { graph: &truncate(self.graph, self.depth), run: self.run };
        serde_json::to_string_pretty(&drawing).expect("a topology is strings and numbers") + "\n"
    }

    /// Returns the layout as shapes with positions and colours, for callers that paint it themselves.
    pub fn picture(&self) -> Picture {
        picture::lay_out_and_paint(&self.chart())
    }

    /// Returns an SVG for a page: light or dark by the colour scheme of the reader, with titles for screen readers. Equal graphs give
    /// equal bytes.
    pub fn svg(&self) -> String {
        self.picture().svg()
    }

    fn chart(&self) -> Chart<'a> {
        Chart::new(self.graph, self.depth, self.run)
    }
}

/// Shortcuts that draw a [`Topology`] in one call, without opened sub-graphs and without a run.
pub trait Draw {
    /// Returns a [`Drawing`] with the default options, on which depth and run can be set.
    fn drawing(&self) -> Drawing<'_>;

    /// Returns the drawing of the graph as a Mermaid flowchart.
    fn mermaid(&self) -> String {
        self.drawing().mermaid()
    }

    /// Returns the drawing of the graph in the DOT language of Graphviz.
    fn dot(&self) -> String {
        self.drawing().dot()
    }

    /// Returns the drawing of the graph as SVG.
    fn svg(&self) -> String {
        self.drawing().svg()
    }

    /// Returns a drawing in text of at most [`ASCII_WIDTH`] columns.
    fn ascii(&self) -> String {
        self.drawing().ascii(ASCII_WIDTH)
    }

    /// Returns a drawing in text of at most `columns` columns; fewer than 40 count as 40.
    fn ascii_within(&self, columns: usize) -> String {
        self.drawing().ascii(columns)
    }
}

impl Draw for Topology {
    fn drawing(&self) -> Drawing<'_> {
        Drawing { graph: self, depth: 0, run: None }
    }
}

/// Returns a copy of the graph without the sub-graphs that are nested deeper than `depth` levels.
fn truncate(graph: &Topology, depth: usize) -> Topology {
    let mut shown = graph.clone();
    for node in &mut shown.nodes {
        node.inner = match (&node.inner, depth.checked_sub(1)) {
            (Some(inner), Some(depth)) => Some(Box::new(truncate(inner, depth))),
            _ => None,
        };
    }
    shown
}
