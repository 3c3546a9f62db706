//! The nodes of a layout with their sizes and texts. Knows no positions.

use super::super::chart::{Chart, Multiplicity, Vertex, VertexKind};
use super::super::text::{describe_visit, replace_controls, wrap};
use super::layout::Layout;
use super::metrics::{FontWeight, text_width};
use super::{Point, point};

/// Font size of names, in pixels.
pub(super) const NAME_SIZE: f64 = 14.0;
/// Font size of descriptions, visits and labels, in pixels.
pub(super) const ABOUT_SIZE: f64 = 11.5;
/// Height of a line of a name.
pub(super) const NAME_LINE: f64 = 19.0;
/// Height of a line of the smaller font.
pub(super) const ABOUT_LINE: f64 = 15.0;
/// Padding of a box at the left and the right of its text.
const SIDE_PADDING: f64 = 16.0;
/// Padding of a box above and below its text.
pub(super) const TOP_PADDING: f64 = 10.0;
/// Offset of the second box behind a node that runs once per item.
pub(super) const STACK_OFFSET: f64 = 4.0;
/// Padding of an opened sub-graph around its inside.
pub(super) const CLUSTER_PADDING: f64 = 18.0;
/// Longest line of a name, in columns.
const MAX_NAME_COLUMNS: usize = 40;
/// Most lines of a name. The last line of a longer one ends with the number of omitted characters (ENG-21).
const MAX_NAME_LINES: usize = 4;
/// Longest line of a description, in columns.
const MAX_ABOUT_COLUMNS: usize = 36;
/// Most lines of a description.
const MAX_ABOUT_LINES: usize = 6;
/// Smallest width of a box.
const MIN_WIDTH: f64 = 92.0;

/// A node of a layout with its size and position: a vertex, an opened sub-graph, or the bar of a join.
pub(super) struct LayoutNode<'a> {
    pub(super) shape: NodeShape<'a>,
    pub(super) width: f64,
    pub(super) height: f64,
    /// Its centre; the origin until the layout places it.
    pub(super) at: Point,
}

/// Shape of a layout node, with its content.
pub(super) enum NodeShape<'a> {
    /// A box or a pill with the text of a vertex.
    Vertex(&'a Vertex<'a>, NodeText),
    /// An opened sub-graph: a box with its text above the layout of its inside.
    Cluster(&'a Vertex<'a>, NodeText, Layout<'a>),
    /// The bar where the edges of a join meet.
    JoinBar {
        /// Number of times that the run took the join.
        taken: u64,
    },
}

/// Wrapped text lines of a node: name, description and visits of the run.
#[derive(Default)]
pub(super) struct NodeText {
    /// Lines of the name.
    pub(super) name: Vec<String>,
    /// Lines of the description.
    pub(super) about: Vec<String>,
    /// Visits of the run; `None` without a run, and for a node that was never visited.
    pub(super) visit: Option<String>,
}

impl NodeText {
    fn new(vertex: &Vertex<'_>) -> Self {
        Self {
            name: wrap(&replace_controls(vertex.name), MAX_NAME_COLUMNS, MAX_NAME_LINES),
            about: wrap(&replace_controls(vertex.about), MAX_ABOUT_COLUMNS, MAX_ABOUT_LINES),
            visit: vertex.visit.map(describe_visit).filter(|visit| !visit.is_empty()),
        }
    }

    /// Returns the width of the widest line, in pixels.
    fn width(&self) -> f64 {
        let names = self.name.iter().map(|line| text_width(line, FontWeight::SemiBold, NAME_SIZE));
        let others = self.about.iter().chain(&self.visit);
        names.chain(others.map(|line| text_width(line, FontWeight::Regular, ABOUT_SIZE))).fold(0.0, f64::max)
    }

    /// Returns the height of all lines together, in pixels.
    pub(super) fn height(&self) -> f64 {
        NAME_LINE * to_f64(self.name.len())
            + ABOUT_LINE * to_f64(self.about.len() + usize::from(self.visit.is_some()))
    }
}

/// Returns the nodes of a chart with their sizes: its vertices in order, then the bars of its joins. Opened
/// sub-graphs are laid out first. `depth` is the number of enclosing sub-graphs.
pub(super) fn collect_nodes<'a>(chart: &'a Chart<'a>, depth: usize) -> Vec<LayoutNode<'a>> {
    let mut nodes: Vec<LayoutNode<'a>> =
        chart.vertices.iter().map(|vertex| new_node(vertex, depth)).collect();
    nodes.extend(
        chart.joins().iter().map(|join| LayoutNode::new(NodeShape::JoinBar { taken: join.taken }, 64.0, 5.0)),
    );
    nodes
}

/// Measures the node of a vertex. An opened sub-graph is laid out to find its size; `START` and `END` are
/// small inside sub-graphs.
fn new_node<'a>(vertex: &'a Vertex<'a>, depth: usize) -> LayoutNode<'a> {
    let words = NodeText::new(vertex);
    let room = (words.width() + 2.0 * SIDE_PADDING, words.height() + 2.0 * TOP_PADDING);
    if let Some(inner) = &vertex.inner {
        let layout = Layout::at_depth(inner, depth + 1);
        let width = room.0.max(layout.width + 2.0 * CLUSTER_PADDING);
        let height = room.1 + layout.height + CLUSTER_PADDING;
        return LayoutNode::new(NodeShape::Cluster(vertex, words, layout), width, height);
    }
    match vertex.kind {
        VertexKind::Node => {
            let more = if vertex.multiplicity == Multiplicity::PerItem { STACK_OFFSET } else { 0.0 };
            LayoutNode::new(NodeShape::Vertex(vertex, words), room.0.max(MIN_WIDTH) + more, room.1 + more)
        }
        VertexKind::Start | VertexKind::End if depth > 0 => {
            LayoutNode::new(NodeShape::Vertex(vertex, words), 14.0, 14.0)
        }
        VertexKind::Start | VertexKind::End => LayoutNode::new(NodeShape::Vertex(vertex, words), 72.0, 28.0),
    }
}

impl<'a> LayoutNode<'a> {
    fn new(shape: NodeShape<'a>, width: f64, height: f64) -> Self {
        Self { shape, width, height, at: point(0.0, 0.0) }
    }

    pub(super) fn left(&self) -> f64 {
        self.at.x - self.width / 2.0
    }

    pub(super) fn right(&self) -> f64 {
        self.at.x + self.width / 2.0
    }

    pub(super) fn top(&self) -> f64 {
        self.at.y - self.height / 2.0
    }

    pub(super) fn bottom(&self) -> f64 {
        self.at.y + self.height / 2.0
    }
}

/// Converts a count to `f64`. A count above `u32::MAX`, which does not occur, becomes that limit.
pub(super) fn to_f64(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
