//! Prints a diagnostic: message, position, code frame, hint. Finds no defect.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::diagnostic::{Diagnostic, Diagnostics, SourceLocation};
use super::source::SourceText;

/// Maximum number of printed diagnostics; the others are only counted.
pub const PRINTED_MAX: usize = 20;

/// Maximum width of a code frame, in columns; longer lines are cut around the position.
const FRAME_WIDTH: usize = 120;

/// Maximum distance of a label from the defect, in lines, to be marked in the code frame. Farther labels are printed
/// as a line of text.
const FRAME_LINES: usize = 40;

/// The choice between plain and coloured output of diagnostics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColorMode {
    /// No colours.
    Plain,
    /// ANSI colours.
    Styled,
}

impl Diagnostics {
    /// Returns the printed form of the diagnostics, the same text as `Display`, with ANSI colours.
    pub fn styled(&self) -> impl fmt::Display {
        DiagnosticsDisplay { diagnostics: self, color_mode: ColorMode::Styled }
    }
}

impl std::error::Error for Diagnostics {}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        DiagnosticsDisplay { diagnostics: self, color_mode: ColorMode::Plain }.fmt(f)
    }
}

/// The printed form of diagnostics, with or without colours.
struct DiagnosticsDisplay<'a> {
    diagnostics: &'a Diagnostics,
    color_mode: ColorMode,
}

impl fmt::Display for DiagnosticsDisplay<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostics { source, list } = self.diagnostics;
        for (at, diagnostic) in list.iter().take(PRINTED_MAX).enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            write_diagnostic(f, source, diagnostic, self.color_mode)?;
        }
        match list.len().saturating_sub(PRINTED_MAX) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more, which are not shown"),
        }
    }
}

/// Writes one diagnostic: message, position, code frame, distant labels and hint, without a line break at the
/// end.
fn write_diagnostic(
    f: &mut fmt::Formatter<'_>,
    source: &SourceText,
    found: &Diagnostic,
    color_mode: ColorMode,
) -> fmt::Result {
    let title = |word: &str, sgr: &str| match color_mode {
        ColorMode::Plain => word.to_owned(),
        ColorMode::Styled => format!("\u{1b}[{sgr}m{word}\u{1b}[0m"),
    };
    let SourceLocation { line, column, .. } = found.location;
    write!(f, "{} {}\n  at {}:{line}:{column}", title("error:", "1;31"), found.message, source.name)?;
    if let Some(frame) = frame(source, found, color_mode) {
        write!(f, "\n{frame}")?;
    }
    for (location, text) in found.labels.iter().filter(|(location, _)| !near(&found.location, location)) {
        write!(f, "\n  {text}: {}:{}:{}", source.name, location.line, location.column)?;
    }
    match &found.hint {
        Some(hint) => write!(f, "\n{} {hint}", title("hint:", "1;36")),
        None => Ok(()),
    }
}

fn near(location: &SourceLocation, other: &SourceLocation) -> bool {
    location.line.abs_diff(other.line) <= FRAME_LINES
}

/// Renders the lines of the file around the defect and its near labels, with marks. `None` if the file has
/// only white space.
fn frame(source: &SourceText, found: &Diagnostic, color_mode: ColorMode) -> Option<String> {
    if source.text.trim().is_empty() {
        return None;
    }
    let near: Vec<_> = found.labels.iter().filter(|(location, _)| near(&found.location, location)).collect();
    let locations = || near.iter().map(|(location, _)| location).chain([&found.location]);
    let first = locations().min_by_key(|location| location.span.start)?;
    let start = source.line_start(first.span.start);
    let end = locations().map(|location| source.line_end(location.span.end)).max()?;
    let shift = |span: &Range<usize>| span.start - start..span.end - start;
    let mut marks: Vec<Annotation<'_>> = near
        .iter()
        .map(|(location, text)| AnnotationKind::Context.span(shift(&location.span)).label(text))
        .collect();
    marks.push(AnnotationKind::Primary.span(shift(&found.location.span)));
    let snippet = Snippet::source(&source.text[start..end]).line_start(first.line).annotations(marks);
    let renderer = match color_mode {
        ColorMode::Plain => Renderer::plain(),
        ColorMode::Styled => Renderer::styled(),
    };
    let group = Group::with_level(Level::ERROR).element(snippet);
    Some(renderer.term_width(FRAME_WIDTH).render(&[group]).trim_end().to_owned())
}
