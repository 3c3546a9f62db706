//! The colours: what each part of a picture looks like, on a light and on a dark ground.

use super::super::tone;
use stategraph_core::Standing;

/// What a shape is, and how the run stands to it. Its look follows from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ink {
    /// What it is.
    pub role: Role,
    /// How the run stands to it.
    pub tone: Tone,
}

/// What a shape is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The ground of the picture.
    Ground,
    /// The ground of an opened sub-graph.
    Cluster,
    /// The ground behind a label in the outermost graph.
    Chip,
    /// The ground behind a label in a sub-graph.
    InnerChip,
    /// An edge.
    Edge(Line),
    /// The head of an edge.
    Head(Line),
    /// A node.
    Box,
    /// Where the run starts or ends.
    Pill,
    /// Where a sub-graph ends.
    Ring,
    /// Where a join meets.
    Bar,
    /// The word in a pill.
    PillText,
    /// The name of a node.
    Name,
    /// What a node is for.
    About,
    /// What the run did there.
    Visit,
    /// A label of an edge.
    Label(Line),
    /// What is said about the whole run.
    Caption,
}

/// How an edge is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// Always taken.
    Solid,
    /// Taken by choice.
    Dashed,
    /// Taken when the node says so.
    Dotted,
    /// Taken once for each item.
    Bold,
}

/// How a run stands to a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// No run is shown.
    Plain,
    /// The run was not here.
    Faded,
    /// The run was here.
    Run(Standing),
}

/// The ground for which colours are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// White.
    Light,
    /// Nearly black.
    Dark,
}

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// How a shape is painted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// The colour inside.
    pub fill: Option<Rgb>,
    /// The colour of the line.
    pub stroke: Option<Rgb>,
    /// The width of the line, in pixels.
    pub width: f64,
    /// The lengths of dash and gap, in pixels.
    pub dashes: Option<(f64, f64)>,
}

impl Ink {
    pub(super) fn plain(role: Role) -> Self {
        Self { role, tone: Tone::Plain }
    }

    /// How it is painted.
    pub fn paint(self, theme: Theme) -> Paint {
        let (light, dark) = self.colours();
        let (fill, stroke) = if theme == Theme::Light { light } else { dark };
        let width = match self.role {
            Role::Edge(Line::Bold) => 2.4,
            Role::Edge(_) if matches!(self.tone, Tone::Run(_)) => 2.0,
            Role::Box if matches!(self.tone, Tone::Run(_)) => 1.6,
            Role::Edge(_) => 1.4,
            Role::Ring => 2.0,
            _ => 1.2,
        };
        let dashes = match self.role {
            Role::Edge(Line::Dashed) => Some((6.0, 4.0)),
            Role::Edge(Line::Dotted) => Some((1.5, 4.0)),
            _ => None,
        };
        Paint { fill: fill.map(rgb), stroke: stroke.map(rgb), width, dashes }
    }

    /// Inside and line, on a light and on a dark ground.
    fn colours(self) -> (Pair, Pair) {
        match (self.role, self.tone) {
            (Role::Ground | Role::Chip | Role::PillText, _) => (fill("#ffffff"), fill("#0d1117")),
            (Role::InnerChip, _) => (fill("#f8fafc"), fill("#11161d")),
            (Role::Cluster, Tone::Run(standing)) => {
                (both("#f8fafc", tone::colours(standing).1), both("#11161d", dark(standing).1))
            }
            (Role::Cluster, _) => (both("#f8fafc", "#cbd5e1"), both("#11161d", "#30363d")),
            (Role::Box, Tone::Run(standing)) => {
                let (inside, border) = tone::colours(standing);
                let (dark_inside, dark_border) = dark(standing);
                (both(inside, border), both(dark_inside, dark_border))
            }
            (Role::Box, Tone::Plain) => (both("#f5f8ff", "#8fa3c7"), both("#161d2b", "#4d6489")),
            (Role::Box, Tone::Faded) => (both("#ffffff", "#d5dbe5"), both("#0f141b", "#2b323c")),
            (Role::Edge(line), tone) => {
                let (light, dark) = edge(line, tone);
                (stroke(light), stroke(dark))
            }
            (Role::Head(line) | Role::Label(line), tone) => {
                let (light, dark) = edge(line, tone);
                (fill(light), fill(dark))
            }
            (Role::Pill, _) => (fill("#334155"), fill("#c9d4e3")),
            (Role::Ring, _) => (stroke("#334155"), stroke("#c9d4e3")),
            (Role::Bar, _) => (fill("#64748b"), fill("#8b98a9")),
            (Role::Name | Role::About, Tone::Faded) => (fill("#94a0b0"), fill("#606b78")),
            (Role::Name, _) => (fill("#1e293b"), fill("#e6edf3")),
            (Role::Visit, Tone::Run(standing)) => (fill(tone::colours(standing).1), fill(dark(standing).1)),
            (Role::About | Role::Visit | Role::Caption, _) => (fill("#5b6879"), fill("#9aa6b4")),
        }
    }
}

type Pair = (Option<&'static str>, Option<&'static str>);

fn fill(colour: &'static str) -> Pair {
    (Some(colour), None)
}

fn stroke(colour: &'static str) -> Pair {
    (None, Some(colour))
}

fn both(inside: &'static str, border: &'static str) -> Pair {
    (Some(inside), Some(border))
}

/// An edge and its label, on a light and on a dark ground.
fn edge(line: Line, tone: Tone) -> (&'static str, &'static str) {
    match (tone, line) {
        (Tone::Run(_), _) => (tone::TAKEN, "#56d48e"),
        (Tone::Faded, _) => ("#c3cad5", "#3a434f"),
        (Tone::Plain, Line::Solid) => ("#64748b", "#8b98a9"),
        (Tone::Plain, Line::Dashed) => ("#6352c7", "#a99bff"),
        (Tone::Plain, Line::Dotted) => ("#b4530a", "#e3a062"),
        (Tone::Plain, Line::Bold) => ("#0f766e", "#4cc5b9"),
    }
}

/// Inside and border of a place on a dark ground.
fn dark(standing: Standing) -> (&'static str, &'static str) {
    match standing {
        Standing::Done => ("#10271b", "#56d48e"),
        Standing::Caught => ("#2e1a0d", "#f0965a"),
        Standing::Next => ("#0f2038", "#6cb0f5"),
        Standing::Waits => ("#2d220b", "#e9b949"),
        Standing::Failed => ("#331416", "#f28b82"),
    }
}

/// `#rrggbb` as a colour.
fn rgb(hex: &str) -> Rgb {
    let part = |at: usize| {
        hex.get(at..at + 2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
            .expect("the colours above have six digits")
    };
    Rgb(part(1), part(3), part(5))
}
