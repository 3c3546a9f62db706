//! Changes of a text by byte ranges, applied at the end. Ranges may overlap; the first of two that do is kept.

use std::ops::Range;

/// The changes of a text.
pub(super) struct TextEdits<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, String)>,
}

impl<'a> TextEdits<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Returns the unchanged text.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Replaces a range.
    pub(super) fn replace(&mut self, range: Range<usize>, with: String) {
        self.changes.push((range, with));
    }

    /// Removes all lines that a range touches.
    pub(super) fn remove_lines(&mut self, range: Range<usize>) {
        let range = self.lines_of(range);
        self.changes.push((range, String::new()));
    }

    /// Removes the list item or the row of a table with a range; within a paragraph, replaces the range by a remark.
    pub(super) fn remove_statement(&mut self, range: Range<usize>, remark: &str) {
        let line = self.lines_of(range.clone());
        let text = &self.text[line.clone()];
        let first = text.trim_start();
        let digits = first.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = first.starts_with(['-', '*', '+', '|'])
            || (digits.len() < first.len() && digits.starts_with(['.', ')']));
        if !is_item {
            self.changes.push((range, remark.to_owned()));
            return;
        }
        let indent = text.len() - first.len();
        let end = self.item_end(line.end, indent);
        self.changes.push((line.start..end, String::new()));
    }

    /// Returns the end of a list item: before the first line that is blank or not indented more than the item.
    fn item_end(&self, from: usize, indent: usize) -> usize {
        let mut end = from;
        for line in self.text[from..].split_inclusive('\n') {
            let rest = line.trim_start();
            if rest.is_empty() || line.len() - rest.len() <= indent {
                break;
            }
            end += line.len();
        }
        end
    }

    fn lines_of(&self, range: Range<usize>) -> Range<usize> {
        let start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let last = range.end.max(range.start + 1) - 1;
        let last = (0..=last).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
        let end = self.text[last..].find('\n').map_or(self.text.len(), |at| last + at + 1);
        start..end
    }

    /// Returns the changed text, with at most one blank line in a row outside of the unchanged parts.
    pub(super) fn apply(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut changed = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, with) in &self.changes {
            if range.start < at {
                continue;
            }
            changed.push_str(&self.text[at..range.start]);
            changed.push_str(with);
            at = range.end;
        }
        changed.push_str(&self.text[at..]);
        if self.changes.is_empty() { changed } else { without_blank_runs(&changed) }
    }
}

/// Joins runs of blank lines.
fn without_blank_runs(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut blanks = 0;
    for line in text.split_inclusive('\n') {
        blanks = if line.trim().is_empty() { blanks + 1 } else { 0 };
        if blanks < 2 {
            joined.push_str(line);
        }
    }
    joined
}
