//! The edges of a layout. Edges of one kind between the same two vertices are drawn as one with all their labels. A join is an edge from
//! each source to a bar, and one from the bar to its target.

use std::collections::BTreeMap;

use super::super::DISPATCH_LABEL;
use super::super::chart::Chart;
use super::super::text::{replace_controls, wrap};
use super::metrics::{FontWeight, text_width};
use super::node::ABOUT_SIZE;
use super::style::LineStyle;
use stategraph_core::EdgeKind;

/// Longest line of a label, in columns.
const MAX_LABEL_COLUMNS: usize = 32;
/// Most lines of a label. The last line of a longer one ends with the number of omitted characters (ENG-21).
const MAX_LABEL_LINES: usize = 4;

/// An edge between two nodes of a layout; it may stand for several edges of the chart with the same ends
/// and style.
pub(super) struct LayoutEdge {
    /// Number of the source node.
    pub(super) from: usize,
    /// Number of the target node.
    pub(super) to: usize,
    pub(super) line: LineStyle,
    pub(super) tip: EdgeTip,
    /// Lines of all labels, one below the other.
    pub(super) label_lines: Vec<String>,
    /// Number of times that the run took it.
    pub(super) taken: u64,
    /// Tooltip: source, target and full labels.
    pub(super) title: String,
}

/// Drawing of an edge's end at its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeTip {
    /// An arrow head.
    Arrow,
    /// No head: the edge runs into the bar of a join.
    Plain,
}

impl LayoutEdge {
    /// Returns the width of the widest line of its labels, in pixels.
    pub(super) fn label_width(&self) -> f64 {
        self.label_lines
            .iter()
            .map(|label| text_width(label, FontWeight::Regular, ABOUT_SIZE))
            .fold(0.0, f64::max)
    }
}

/// Collects the edges to be drawn. Edges of one style between the same two vertices are merged. A join
/// becomes an edge from each source to its bar and one from the bar to the target. The bar of the n-th join
/// has the node number `vertices.len() + n`, as in `collect_nodes`.
pub(super) fn collect_edges(chart: &Chart<'_>) -> Vec<LayoutEdge> {
    let mut edges: Vec<LayoutEdge> = Vec::new();
    let mut number_of: BTreeMap<(usize, usize, LineStyle), usize> = BTreeMap::new();
    for link in &chart.edges {
        let (line, label) = match link.kind {
            EdgeKind::Static => (LineStyle::Solid, None),
            EdgeKind::Branch { label } => (LineStyle::Dashed, Some(label.as_str())),
            EdgeKind::Goto => (LineStyle::Dotted, None),
            EdgeKind::Dispatch => (LineStyle::Bold, Some(DISPATCH_LABEL)),
            EdgeKind::Join { .. } => continue,
        };
        let at = *number_of.entry((link.from, link.to, line)).or_insert(edges.len());
        if at == edges.len() {
            let title = format!("{} → {}", chart.vertices[link.from].name, chart.vertices[link.to].name);
            let (from, to) = (link.from, link.to);
            edges.push(LayoutEdge {
                from,
                to,
                line,
                tip: EdgeTip::Arrow,
                label_lines: Vec::new(),
                taken: 0,
                title,
            });
        }
        let edge = &mut edges[at];
        edge.taken = edge.taken.max(link.taken);
        if let Some(label) = label.map(replace_controls) {
            edge.title += if edge.label_lines.is_empty() { ": " } else { ", " };
            edge.title += &label;
            edge.label_lines.extend(wrap(&label, MAX_LABEL_COLUMNS, MAX_LABEL_LINES));
        }
    }
    for (number, join) in chart.joins().into_iter().enumerate() {
        let bar = chart.vertices.len() + number;
        let to = &chart.vertices[join.to].name;
        let part = |from, to, tip, title| LayoutEdge {
            from,
            to,
            line: LineStyle::Solid,
            tip,
            label_lines: Vec::new(),
            taken: join.taken,
            title,
        };
        for from in &join.from {
            let title = format!("{} → {to}, when all have come", chart.vertices[*from].name);
            edges.push(part(*from, bar, EdgeTip::Plain, title));
        }
        edges.push(part(bar, join.to, EdgeTip::Arrow, format!("→ {to}, when all have come")));
    }
    edges
}
