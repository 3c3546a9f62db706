//! The layered picture of a graph: shapes with positions, style classes and texts. `svg.rs` writes them as SVG; a rasteriser may paint
//! them.
//!
//! In order of work: `node` measures the nodes, `edge` collects the edges that are drawn, `rank` assigns nodes to rows, `spokes` finds the
//! workers of supervisors, `grid` gives every edge a cell in each row that it passes, `order` sorts the rows so that few edges cross,
//! `column` assigns x coordinates (these are the steps of Sugiyama's method), `route` draws the edges, `layout` runs all steps, and
//! `paint` turns the layout into shapes. The inside of an opened sub-graph is laid out first and then counts as one large node.

mod metrics;
mod style;
mod svg;

mod edge;
mod node;

mod column;
mod grid;
mod order;
mod rank;
mod route;
mod spokes;

mod layout;
mod paint;

use super::chart::Chart;
use layout::Layout;

pub use metrics::{FontWeight, character_width};
pub use style::{LineStyle, Rgb, ShapeRole, Style, StyleClass, Theme, VisitState};

/// A drawing as shapes, the lowest first. Lengths are in CSS pixels, y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Width of the canvas.
    pub width: f64,
    /// Height of the canvas.
    pub height: f64,
    /// Name of the graph.
    pub title: String,
    /// Description of the graph in one line; may be empty.
    pub about: String,
    /// The shapes, the lowest first.
    pub shapes: Vec<PictureShape>,
}

/// A shape of a [`Picture`], or a group of shapes.
#[derive(Debug, Clone, PartialEq)]
pub enum PictureShape {
    /// Shapes that belong together, such as the box and the texts of a node.
    Group {
        /// Tooltip of the group, and its name for screen readers.
        title: String,
        /// The shapes.
        shapes: Vec<PictureShape>,
    },
    /// A rectangle with rounded corners.
    Rect {
        /// Its upper left corner.
        at: Point,
        /// Its width.
        width: f64,
        /// Its height.
        height: f64,
        /// Radius of its corners.
        radius: f64,
        /// Style class, from which its colours follow.
        class: StyleClass,
    },
    /// A line, or an area with a border.
    Path {
        /// Its segments; the first is a [`PathSegment::Move`].
        segments: Vec<PathSegment>,
        /// Style class, from which its colours follow.
        class: StyleClass,
    },
    /// A line of text.
    Text {
        /// Point on the base line.
        at: Point,
        /// Part of the text that is at the point.
        anchor: Anchor,
        /// Width that the layout reserves; the text is scaled to it.
        width: f64,
        /// Weight of the letters.
        face: FontWeight,
        /// Font size.
        size: f64,
        /// The text, on one line.
        text: String,
        /// Style class, from which its colours follow.
        class: StyleClass,
    },
}

/// A point of a [`Picture`], in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the upper edge.
    pub y: f64,
}

/// A segment of a path, from the end of the segment before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PathSegment {
    /// Starts the path at this point.
    Move(Point),
    /// A straight line to this point.
    Line(Point),
    /// A cubic Bézier curve: two control points and the end.
    Cubic(Point, Point, Point),
    /// A straight line back to the start.
    Close,
}

/// Horizontal alignment of a text: its beginning or its middle lies at the given point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The beginning.
    Start,
    /// The middle.
    Middle,
}

/// Computes the layout of a chart and returns it as a picture of shapes.
pub(super) fn lay_out_and_paint(chart: &Chart<'_>) -> Picture {
    paint::paint(chart, &Layout::new(chart))
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}
