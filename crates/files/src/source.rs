//! The text of a graph file. Maps byte offsets to lines and columns. Knows no YAML; see `decode.rs` for its bytes.

use std::ops::Range;
use std::sync::Arc;

/// A byte range in a [`SourceText`].
pub(crate) type Span = Range<usize>;

/// The decoded text of a file, without a byte order mark and with line breaks of one byte, and the name of the file
/// for messages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Byte offset of each line.
    lines: Vec<usize>,
}

impl SourceText {
    /// Creates the text of a file named `name`.
    pub(crate) fn new(name: &str, text: String) -> Arc<Self> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Arc::new(Self { name: name.to_owned(), text, lines })
    }

    /// Returns the line and the column of a byte offset, both counted from 1, the column in characters.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let at = self.floor_char_boundary(at);
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.text[self.lines[line - 1]..at].chars().count() + 1)
    }

    /// Formats the start of a span as `file:line:column`.
    pub(crate) fn format_location(&self, span: &Span) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// Cuts the span at the end of its first line.
    pub(crate) fn first_line(&self, span: &Span) -> Span {
        let start = self.floor_char_boundary(span.start);
        let end = self.floor_char_boundary(span.end).max(start);
        let text = &self.text[start..end];
        let text = text.split(['\n', '\r']).next().unwrap_or_default().trim_end();
        start..start + text.len()
    }

    /// Returns the text of the span; empty if it is out of range.
    pub(crate) fn slice(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Returns the offset at which the line of a byte offset begins.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.lines[self.position(at).0 - 1]
    }

    /// Returns the offset at which a line begins, counted from 1; the end of the text if there are fewer lines.
    pub(crate) fn start_of_line(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Returns the offset at which the line of a byte offset ends, before its line break.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let at = self.floor_char_boundary(at);
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }

    /// Returns the nearest character boundary at or before an offset, within the text.
    pub(crate) fn floor_char_boundary(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }
}
