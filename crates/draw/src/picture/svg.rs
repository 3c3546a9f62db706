//! A picture as SVG. Classes carry the colours, so that one text serves light and dark readers; every text and title is escaped.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::ink::{Ink, Line, Role, Theme, Tone};
use super::metrics::Face;
use super::{Anchor, Curve, Picture, Point, Shape};
use crate::tone;

/// The letters, the one that the layout was measured with first.
const FONTS: &str = "Inter,-apple-system,'Segoe UI',Helvetica,Arial,'Liberation Sans',sans-serif";

impl Picture {
    /// The picture as SVG: one colour scheme for light pages and one for dark ones, which the reader's system chooses.
    pub fn svg(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a string takes all that is written to it");
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let (width, height) = (Px(self.width), Px(self.height));
        write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" ")?;
        writeln!(out, "viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONTS}\">")?;
        writeln!(out, "<title>{}</title>", Escaped(&self.title))?;
        if !self.about.is_empty() {
            writeln!(out, "<desc>{}</desc>", Escaped(&self.about))?;
        }
        let mut inks = BTreeSet::new();
        self.shapes.iter().for_each(|shape| collect(shape, &mut inks));
        writeln!(out, "<style>")?;
        inks.iter().try_for_each(|ink| rule(out, *ink, Theme::Light))?;
        writeln!(out, "@media (prefers-color-scheme: dark) {{")?;
        inks.iter().try_for_each(|ink| rule(out, *ink, Theme::Dark))?;
        writeln!(out, "}}\n</style>")?;
        self.shapes.iter().try_for_each(|shape| draw(out, shape))?;
        writeln!(out, "</svg>")
    }
}

fn collect(shape: &Shape, inks: &mut BTreeSet<Ink>) {
    match shape {
        Shape::Group { shapes, .. } => shapes.iter().for_each(|shape| collect(shape, inks)),
        Shape::Rect { ink, .. } | Shape::Path { ink, .. } | Shape::Text { ink, .. } => {
            inks.insert(*ink);
        }
    }
}

/// The colours of a class; what does not depend on the ground is said once, with the light ones.
fn rule(out: &mut String, ink: Ink, theme: Theme) -> fmt::Result {
    let paint = ink.paint(theme);
    let colour = |colour: Option<super::Rgb>| match colour {
        Some(super::Rgb(r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
        None => "none".to_owned(),
    };
    write!(out, ".{} {{ fill: {}", Class(ink), colour(paint.fill))?;
    if paint.stroke.is_some() {
        write!(out, "; stroke: {}", colour(paint.stroke))?;
        if theme == Theme::Light {
            write!(out, "; stroke-width: {}", Px(paint.width))?;
        }
    }
    if let (Some((dash, gap)), Theme::Light) = (paint.dashes, theme) {
        write!(out, "; stroke-dasharray: {} {}; stroke-linecap: round", Px(dash), Px(gap))?;
    }
    writeln!(out, " }}")
}

fn draw(out: &mut String, shape: &Shape) -> fmt::Result {
    match shape {
        Shape::Group { title, shapes } => {
            writeln!(out, "<g><title>{}</title>", Escaped(title))?;
            shapes.iter().try_for_each(|shape| draw(out, shape))?;
            writeln!(out, "</g>")
        }
        Shape::Rect { at, width, height, radius, ink } => writeln!(
            out,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            Class(*ink),
            Px(at.x),
            Px(at.y),
            Px(*width),
            Px(*height),
            Px(*radius)
        ),
        Shape::Path { curves, ink } => {
            write!(out, "<path class=\"{}\" d=\"", Class(*ink))?;
            curves.iter().try_for_each(|curve| piece(out, curve))?;
            writeln!(out, "\"/>")
        }
        Shape::Text { at, anchor, width, face, size, text, ink } => {
            write!(out, "<text class=\"{}\" x=\"{}\" y=\"{}\"", Class(*ink), Px(at.x), Px(at.y))?;
            write!(out, " font-size=\"{}\" textLength=\"{}\"", Px(*size), Px(*width))?;
            write!(out, " lengthAdjust=\"spacingAndGlyphs\"")?;
            if *face == Face::SemiBold {
                write!(out, " font-weight=\"600\"")?;
            }
            if *anchor == Anchor::Middle {
                write!(out, " text-anchor=\"middle\"")?;
            }
            writeln!(out, ">{}</text>", Escaped(text))
        }
    }
}

fn piece(out: &mut String, curve: &Curve) -> fmt::Result {
    let at =
        |out: &mut String, letter: &str, Point { x, y }: Point| write!(out, "{letter}{} {}", Px(x), Px(y));
    match *curve {
        Curve::Move(to) => at(out, "M", to),
        Curve::Line(to) => at(out, "L", to),
        Curve::Cubic(first, second, to) => {
            at(out, "C", first)?;
            at(out, " ", second)?;
            at(out, " ", to)
        }
        Curve::Close => out.write_str("Z"),
    }
}

/// A length, to a tenth of a pixel.
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A zero has no sign.
        let tenths = (self.0 * 10.0).round() + 0.0;
        if tenths % 10.0 == 0.0 {
            write!(f, "{:.0}", tenths / 10.0)
        } else {
            write!(f, "{:.1}", tenths / 10.0)
        }
    }
}

/// The class of an ink.
struct Class(Ink);

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |line: Line| match line {
            Line::Solid => "solid",
            Line::Dashed => "dashed",
            Line::Dotted => "dotted",
            Line::Bold => "bold",
        };
        match self.0.role {
            Role::Ground => f.write_str("sg-ground"),
            Role::Cluster => f.write_str("sg-cluster"),
            Role::Chip => f.write_str("sg-chip"),
            Role::InnerChip => f.write_str("sg-chip-inner"),
            Role::Edge(kind) => write!(f, "sg-edge-{}", line(kind)),
            Role::Head(kind) => write!(f, "sg-head-{}", line(kind)),
            Role::Label(kind) => write!(f, "sg-label-{}", line(kind)),
            Role::Box => f.write_str("sg-box"),
            Role::Pill => f.write_str("sg-pill"),
            Role::Ring => f.write_str("sg-ring"),
            Role::Bar => f.write_str("sg-bar"),
            Role::PillText => f.write_str("sg-pill-text"),
            Role::Name => f.write_str("sg-name"),
            Role::About => f.write_str("sg-about"),
            Role::Visit => f.write_str("sg-visit"),
            Role::Caption => f.write_str("sg-caption"),
        }?;
        match self.0.tone {
            Tone::Plain => Ok(()),
            Tone::Faded => f.write_str("-faded"),
            Tone::Run(standing) => write!(f, "-{}", tone::class(standing)),
        }
    }
}

/// Text that cannot end an element or an attribute, nor hold what XML 1.0 forbids.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\n' => f.write_char(c),
            '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}'),
            c if c.is_control() => f.write_char(' '),
            c => f.write_char(c),
        })
    }
}
