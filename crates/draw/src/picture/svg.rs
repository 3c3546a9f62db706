//! Writes a picture as SVG. Colours are in CSS classes, so that one file serves light and dark pages. Texts and titles are escaped.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::metrics::FontWeight;
use super::style::{LineStyle, ShapeRole, StyleClass, Theme, VisitState};
use super::{Anchor, PathSegment, Picture, PictureShape, Point};
use crate::palette;

/// Font families. Inter is first, because the layout is measured with its widths.
const FONTS: &str = "Inter,-apple-system,'Segoe UI',Helvetica,Arial,'Liberation Sans',sans-serif";

impl Picture {
    /// Returns the picture as SVG. Its CSS holds a light and a dark theme; the reader's colour scheme
    /// selects one.
    pub fn svg(&self) -> String {
        let mut out = String::new();
        self.write(&mut out).expect("a string takes all that is written to it");
        out
    }

    /// Writes the whole SVG document.
    fn write(&self, out: &mut String) -> fmt::Result {
        let (width, height) = (Px(self.width), Px(self.height));
        write!(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" ")?;
        writeln!(out, "viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FONTS}\">")?;
        writeln!(out, "<title>{}</title>", Escaped(&self.title))?;
        if !self.about.is_empty() {
            writeln!(out, "<desc>{}</desc>", Escaped(&self.about))?;
        }
        let mut classes = BTreeSet::new();
        self.shapes.iter().for_each(|shape| collect_classes(shape, &mut classes));
        writeln!(out, "<style>")?;
        classes.iter().try_for_each(|class| write_rule(out, *class, Theme::Light))?;
        writeln!(out, "@media (prefers-color-scheme: dark) {{")?;
        classes.iter().try_for_each(|class| write_rule(out, *class, Theme::Dark))?;
        writeln!(out, "}}\n</style>")?;
        self.shapes.iter().try_for_each(|shape| write_shape(out, shape))?;
        writeln!(out, "</svg>")
    }
}

/// Adds the style classes of a shape and of the shapes inside it to `classes`.
fn collect_classes(shape: &PictureShape, classes: &mut BTreeSet<StyleClass>) {
    match shape {
        PictureShape::Group { shapes, .. } => shapes.iter().for_each(|shape| collect_classes(shape, classes)),
        PictureShape::Rect { class, .. }
        | PictureShape::Path { class, .. }
        | PictureShape::Text { class, .. } => {
            classes.insert(*class);
        }
    }
}

/// Writes the CSS rule of a class for a theme. Line widths and dashes are the same in both themes, so only
/// the rules of the light theme contain them.
fn write_rule(out: &mut String, class: StyleClass, theme: Theme) -> fmt::Result {
    let style = class.style(theme);
    let colour = |colour: Option<super::Rgb>| match colour {
        Some(super::Rgb(r, g, b)) => format!("#{r:02x}{g:02x}{b:02x}"),
        None => "none".to_owned(),
    };
    write!(out, ".{} {{ fill: {}", CssClass(class), colour(style.fill))?;
    if style.stroke.is_some() {
        write!(out, "; stroke: {}", colour(style.stroke))?;
        if theme == Theme::Light {
            write!(out, "; stroke-width: {}", Px(style.width))?;
        }
    }
    if let (Some((dash, gap)), Theme::Light) = (style.dashes, theme) {
        write!(out, "; stroke-dasharray: {} {}; stroke-linecap: round", Px(dash), Px(gap))?;
    }
    writeln!(out, " }}")
}

/// Writes a shape, and the shapes inside a group.
fn write_shape(out: &mut String, shape: &PictureShape) -> fmt::Result {
    match shape {
        PictureShape::Group { title, shapes } => {
            writeln!(out, "<g><title>{}</title>", Escaped(title))?;
            shapes.iter().try_for_each(|shape| write_shape(out, shape))?;
            writeln!(out, "</g>")
        }
        PictureShape::Rect { at, width, height, radius, class } => writeln!(
            out,
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            CssClass(*class),
            Px(at.x),
            Px(at.y),
            Px(*width),
            Px(*height),
            Px(*radius)
        ),
        PictureShape::Path { segments, class } => {
            write!(out, "<path class=\"{}\" d=\"", CssClass(*class))?;
            segments.iter().try_for_each(|curve| write_segment(out, curve))?;
            writeln!(out, "\"/>")
        }
        PictureShape::Text { at, anchor, width, face, size, text, class } => {
            write!(out, "<text class=\"{}\" x=\"{}\" y=\"{}\"", CssClass(*class), Px(at.x), Px(at.y))?;
            write!(out, " font-size=\"{}\" textLength=\"{}\"", Px(*size), Px(*width))?;
            write!(out, " lengthAdjust=\"spacingAndGlyphs\"")?;
            if *face == FontWeight::SemiBold {
                write!(out, " font-weight=\"600\"")?;
            }
            if *anchor == Anchor::Middle {
                write!(out, " text-anchor=\"middle\"")?;
            }
            writeln!(out, ">{}</text>", Escaped(text))
        }
    }
}

fn write_segment(out: &mut String, curve: &PathSegment) -> fmt::Result {
    let at =
        |out: &mut String, letter: &str, Point { x, y }: Point| write!(out, "{letter}{} {}", Px(x), Px(y));
    match *curve {
        PathSegment::Move(to) => at(out, "M", to),
        PathSegment::Line(to) => at(out, "L", to),
        PathSegment::Cubic(first, second, to) => {
            at(out, "C", first)?;
            at(out, " ", second)?;
            at(out, " ", to)
        }
        PathSegment::Close => out.write_str("Z"),
    }
}

/// A length, displayed with a precision of a tenth of a pixel.
struct Px(f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0.0 turns -0.0 into 0.0.
        let tenths = (self.0 * 10.0).round() + 0.0;
        if tenths % 10.0 == 0.0 {
            write!(f, "{:.0}", tenths / 10.0)
        } else {
            write!(f, "{:.1}", tenths / 10.0)
        }
    }
}

/// A style class, displayed as the name of a CSS class.
struct CssClass(StyleClass);

impl fmt::Display for CssClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |line: LineStyle| match line {
            LineStyle::Solid => "solid",
            LineStyle::Dashed => "dashed",
            LineStyle::Dotted => "dotted",
            LineStyle::Bold => "bold",
        };
        match self.0.role {
            ShapeRole::Ground => f.write_str("sg-ground"),
            ShapeRole::Cluster => f.write_str("sg-cluster"),
            ShapeRole::Chip => f.write_str("sg-chip"),
            ShapeRole::InnerChip => f.write_str("sg-chip-inner"),
            ShapeRole::Edge(kind) => write!(f, "sg-edge-{}", line(kind)),
            ShapeRole::Head(kind) => write!(f, "sg-head-{}", line(kind)),
            ShapeRole::Label(kind) => write!(f, "sg-label-{}", line(kind)),
            ShapeRole::Box => f.write_str("sg-box"),
            ShapeRole::Pill => f.write_str("sg-pill"),
            ShapeRole::Ring => f.write_str("sg-ring"),
            ShapeRole::Bar => f.write_str("sg-bar"),
            ShapeRole::PillText => f.write_str("sg-pill-text"),
            ShapeRole::Name => f.write_str("sg-name"),
            ShapeRole::About => f.write_str("sg-about"),
            ShapeRole::Visit => f.write_str("sg-visit"),
            ShapeRole::Caption => f.write_str("sg-caption"),
        }?;
        match self.0.tone {
            VisitState::Plain => Ok(()),
            VisitState::Faded => f.write_str("-faded"),
            VisitState::Run(standing) => write!(f, "-{}", palette::class_name(standing)),
        }
    }
}

/// A text, displayed with XML escapes. Control characters other than a line feed become spaces.
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
