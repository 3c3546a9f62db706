//! Turns a layout into shapes. Edges lie below boxes, labels above edges.

use super::super::chart::{Chart, Multiplicity, Vertex, VertexKind};
use super::super::text::{describe_run, replace_controls};
use super::edge::LayoutEdge;
use super::layout::Layout;
use super::metrics::{FontWeight, text_width};
use super::node::{
    ABOUT_LINE, ABOUT_SIZE, CLUSTER_PADDING, LayoutNode, NAME_LINE, NAME_SIZE, NodeShape, NodeText,
    STACK_OFFSET, TOP_PADDING, to_f64,
};
use super::route::{EdgePath, LabelSpot};
use super::style::{ShapeRole, StyleClass, VisitState};
use super::{Anchor, PathSegment, Picture, PictureShape, Point, point};
use stategraph_core::VisitStatus;

/// Margin around the drawing.
const MARGIN: f64 = 24.0;
/// Height of the caption of a run.
const CAPTION_HEIGHT: f64 = 28.0;

/// Turns a layout into a picture: background, edges, nodes, labels, and the caption of the run if there is
/// one.
pub(super) fn paint(chart: &Chart<'_>, layout: &Layout<'_>) -> Picture {
    let caption_text = chart.run.map(describe_run);
    let below = if caption_text.is_some() { CAPTION_HEIGHT } else { 0.0 };
    let caption_width = caption_text
        .as_ref()
        .map_or(0.0, |caption_text| text_width(caption_text, FontWeight::Regular, ABOUT_SIZE));
    let inside = layout.width.max(caption_width);
    let (width, height) = ((inside + 2.0 * MARGIN).ceil(), (layout.height + below + 2.0 * MARGIN).ceil());
    let ground = PictureShape::Rect {
        at: point(0.0, 0.0),
        width,
        height,
        radius: 8.0,
        class: StyleClass::plain(ShapeRole::Ground),
    };
    let mut canvas = ShapeCanvas { shapes: vec![ground], run: false };
    canvas.paint_layout(layout, point(MARGIN + (inside - layout.width) / 2.0, MARGIN));
    if let Some(caption_text) = caption_text {
        let at = point(MARGIN, height - MARGIN + 4.0);
        canvas.push_text(
            at,
            Anchor::Start,
            (FontWeight::Regular, ABOUT_SIZE),
            &caption_text,
            StyleClass::plain(ShapeRole::Caption),
        );
    }
    Picture {
        width,
        height,
        title: replace_controls(&chart.graph.name),
        about: replace_controls(&chart.graph.about),
        shapes: canvas.shapes,
    }
}

/// List of the shapes painted so far, the lowest first.
struct ShapeCanvas {
    shapes: Vec<PictureShape>,
    /// True if the path of a run is shown in the graph that is being painted.
    run: bool,
}

impl ShapeCanvas {
    /// Appends the shapes of a layout whose upper left corner is at `origin`. The lowest are its edges;
    /// labels lie on top.
    fn paint_layout(&mut self, layout: &Layout<'_>, origin: Point) {
        let outer_run = std::mem::replace(&mut self.run, layout.run);
        let mut lines: Vec<(&LayoutEdge, &EdgePath)> = layout.edges.iter().zip(&layout.paths).collect();
        // The path of the run is painted last, so that it lies on top.
        lines.sort_by_key(|(edge, _)| edge.taken > 0);
        for (edge, path) in &lines {
            self.paint_edge(edge, path, origin);
        }
        for node in &layout.nodes {
            self.paint_node(node, origin);
        }
        let chip = if layout.depth == 0 { ShapeRole::Chip } else { ShapeRole::InnerChip };
        for (edge, path) in &lines {
            self.paint_labels(edge, path, origin, chip);
        }
        self.run = outer_run;
    }

    /// Returns the tone of an edge that the run took `taken` times; plain if no run is shown.
    fn edge_tone(&self, taken: u64) -> VisitState {
        match (self.run, taken) {
            (false, _) => VisitState::Plain,
            (true, 0) => VisitState::Faded,
            (true, _) => VisitState::Run(VisitStatus::Done),
        }
    }

    /// Appends the line and arrow head of an edge, as a group with a tooltip.
    fn paint_edge(&mut self, edge: &LayoutEdge, path: &EdgePath, origin: Point) {
        let tone = self.edge_tone(edge.taken);
        let segments = path.segments.iter().map(|curve| shift(*curve, origin)).collect();
        let mut shapes = vec![PictureShape::Path {
            segments,
            class: StyleClass { role: ShapeRole::Edge(edge.line), tone },
        }];
        if let Some([tip, left, right]) = path.head {
            let segments = [
                PathSegment::Move(tip),
                PathSegment::Line(left),
                PathSegment::Line(right),
                PathSegment::Close,
            ];
            let segments = segments.into_iter().map(|curve| shift(curve, origin)).collect();
            shapes.push(PictureShape::Path {
                segments,
                class: StyleClass { role: ShapeRole::Head(edge.line), tone },
            });
        }
        let taken = if edge.taken > 0 { format!(" ({} taken)", edge.taken) } else { String::new() };
        self.shapes.push(PictureShape::Group { title: format!("{}{taken}", edge.title), shapes });
    }

    /// Appends the labels of an edge, on a background with the role `chip` if they lie on the edge.
    fn paint_labels(&mut self, edge: &LayoutEdge, path: &EdgePath, origin: Point, chip: ShapeRole) {
        let Some(spot) = path.label else { return };
        let (at, anchor) = match spot {
            LabelSpot::Middle(at) => (add(at, origin), Anchor::Middle),
            LabelSpot::Start(at) => (add(at, origin), Anchor::Start),
        };
        let height = ABOUT_LINE * to_f64(edge.label_lines.len());
        if anchor == Anchor::Middle {
            let width = edge.label_width() + 8.0;
            let at = point(at.x - width / 2.0, at.y - height / 2.0);
            self.shapes.push(PictureShape::Rect {
                at,
                width,
                height,
                radius: 4.0,
                class: StyleClass::plain(chip),
            });
        }
        let class = StyleClass { role: ShapeRole::Label(edge.line), tone: self.edge_tone(edge.taken) };
        for (number, label) in edge.label_lines.iter().enumerate() {
            let base = at.y - height / 2.0 + ABOUT_LINE * (to_f64(number) + 0.5) + ABOUT_SIZE * 0.35;
            self.push_text(point(at.x, base), anchor, (FontWeight::Regular, ABOUT_SIZE), label, class);
        }
    }

    /// Appends the shapes of a node: a box, a pill, a join bar, or an opened sub-graph with everything
    /// inside.
    fn paint_node(&mut self, node: &LayoutNode<'_>, origin: Point) {
        let corner = add(point(node.left(), node.top()), origin);
        match &node.shape {
            NodeShape::JoinBar { taken } => {
                let class = StyleClass { role: ShapeRole::Bar, tone: self.edge_tone(*taken) };
                let bar = rect(corner, node.width, node.height, 2.5, class);
                self.shapes.push(PictureShape::Group {
                    title: "all of these have come".to_owned(),
                    shapes: vec![bar],
                });
            }
            NodeShape::Vertex(vertex, words) => match vertex.kind {
                VertexKind::Node => self.paint_box(vertex, words, node, corner),
                kind => self.paint_pill(kind, node, add(node.at, origin), words),
            },
            NodeShape::Cluster(vertex, words, inner) => {
                let class = StyleClass { role: ShapeRole::Cluster, tone: self.vertex_tone(vertex) };
                self.shapes.push(PictureShape::Group {
                    title: describe_vertex(vertex),
                    shapes: vec![rect(corner, node.width, node.height, 12.0, class)],
                });
                self.paint_node_text(
                    words,
                    vertex,
                    point(corner.x + node.width / 2.0, corner.y + TOP_PADDING),
                );
                let below = words.height() + 2.0 * TOP_PADDING;
                let left = corner.x + (node.width - inner.width) / 2.0;
                let spare = node.height - below - inner.height - CLUSTER_PADDING;
                self.paint_layout(inner, point(left, corner.y + below + spare / 2.0));
            }
        }
    }

    /// Appends the box of a node with its text; a node that runs once per item gets a second box behind it.
    fn paint_box(&mut self, vertex: &Vertex<'_>, words: &NodeText, node: &LayoutNode<'_>, corner: Point) {
        let class = StyleClass { role: ShapeRole::Box, tone: self.vertex_tone(vertex) };
        let mut shapes = Vec::new();
        let more = if vertex.multiplicity == Multiplicity::PerItem { STACK_OFFSET } else { 0.0 };
        let (width, height) = (node.width - more, node.height - more);
        if vertex.multiplicity == Multiplicity::PerItem {
            shapes.push(rect(add(corner, point(more, more)), width, height, 9.0, class));
        }
        shapes.push(rect(corner, width, height, 9.0, class));
        let first = self.shapes.len();
        let top = corner.y + (height - words.height()) / 2.0;
        self.paint_node_text(words, vertex, point(corner.x + width / 2.0, top));
        shapes.extend(self.shapes.split_off(first));
        self.shapes.push(PictureShape::Group { title: describe_vertex(vertex), shapes });
    }

    /// Appends the name, description and visits of a node, centred, with `top` as the middle of the upper
    /// border.
    fn paint_node_text(&mut self, words: &NodeText, vertex: &Vertex<'_>, top: Point) {
        let tone =
            if self.vertex_tone(vertex) == VisitState::Faded { VisitState::Faded } else { VisitState::Plain };
        let mut y = top.y + NAME_LINE / 2.0 + NAME_SIZE * 0.35;
        for line in &words.name {
            let class = StyleClass { role: ShapeRole::Name, tone };
            self.push_text(point(top.x, y), Anchor::Middle, (FontWeight::SemiBold, NAME_SIZE), line, class);
            y += NAME_LINE;
        }
        y = top.y + NAME_LINE * to_f64(words.name.len()) + ABOUT_LINE / 2.0 + ABOUT_SIZE * 0.35;
        for line in &words.about {
            let class = StyleClass { role: ShapeRole::About, tone };
            self.push_text(point(top.x, y), Anchor::Middle, (FontWeight::Regular, ABOUT_SIZE), line, class);
            y += ABOUT_LINE;
        }
        if let Some(visit) = &words.visit {
            let class = StyleClass { role: ShapeRole::Visit, tone: self.vertex_tone(vertex) };
            self.push_text(point(top.x, y), Anchor::Middle, (FontWeight::Regular, ABOUT_SIZE), visit, class);
        }
    }

    /// Paints `START` or `END`: a pill in the outermost graph, a disc or a ring inside a sub-graph.
    fn paint_pill(&mut self, kind: VertexKind, node: &LayoutNode<'_>, at: Point, words: &NodeText) {
        let corner = |by: f64| point(at.x - node.width / 2.0 + by, at.y - node.height / 2.0 + by);
        let whole =
            |role| rect(corner(0.0), node.width, node.height, node.height / 2.0, StyleClass::plain(role));
        let name = words.name.join(" ");
        let inner = node.width < 20.0;
        let mut shapes =
            vec![whole(if inner && kind == VertexKind::End { ShapeRole::Ring } else { ShapeRole::Pill })];
        if inner && kind == VertexKind::End {
            let size = node.width - 7.0;
            shapes.push(rect(corner(3.5), size, size, size / 2.0, StyleClass::plain(ShapeRole::Pill)));
        }
        let first = self.shapes.len();
        if !inner {
            let base = point(at.x, at.y + ABOUT_SIZE * 0.36);
            let class = StyleClass::plain(ShapeRole::PillText);
            self.push_text(base, Anchor::Middle, (FontWeight::SemiBold, ABOUT_SIZE), &name, class);
        }
        shapes.extend(self.shapes.split_off(first));
        self.shapes.push(PictureShape::Group { title: name, shapes });
    }

    /// Returns the tone of a vertex by its visits; plain if no run is shown.
    fn vertex_tone(&self, vertex: &Vertex<'_>) -> VisitState {
        match (self.run, vertex.standing()) {
            (false, _) => VisitState::Plain,
            (true, None) => VisitState::Faded,
            (true, Some(standing)) => VisitState::Run(standing),
        }
    }

    /// Appends a line of text to the shapes.
    fn push_text(
        &mut self,
        at: Point,
        anchor: Anchor,
        (face, size): (FontWeight, f64),
        text: &str,
        class: StyleClass,
    ) {
        let width = text_width(text, face, size);
        self.shapes.push(PictureShape::Text { at, anchor, width, face, size, text: text.to_owned(), class });
    }
}

/// Returns the tooltip of a vertex: its full name, its description, and the error of the run there, if any.
fn describe_vertex(vertex: &Vertex<'_>) -> String {
    let mut title = replace_controls(vertex.name);
    if !vertex.about.is_empty() {
        title = format!("{title}: {}", replace_controls(vertex.about));
    }
    if let Some(error) = vertex.visit.and_then(|visit| visit.error.as_ref()) {
        title = format!("{title}\n{error}");
    }
    title
}

fn rect(at: Point, width: f64, height: f64, radius: f64, class: StyleClass) -> PictureShape {
    PictureShape::Rect { at, width, height, radius, class }
}

fn add(a: Point, b: Point) -> Point {
    point(a.x + b.x, a.y + b.y)
}

/// Moves all points of a segment by an offset.
fn shift(curve: PathSegment, by: Point) -> PathSegment {
    match curve {
        PathSegment::Move(to) => PathSegment::Move(add(to, by)),
        PathSegment::Line(to) => PathSegment::Line(add(to, by)),
        PathSegment::Cubic(first, second, to) => {
            PathSegment::Cubic(add(first, by), add(second, by), add(to, by))
        }
        PathSegment::Close => PathSegment::Close,
    }
}
