//! What is wrong with a graph file, each with its place, a code frame and a hint. Finds nothing; see `read.rs` and `build.rs`.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::frame::{Paint, write_diagnostic};
use super::source::{Source, Span};

/// So many defects are printed; of the others the number.
pub const PRINTED_MAX: usize = 20;

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What, lower case, without a full stop.
    pub message: String,
    /// The name of the file, as it was given.
    pub file: String,
    /// Where.
    pub place: Place,
    /// Other places that belong to it, with what is said there.
    pub labels: Vec<(Place, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// The bytes, counted without a byte order mark and with line breaks of one byte.
    pub span: Range<usize>,
}

impl Diagnostic {
    pub(crate) fn new(source: &Source, span: Span, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            file: source.name.clone(),
            place: Place::of(source, span),
            labels: Vec::new(),
            hint: None,
        }
    }

    pub(crate) fn also(mut self, source: &Source, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((Place::of(source, span), text.into()));
        self
    }

    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

impl Place {
    fn of(source: &Source, span: Span) -> Self {
        let (line, column) = source.position(span.start);
        Self { line, column, span: source.first_line(&span) }
    }
}

/// Everything that is wrong with a file, in the order of the file; never empty.
///
/// `Display` prints each as `error:`, `at file:line:column`, the line with a caret, and `hint:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    source: Arc<Source>,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(source: Arc<Source>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|found| (found.place.span.start, found.place.span.end));
        list.dedup();
        Self { source, list }
    }

    /// The list.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The name of the file, as it was given.
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// As `Display`, with colours for a terminal.
    pub fn styled(&self) -> impl fmt::Display {
        Printed { diagnostics: self, paint: Paint::Styled }
    }
}

impl std::error::Error for Diagnostics {}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printed { diagnostics: self, paint: Paint::Plain }.fmt(f)
    }
}

struct Printed<'a> {
    diagnostics: &'a Diagnostics,
    paint: Paint,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostics { source, list } = self.diagnostics;
        for (at, diagnostic) in list.iter().take(PRINTED_MAX).enumerate() {
            if at > 0 {
                f.write_str("\n\n")?;
            }
            write_diagnostic(f, source, diagnostic, self.paint)?;
        }
        match list.len().saturating_sub(PRINTED_MAX) {
            0 => Ok(()),
            more => write!(f, "\n\nand {more} more, which are not shown"),
        }
    }
}
