//! Diagnostics about a file, each with its position, labels and a hint. Finds no defect; see `read.rs` and
//! `check.rs`.

use std::ops::Range;
use std::sync::Arc;

use super::source::{SourceText, Span};

/// A defect of a graph file, with its position, message and hint. [`Diagnostics`] collects those of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Description of the defect, in lower case, without a full stop.
    pub message: String,
    /// Name of the file, as the caller gave it.
    pub file: String,
    /// Position of the defect.
    pub location: SourceLocation,
    /// Related positions, each with its text.
    pub labels: Vec<(SourceLocation, String)>,
    /// Advice that removes the defect.
    pub hint: Option<String>,
}

/// A position in a graph file, as line and column and as byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Byte range in the text without a byte order mark and with line breaks of one byte.
    pub span: Range<usize>,
}

impl Diagnostic {
    pub(crate) fn new(source: &SourceText, span: Span, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            file: source.name.clone(),
            location: SourceLocation::of(source, span),
            labels: Vec::new(),
            hint: None,
        }
    }

    pub(crate) fn also(mut self, source: &SourceText, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((SourceLocation::of(source, span), text.into()));
        self
    }

    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

impl SourceLocation {
    fn of(source: &SourceText, span: Span) -> Self {
        let (line, column) = source.position(span.start);
        Self { line, column, span: source.first_line(&span) }
    }
}

/// All diagnostics about a graph file, ordered by position and without duplicates; never empty. It is the
/// error of parsing and building.
///
/// `Display` prints each as `error:`, `at file:line:column`, the line with a caret, and `hint:`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostics {
    pub(super) source: Arc<SourceText>,
    pub(super) list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(source: Arc<SourceText>, mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|found| (found.location.span.start, found.location.span.end));
        list.dedup();
        Self { source, list }
    }

    /// Returns the diagnostics about the file, ordered by position; never empty.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the name of the file that the diagnostics are about, as the caller gave it.
    pub fn file(&self) -> &str {
        &self.source.name
    }
}
