//! Renders a chart as text: one line per node from top to bottom, followed by lines for its outgoing edges.
//! An edge to the node directly below is drawn straight down. Every other edge leads to a lane, a vertical
//! line at the right, one per target. `lanes.rs` assigns columns to the lanes and paints them.
//!
//! ```text
//! [architect] <-----.      a lane arrives
//!    |              :
//!    v              :
//! [reviewer]        :
//!    +.. revise ....'      a branch leaves for a lane
//!    : verified            a branch to the node below
//!    v
//! [write]
//! ```

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use super::DISPATCH_LABEL;
use super::chart::{Chart, FlatChart, Vertex, VertexKind};
use super::lanes::{Lane, paint};
use super::layers::order_vertically;
use super::text::{describe_run, describe_visit, replace_controls, shorten};
use stategraph_core::END;
use stategraph_core::EdgeKind;

/// Default maximum width of a text drawing, in columns.
pub const ASCII_WIDTH: usize = 100;

/// Lower bound of the maximum width that a caller may request, in columns; smaller values are raised to it.
const MIN_COLUMNS: usize = 40;

/// Maximum width of a node name or edge label, in columns. A longer one is cut and ends with the number of
/// omitted characters (ENG-21).
const MAX_NAME_WIDTH: usize = 32;

/// A line of the text drawing: its text at the left, and the lane that it is connected to, if any. Built by
/// `AsciiSketch`; painted by `lanes::paint`.
pub(super) struct TextLine {
    pub(super) text: String,
    pub(super) lane: Option<usize>,
    pub(super) end: LineEnd,
    pub(super) stroke: Stroke,
}

/// Direction in which an edge runs between a text line and its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// From the text to the lane.
    Leaves,
    /// From the lane to the text.
    Arrives,
}

/// Stroke of an edge in a text drawing: dashed for branches and `goto`, solid for all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stroke {
    Solid,
    Dashed,
}

/// Target that all edges of one lane lead to: a vertex by its index in `FlatChart::vertices`, or a join by
/// its index in `FlatChart::joins`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LaneTarget {
    Vertex(usize),
    Join(usize),
}

/// Renders a chart as text of at most `columns` columns (at least 40). The caption of a run, if there is
/// one, is the last line.
pub(super) fn render(chart: &Chart<'_>, columns: usize) -> String {
    let columns = columns.max(MIN_COLUMNS);
    let width = MAX_NAME_WIDTH.min((columns - 12) / 2);
    let flat = FlatChart::new(chart);
    let rows = order_vertices(&flat);
    let outgoing = collect_outgoing(&flat);
    let straight = |at: usize| {
        let below = LaneTarget::Vertex(*rows.get(at + 1)?);
        outgoing.get(&rows[at])?.iter().find(|((target, _), _)| *target == below)
    };
    let mut sketch = AsciiSketch { flat: &flat, width, columns, lines: Vec::new(), lanes: BTreeMap::new() };
    // Lanes are opened before the first line is drawn, because a lane may end above the line where it begins.
    for (at, vertex) in rows.iter().enumerate() {
        let through = straight(at).map(|(key, _)| *key);
        let targets =
            outgoing.get(vertex).into_iter().flat_map(BTreeMap::keys).filter(|key| Some(**key) != through);
        for (target, _) in targets {
            sketch.open_lane(*target);
        }
    }
    for (at, vertex) in rows.iter().enumerate() {
        sketch.draw_vertex(*vertex);
        let through = straight(at);
        for (key, labels) in outgoing.get(vertex).into_iter().flatten() {
            if Some(*key) != through.map(|(key, _)| *key) {
                sketch.draw_lane_edge(*key, labels);
            }
        }
        match through {
            Some(((_, stroke), labels)) => sketch.draw_straight_edge(*stroke, labels),
            None if at + 1 < rows.len() => sketch.push_line(String::new()),
            None => {}
        }
    }
    let lanes = sketch.lanes.into_values().collect();
    let drawn = paint(&sketch.lines, lanes, columns);
    match chart.run {
        Some(run) => format!("{drawn}\n{}\n", shorten(&describe_run(run), columns)),
        None => drawn,
    }
}

/// Returns the indices of all vertices in the order of their lines, from top to bottom; `END` is last.
fn order_vertices(flat: &FlatChart<'_>) -> Vec<usize> {
    let joined = flat.joins.iter().flat_map(|join| join.from.iter().map(|from| (*from, join.to)));
    let edges: Vec<(usize, usize)> =
        flat.edges.iter().map(|edge| (edge.from, edge.to)).chain(joined).collect();
    let last = |(at, vertex): (usize, &&Vertex<'_>)| (vertex.path == END).then_some(at);
    order_vertically(
        flat.vertices.len(),
        &edges,
        &flat.vertices.iter().enumerate().filter_map(last).collect(),
    )
}

/// Labels of the outgoing edges, by source vertex and then by target and stroke. An edge without a label
/// has an empty list.
type OutgoingEdges<'a> = BTreeMap<usize, BTreeMap<(LaneTarget, Stroke), Vec<&'a str>>>;

/// Groups the edges of a chart by source, target and stroke, and collects the labels of each group. A
/// source of a join leads to the join in place of its target.
fn collect_outgoing<'a>(flat: &FlatChart<'a>) -> OutgoingEdges<'a> {
    let mut all: OutgoingEdges<'_> = BTreeMap::new();
    for link in &flat.edges {
        let (stroke, label) = match link.kind {
            EdgeKind::Static | EdgeKind::Join { .. } => (Stroke::Solid, None),
            EdgeKind::Branch { label } => (Stroke::Dashed, Some(label.as_str())),
            EdgeKind::Goto => (Stroke::Dashed, Some("goto")),
            EdgeKind::Dispatch => (Stroke::Solid, Some(DISPATCH_LABEL)),
        };
        let target = LaneTarget::Vertex(link.to);
        all.entry(link.from).or_default().entry((target, stroke)).or_default().extend(label);
    }
    for join in &flat.joins {
        for from in &join.from {
            all.entry(*from).or_default().entry((LaneTarget::Join(join.number), Stroke::Solid)).or_default();
        }
    }
    all
}

/// Builder of a text drawing: the lines and lanes so far.
struct AsciiSketch<'a> {
    flat: &'a FlatChart<'a>,
    /// Longest name, in columns.
    width: usize,
    columns: usize,
    lines: Vec<TextLine>,
    lanes: BTreeMap<LaneTarget, Lane>,
}

impl AsciiSketch<'_> {
    /// Creates the lane (the vertical line that collects all edges to this target) unless it exists.
    fn open_lane(&mut self, target: LaneTarget) {
        let name = match target {
            LaneTarget::Vertex(vertex) => self.format_vertex(vertex),
            LaneTarget::Join(join) => format!("all {}", self.format_vertex(self.flat.joins[join].to)),
        };
        let number = self.lanes.len();
        self.lanes.entry(target).or_insert_with(|| Lane { number, name, touches: Vec::new() });
    }

    /// Returns the shortened path of a vertex: `[name]` for a node, `(name)` for `START` and `END`.
    fn format_vertex(&self, vertex: usize) -> String {
        let vertex = self.flat.vertices[vertex];
        let name = shorten(&replace_controls(&vertex.path), self.width);
        if vertex.kind == VertexKind::Node { format!("[{name}]") } else { format!("({name})") }
    }

    /// Appends a line that is connected to no lane.
    fn push_line(&mut self, text: String) {
        self.lines.push(TextLine { text, lane: None, end: LineEnd::Leaves, stroke: Stroke::Solid });
    }

    /// Appends a line that is connected to the lane of `target`. Panics if the lane was not opened.
    fn push_lane_line(&mut self, text: String, target: LaneTarget, end: LineEnd, stroke: Stroke) {
        let lane = self
            .lanes
            .get_mut(&target)
            .expect("`open_lane` was called for every target that is not straight below");
        lane.touches.push(self.lines.len());
        self.lines.push(TextLine { text, lane: Some(lane.number), end, stroke });
    }

    /// Appends the text lines of a vertex: its name, a further line for each additional lane that ends
    /// here, and a line with the visits of the run, if any.
    fn draw_vertex(&mut self, vertex: usize) {
        let here = |target: &LaneTarget| match target {
            LaneTarget::Vertex(target) => *target == vertex,
            LaneTarget::Join(join) => self.flat.joins[*join].to == vertex,
        };
        let arriving: Vec<LaneTarget> = self.lanes.keys().copied().filter(here).collect();
        let mut text = self.format_vertex(vertex);
        for target in &arriving {
            let waits = if matches!(target, LaneTarget::Join(_)) { "- all " } else { "" };
            self.push_lane_line(format!("{text} <{waits}"), *target, LineEnd::Arrives, Stroke::Solid);
            "   ^".clone_into(&mut text);
        }
        if arriving.is_empty() {
            self.push_line(text);
        }
        if let Some(visit) = self.flat.vertices[vertex].visit {
            // Half of the width, so that lanes have room beside it.
            self.push_line(shorten(&format!(" * {}", describe_visit(visit)), self.columns / 2));
        }
    }

    /// Appends the text lines of an edge that leads to the lane of `target`, one per label line.
    fn draw_lane_edge(&mut self, (target, stroke): (LaneTarget, Stroke), labels: &[&str]) {
        let lead = if stroke == Stroke::Solid { "   +--" } else { "   +.." };
        if labels.is_empty() {
            return self.push_lane_line(lead.to_owned(), target, LineEnd::Leaves, stroke);
        }
        for label in self.shorten_labels(labels) {
            self.push_lane_line(format!("{lead} {label} "), target, LineEnd::Leaves, stroke);
        }
    }

    /// Appends the text lines of an edge to the vertex directly below, which end in an arrow head.
    fn draw_straight_edge(&mut self, stroke: Stroke, labels: &[&str]) {
        let bar = if stroke == Stroke::Solid { "   |" } else { "   :" };
        if labels.is_empty() {
            self.push_line(bar.to_owned());
        }
        for label in self.shorten_labels(labels) {
            self.push_line(format!("{bar} {label}"));
        }
        self.push_line("   v".to_owned());
    }

    /// Returns the lines for the labels of one edge: all labels joined by `, ` if they fit into the name
    /// width, otherwise one shortened label per line.
    fn shorten_labels(&self, labels: &[&str]) -> Vec<String> {
        let joined = labels.join(", ");
        if labels.len() < 2 || joined.width() > self.width {
            return labels.iter().map(|label| shorten(&replace_controls(label), self.width)).collect();
        }
        vec![replace_controls(&joined)]
    }
}
