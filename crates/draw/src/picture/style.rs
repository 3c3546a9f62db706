//! Styles of shapes: colours, line widths and dashes by style class, on a light and on a dark background.

use super::super::palette;
use stategraph_core::VisitStatus;

/// Style class of a shape. Colours, line width and dashes follow from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StyleClass {
    /// Role of the shape in the picture.
    pub role: ShapeRole,
    /// Relation of the run to it.
    pub tone: VisitState,
}

/// Role of a shape in the picture, such as a box, an edge or a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShapeRole {
    /// Background of the picture.
    Ground,
    /// Background of an opened sub-graph.
    Cluster,
    /// Background of a label in the outermost graph.
    Chip,
    /// Background of a label in a sub-graph.
    InnerChip,
    /// An edge.
    Edge(LineStyle),
    /// The arrow head of an edge.
    Head(LineStyle),
    /// The box of a node.
    Box,
    /// `START` or `END` of the outermost graph, `START` of a sub-graph.
    Pill,
    /// `END` of a sub-graph.
    Ring,
    /// The bar where the edges of a join meet.
    Bar,
    /// The text in a pill.
    PillText,
    /// The name of a node.
    Name,
    /// The description of a node.
    About,
    /// The visits of the run at a node.
    Visit,
    /// A label of an edge.
    Label(LineStyle),
    /// The caption of the whole run.
    Caption,
}

/// Line style of an edge, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineStyle {
    /// A static edge, or an edge of a join.
    Solid,
    /// A conditional edge.
    Dashed,
    /// A `goto`.
    Dotted,
    /// A fan-out.
    Bold,
}

/// State of a shape with respect to the run that is shown; selects its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum VisitState {
    /// No run is shown.
    Plain,
    /// The run did not visit the shape.
    Faded,
    /// The run visited the shape.
    Run(VisitStatus),
}

/// Colour theme of the page on which the picture is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// A white background.
    Light,
    /// A nearly black background.
    Dark,
}

/// An sRGB colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Resolved colours and line style of a shape, for one theme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Colour of the inside; `None` leaves it transparent.
    pub fill: Option<Rgb>,
    /// Colour of the line; `None` draws none.
    pub stroke: Option<Rgb>,
    /// Width of the line, in pixels.
    pub width: f64,
    /// Lengths of dash and gap in pixels; `None` for a solid line.
    pub dashes: Option<(f64, f64)>,
}

impl StyleClass {
    pub(super) fn plain(role: ShapeRole) -> Self {
        Self { role, tone: VisitState::Plain }
    }

    /// Returns the colours and the line of this class for a theme.
    pub fn style(self, theme: Theme) -> Style {
        let (light, dark) = self.colours();
        let (fill, stroke) = if theme == Theme::Light { light } else { dark };
        let width = match self.role {
            ShapeRole::Edge(LineStyle::Bold) => 2.4,
            ShapeRole::Edge(_) if matches!(self.tone, VisitState::Run(_)) => 2.0,
            ShapeRole::Box if matches!(self.tone, VisitState::Run(_)) => 1.6,
            ShapeRole::Edge(_) => 1.4,
            ShapeRole::Ring => 2.0,
            _ => 1.2,
        };
        let dashes = match self.role {
            ShapeRole::Edge(LineStyle::Dashed) => Some((6.0, 4.0)),
            ShapeRole::Edge(LineStyle::Dotted) => Some((1.5, 4.0)),
            _ => None,
        };
        Style { fill: fill.map(rgb), stroke: stroke.map(rgb), width, dashes }
    }

    /// Returns the fill and stroke for a light background, then those for a dark one.
    fn colours(self) -> (FillAndStroke, FillAndStroke) {
        match (self.role, self.tone) {
            (ShapeRole::Ground | ShapeRole::Chip | ShapeRole::PillText, _) => {
                (fill("#ffffff"), fill("#0d1117"))
            }
            (ShapeRole::InnerChip, _) => (fill("#f8fafc"), fill("#11161d")),
            (ShapeRole::Cluster, VisitState::Run(standing)) => {
                (both("#f8fafc", palette::fill_and_stroke(standing).1), both("#11161d", dark(standing).1))
            }
            (ShapeRole::Cluster, _) => (both("#f8fafc", "#cbd5e1"), both("#11161d", "#30363d")),
            (ShapeRole::Box, VisitState::Run(standing)) => {
                let (inside, border) = palette::fill_and_stroke(standing);
                let (dark_inside, dark_border) = dark(standing);
                (both(inside, border), both(dark_inside, dark_border))
            }
            (ShapeRole::Box, VisitState::Plain) => (both("#f5f8ff", "#8fa3c7"), both("#161d2b", "#4d6489")),
            (ShapeRole::Box, VisitState::Faded) => (both("#ffffff", "#d5dbe5"), both("#0f141b", "#2b323c")),
            (ShapeRole::Edge(line), tone) => {
                let (light, dark) = edge(line, tone);
                (stroke(light), stroke(dark))
            }
            (ShapeRole::Head(line) | ShapeRole::Label(line), tone) => {
                let (light, dark) = edge(line, tone);
                (fill(light), fill(dark))
            }
            (ShapeRole::Pill, _) => (fill("#334155"), fill("#c9d4e3")),
            (ShapeRole::Ring, _) => (stroke("#334155"), stroke("#c9d4e3")),
            (ShapeRole::Bar, _) => (fill("#64748b"), fill("#8b98a9")),
            (ShapeRole::Name | ShapeRole::About, VisitState::Faded) => (fill("#94a0b0"), fill("#606b78")),
            (ShapeRole::Name, _) => (fill("#1e293b"), fill("#e6edf3")),
            (ShapeRole::Visit, VisitState::Run(standing)) => {
                (fill(palette::fill_and_stroke(standing).1), fill(dark(standing).1))
            }
            (ShapeRole::About | ShapeRole::Visit | ShapeRole::Caption, _) => {
                (fill("#5b6879"), fill("#9aa6b4"))
            }
        }
    }
}

/// Fill and stroke as `#rrggbb`; `None` for no fill or no stroke.
type FillAndStroke = (Option<&'static str>, Option<&'static str>);

fn fill(colour: &'static str) -> FillAndStroke {
    (Some(colour), None)
}

fn stroke(colour: &'static str) -> FillAndStroke {
    (None, Some(colour))
}

fn both(inside: &'static str, border: &'static str) -> FillAndStroke {
    (Some(inside), Some(border))
}

/// Returns the colour of an edge and of its label: first for a light, then for a dark background.
fn edge(line: LineStyle, tone: VisitState) -> (&'static str, &'static str) {
    match (tone, line) {
        (VisitState::Run(_), _) => (palette::TAKEN, "#56d48e"),
        (VisitState::Faded, _) => ("#c3cad5", "#3a434f"),
        (VisitState::Plain, LineStyle::Solid) => ("#64748b", "#8b98a9"),
        (VisitState::Plain, LineStyle::Dashed) => ("#6352c7", "#a99bff"),
        (VisitState::Plain, LineStyle::Dotted) => ("#b4530a", "#e3a062"),
        (VisitState::Plain, LineStyle::Bold) => ("#0f766e", "#4cc5b9"),
    }
}

/// Returns the fill and the stroke of a node with this status, for a dark background.
fn dark(standing: VisitStatus) -> (&'static str, &'static str) {
    match standing {
        VisitStatus::Done => ("#10271b", "#56d48e"),
        VisitStatus::Caught => ("#2e1a0d", "#f0965a"),
        VisitStatus::Next => ("#0f2038", "#6cb0f5"),
        VisitStatus::Waits => ("#2d220b", "#e9b949"),
        VisitStatus::Failed => ("#331416", "#f28b82"),
    }
}

/// Parses a colour of the form `#rrggbb`. Panics on any other text.
fn rgb(hex: &str) -> Rgb {
    let part = |at: usize| {
        hex.get(at..at + 2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
            .expect("the colours above have six digits")
    };
    Rgb(part(1), part(3), part(5))
}
