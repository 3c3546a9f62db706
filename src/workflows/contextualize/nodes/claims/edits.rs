//! Changes of a text by byte ranges, applied at the end. Ranges may overlap; the first of two that do is kept.

use std::ops::Range;

/// A text with the changes that are collected for it. [`apply`](Self::apply) makes them all at once.
pub(super) struct TextEdits<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, String)>,
}

impl<'a> TextEdits<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Returns the text without the changes.
    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Records that a byte range is replaced.
    pub(super) fn replace(&mut self, range: Range<usize>, with: String) {
        self.changes.push((range, with));
    }

    /// Records that all lines that a byte range touches are removed.
    pub(super) fn remove_lines(&mut self, range: Range<usize>) {
        let range = self.lines_of(range);
        self.changes.push((range, String::new()));
    }

    /// Records the removal of the sentence around a range in a list item; of the whole item or table row if
    /// it has no other sentence. In a paragraph, only the range is replaced by `remark`.
    pub(super) fn remove_statement(&mut self, range: Range<usize>, remark: &str) {
        let line = self.lines_of(range.clone());
        let text = &self.text[line.clone()];
        let first = text.trim_start();
        let digits = first.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < first.len() && digits.starts_with(['.', ')']);
        if !(first.starts_with(['-', '*', '+', '|']) || is_numbered) {
            self.changes.push((range, remark.to_owned()));
            return;
        }
        let indent = text.len() - first.len();
        let begin = indent + first.find(' ').map_or(0, |at| at + 1);
        let at = range.start - line.start;
        let sentence = sentence_at(text, begin, at).filter(|_| !first.starts_with('|'));
        if let Some(sentence) = sentence {
            self.changes.push((line.start + sentence.start..line.start + sentence.end, String::new()));
            return;
        }
        let end = self.item_end(line.end, indent);
        self.changes.push((line.start..end, String::new()));
    }

    /// Returns the offset at which a list item ends: before the first line that is blank or not indented more
    /// than the item.
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

    /// Returns the changed text. Of overlapping changes the first is made; runs of blank lines are joined if
    /// there are changes.
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

/// Replaces each run of blank lines by one.
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

/// Longest item that is divided into sentences, in bytes.
const ITEM_BYTES: usize = 4 << 10;

/// Returns the byte range of the sentence around `at` in a list item whose text starts at `begin`; `None` if
/// it is the only sentence or the item is over 4 KiB.
fn sentence_at(item: &str, begin: usize, at: usize) -> Option<Range<usize>> {
    // The bound keeps many removals from one line cheap.
    if item.len() > ITEM_BYTES {
        return None;
    }
    let mut starts = vec![begin];
    let mut in_code = false;
    for (offset, c) in item.char_indices().filter(|(offset, _)| *offset >= begin) {
        in_code ^= c == '`';
        let rest = &item[offset..];
        let is_next = |c: char| c.is_uppercase() || c == '`';
        let ends_sentence = rest.starts_with(". ") && rest[2..].starts_with(is_next);
        let ends_place = rest.starts_with("] ") && rest[2..].starts_with(char::is_uppercase);
        if !in_code && (ends_sentence || ends_place) {
            starts.push(offset + 2);
        }
    }
    let text_end = item.trim_end_matches('\n').len();
    let ends = starts.iter().skip(1).copied().chain([text_end]);
    let found = starts.iter().copied().zip(ends).find(|(start, end)| (*start..*end).contains(&at))?;
    (starts.len() > 1).then_some(found.0..found.1)
}
