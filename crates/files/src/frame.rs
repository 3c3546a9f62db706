//! Prints a diagnostic: message, position, code frame, hint. Finds no defect.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Place};
use super::source::Source;

/// Maximum width of a code frame, in columns; longer lines are cut around the position.
const FRAME_WIDTH: usize = 120;

/// Maximum distance of a label from the defect, in lines, to be marked in the code frame. Farther labels are printed
/// as a line of text.
const FRAME_LINES: usize = 40;

/// Colours of printed diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// No colours.
    Plain,
    /// ANSI colours.
    Styled,
}

/// Writes the diagnostic, without a line break at the end.
pub(crate) fn write_diagnostic(
    f: &mut fmt::Formatter<'_>,
    source: &Source,
    found: &Diagnostic,
    paint: Paint,
) -> fmt::Result {
    let title = |word: &str, sgr: &str| match paint {
        Paint::Plain => word.to_owned(),
        Paint::Styled => format!("\u{1b}[{sgr}m{word}\u{1b}[0m"),
    };
    let Place { line, column, .. } = found.place;
    write!(f, "{} {}\n  at {}:{line}:{column}", title("error:", "1;31"), found.message, source.name)?;
    if let Some(frame) = frame(source, found, paint) {
        write!(f, "\n{frame}")?;
    }
    for (place, text) in found.labels.iter().filter(|(place, _)| !near(&found.place, place)) {
        write!(f, "\n  {text}: {}:{}:{}", source.name, place.line, place.column)?;
    }
    match &found.hint {
        Some(hint) => write!(f, "\n{} {hint}", title("hint:", "1;36")),
        None => Ok(()),
    }
}

fn near(place: &Place, other: &Place) -> bool {
    place.line.abs_diff(other.line) <= FRAME_LINES
}

/// Renders the lines around the positions with marks; `None` if the file has no text to show.
fn frame(source: &Source, found: &Diagnostic, paint: Paint) -> Option<String> {
    if source.text.trim().is_empty() {
        return None;
    }
    let near: Vec<_> = found.labels.iter().filter(|(place, _)| near(&found.place, place)).collect();
    let places = || near.iter().map(|(place, _)| place).chain([&found.place]);
    let first = places().min_by_key(|place| place.span.start)?;
    let start = source.line_start(first.span.start);
    let end = places().map(|place| source.line_end(place.span.end)).max()?;
    let shift = |span: &Range<usize>| span.start - start..span.end - start;
    let mut marks: Vec<Annotation<'_>> = near
        .iter()
        .map(|(place, text)| AnnotationKind::Context.span(shift(&place.span)).label(text))
        .collect();
    marks.push(AnnotationKind::Primary.span(shift(&found.place.span)));
    let snippet = Snippet::source(&source.text[start..end]).line_start(first.line).annotations(marks);
    let renderer = match paint {
        Paint::Plain => Renderer::plain(),
        Paint::Styled => Renderer::styled(),
    };
    let group = Group::with_level(Level::ERROR).element(snippet);
    Some(renderer.term_width(FRAME_WIDTH).render(&[group]).trim_end().to_owned())
}
