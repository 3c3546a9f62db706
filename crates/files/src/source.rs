//! The text of a graph file. Maps byte offsets to lines and columns. Knows no YAML; see `decode.rs` for its bytes.

use std::ops::Range;
use std::sync::Arc;

/// A byte range in the text of a file, a [`SourceText`].
pub(crate) type Span = Range<usize>;

/// The decoded text of a graph file with its name for messages. It has no byte order mark, and `
/// ` as the only line break.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Byte offset of each line.
    lines: Vec<usize>,
}

impl SourceText {
    /// Creates the text of a file. `name` is the file in messages; `text` is decoded already.
    pub(crate) fn new(name: &str, text: String) -> Arc<Self> {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Arc::new(Self { name: name.to_owned(), text, lines })
    }

    /// Returns the line and the column of a byte offset, both counted from 1. The column counts characters.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let at = self.floor_char_boundary(at);
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.text[self.lines[line - 1]..at].chars().count() + 1)
    }

    /// Returns the start of a span as text for messages: `file:line:column`.
    pub(crate) fn format_location(&self, span: &Span) -> String {
        let (line, column) = self.position(span.start);
        format!("{}:{line}:{column}", self.name)
    }

    /// Returns the span cut at the end of its first line, without white space at the end.
    pub(crate) fn first_line(&self, span: &Span) -> Span {
        let start = self.floor_char_boundary(span.start);
        let end = self.floor_char_boundary(span.end).max(start);
        let text = &self.text[start..end];
        let text = text.split(['\n', '\r']).next().unwrap_or_default().trim_end();
        start..start + text.len()
    }

    /// Returns the part of the text at a span; empty if it is out of range.
    pub(crate) fn slice(&self, span: &Span) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Returns the byte offset at which the line that contains the offset `at` begins.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.lines[self.position(at).0 - 1]
    }

    /// Returns the byte offset at which the line with the number `line` begins, counted from 1; the end of
    /// the text if there are fewer lines.
    pub(crate) fn start_of_line(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Returns the byte offset at which the line that contains `at` ends, before its line break.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        let at = self.floor_char_boundary(at);
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }

    /// Returns the byte offset of the nearest character boundary at or before `at`, at most the length of the
    /// text.
    pub(crate) fn floor_char_boundary(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }
}
