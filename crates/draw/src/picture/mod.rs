//! The layered picture of a graph: shapes with places, colours and words, which `svg.rs` writes down and a rasteriser may paint.
//!
//! In order of work: `item` knows how large each place is, `wire` which lines there are, `rank` puts the places into rows, `grid`
//! gives every line a cell in every row it passes, `order` sorts the rows so that few lines cross, `column` finds the places from
//! left to right, `route` bends the lines, `layout` runs all that and `paint` makes shapes of it. Sub-graphs are laid out first, each
//! on its own, and then count as one large place.

mod ink;
mod metrics;
mod svg;

mod item;
mod wire;

mod column;
mod grid;
mod order;
mod rank;
mod route;

mod layout;
mod paint;

use super::chart::Chart;
use layout::Layout;

pub use ink::{Ink, Line, Paint, Rgb, Role, Theme, Tone};
pub use metrics::{Face, character_width};

/// A drawing as shapes, from the lowest to the topmost. Lengths are in CSS pixels, y grows downwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// What it shows, in a few words.
    pub title: String,
    /// What it shows, in a line; may be empty.
    pub about: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

/// A part of a [`Picture`].
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Shapes that belong together, with the words a reader sees when pointing there.
    Group {
        /// The words.
        title: String,
        /// The shapes.
        shapes: Vec<Shape>,
    },
    /// A rectangle with rounded corners.
    Rect {
        /// Its upper left corner.
        at: Point,
        /// Its width.
        width: f64,
        /// Its height.
        height: f64,
        /// The radius of its corners.
        radius: f64,
        /// How it looks.
        ink: Ink,
    },
    /// A line or an area.
    Path {
        /// Its pieces, a [`Curve::Move`] first.
        curves: Vec<Curve>,
        /// How it looks.
        ink: Ink,
    },
    /// A line of text.
    Text {
        /// On the base line: the beginning or the middle of the text.
        at: Point,
        /// Which of them.
        anchor: Anchor,
        /// As wide as the layout takes it to be; it is squeezed or stretched to that.
        width: f64,
        /// The weight of the letters.
        face: Face,
        /// Their size.
        size: f64,
        /// The text, on one line.
        text: String,
        /// How it looks.
        ink: Ink,
    },
}

/// A place in a [`Picture`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// A piece of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Curve {
    /// Begins here.
    Move(Point),
    /// Straight to here.
    Line(Point),
    /// A cubic Bézier: two control points and the end.
    Cubic(Point, Point, Point),
    /// Back to where it began.
    Close,
}

/// What of a text stands at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its beginning.
    Start,
    /// Its middle.
    Middle,
}

pub(super) fn picture(chart: &Chart<'_>) -> Picture {
    paint::picture(chart, &Layout::of(chart))
}

fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}
