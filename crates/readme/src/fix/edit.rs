//! Edits of a text, and a document with the ranges that edits may or may not touch.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use crate::document::{DocumentSection, LineTable, MarkdownSource, ReadmeDocument, parse, preserve_blocks};

/// A planned replacement of a byte range of a document, with a description of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// Description of the change for the user, in one sentence.
    pub(super) change: String,
}

impl Edit {
    pub(super) fn insert(at: usize, text: String, change: String) -> Self {
        Self { range: at..at, text, change }
    }

    pub(super) fn remove(range: Range<usize>, change: String) -> Self {
        Self { range, text: String::new(), change }
    }
}

/// Returns the text with all edits applied. Of two edits that overlap, the one that begins later is
/// dropped; insertions at the same place keep their order.
pub(super) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| edit.range.start);
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for edit in sorted {
        if edit.range.start >= at {
            result.push_str(&text[at..edit.range.start]);
            result.push_str(&edit.text);
            at = edit.range.end;
        }
    }
    result.push_str(&text[at..]);
    result
}

/// A document with its structure, on which the repair steps plan their edits.
pub(super) struct EditableText<'a> {
    pub(super) source: &'a str,
    pub(super) lines: LineTable,
    pub(super) document: ReadmeDocument,
    /// Line end of the document.
    pub(super) eol: &'static str,
    /// Byte ranges of code and comments, in order.
    hidden: Vec<Range<usize>>,
    /// Byte ranges of HTML blocks, in order.
    html: Vec<Range<usize>>,
    /// Byte ranges of the blocks that PRESERVE comments protect, in order.
    protected: Vec<Range<usize>>,
    /// Byte ranges of the Markdown blocks at the top level, in order.
    blocks: Vec<Range<usize>>,
}

/// A section of a document with its byte offsets in the text.
#[derive(Clone, Copy)]
pub(super) struct PlacedSection<'a> {
    pub(super) section: &'a DocumentSection,
    pub(super) start: usize,
    /// Offset behind its own body, before its first sub-section.
    pub(super) body_end: usize,
    /// Offset behind its last sub-section.
    pub(super) end: usize,
}

impl<'a> EditableText<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let lines = LineTable::new(source);
        let mut protected = Vec::new();
        for block in preserve_blocks(source) {
            let start = lines.range(block.line).start;
            let found = source[start..].find(&block.text).map_or(start, |at| start + at);
            protected.push(found..(found + block.text.len()).min(source.len()));
        }
        let BlockRanges { hidden, html, blocks } = find_ranges(source);
        let eol =
            if source.find('\n').is_some_and(|at| source[..at].ends_with('\r')) { "\r\n" } else { "\n" };
        Self { source, lines, document: parse(source), eol, hidden, html, protected, blocks }
    }

    /// Returns true if a byte range touches neither code nor comments.
    pub(super) fn is_visible(&self, range: &Range<usize>) -> bool {
        !overlaps(&self.hidden, range)
    }

    /// Returns true if a byte range touches an HTML block. An edit there must not add a blank line, which
    /// would end the block.
    pub(super) fn is_html(&self, range: &Range<usize>) -> bool {
        overlaps(&self.html, range)
    }

    /// Returns true if an edit may change a byte range: it touches no code, no comment and no block that
    /// PRESERVE comments protect.
    pub(super) fn is_editable(&self, range: &Range<usize>) -> bool {
        self.is_visible(range) && !overlaps(&self.protected, range)
    }

    /// Returns the texts of the blocks that PRESERVE comments protect and that lie inside a byte range.
    pub(super) fn protected_in(&self, range: &Range<usize>) -> Vec<&'a str> {
        let inside =
            self.protected.iter().filter(|block| range.start <= block.start && block.end <= range.end);
        inside.map(|block| &self.source[block.clone()]).collect()
    }

    /// Returns the byte range, in whole lines, of the block around a range that PRESERVE comments protect,
    /// else of the top-level Markdown block around it, else of the range itself.
    pub(super) fn block_around(&self, range: &Range<usize>) -> Range<usize> {
        let holds = |block: &&Range<usize>| block.start <= range.start && range.end <= block.end;
        let found = self.protected.iter().find(holds).or_else(|| self.blocks.iter().find(holds));
        let block = found.unwrap_or(range);
        let last = block.end.saturating_sub(1).max(block.start);
        self.lines.start_of_line(block.start)..self.lines.end_of_line(last)
    }

    pub(super) fn is_protected(&self, range: &Range<usize>) -> bool {
        overlaps(&self.protected, range)
    }

    /// Returns all sections, sub-sections included, with their offsets, in the order of the text.
    pub(super) fn sections(&self) -> Vec<PlacedSection<'_>> {
        fn place<'s>(
            section: &'s DocumentSection,
            start: usize,
            placed: &mut Vec<PlacedSection<'s>>,
        ) -> usize {
            let body_end = start + section.heading.len() + section.body.len();
            let index = placed.len();
            placed.push(PlacedSection { section, start, body_end, end: body_end });
            let mut end = body_end;
            for child in &section.children {
                end = place(child, end, placed);
            }
            placed[index].end = end;
            end
        }
        let mut placed = Vec::new();
        let mut at = self.document.preamble.len();
        for section in &self.document.sections {
            at = place(section, at, &mut placed);
        }
        placed
    }

    /// Returns an edit that inserts Markdown blocks at the offset `at`, with one blank line around each.
    /// `change` describes the edit to the user.
    pub(super) fn insert_blocks(&self, at: usize, blocks: &[String], change: String) -> Edit {
        let eol = self.eol;
        let before = &self.source[..at];
        let gap = match () {
            () if before.is_empty() || ends_with_blank_line(before) => "",
            () if before.ends_with('\n') => eol,
            () => &eol.repeat(2),
        };
        let mut text = format!("{gap}{}{eol}", blocks.join(&eol.repeat(2)));
        if !self.source[at..].trim().is_empty() {
            text.push_str(eol);
        }
        Edit::insert(at, text, change)
    }
}

fn ends_with_blank_line(text: &str) -> bool {
    let mut lines = text.rsplit('\n');
    lines.next() == Some("") && lines.next().is_some_and(|line| line.trim().is_empty())
}

fn overlaps(ranges: &[Range<usize>], range: &Range<usize>) -> bool {
    let first = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(first).is_some_and(|other| other.start < range.end)
}

/// The byte ranges that [`find_ranges`] returns; see the fields of [`EditableText`] with the same names.
#[derive(Default)]
struct BlockRanges {
    hidden: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    blocks: Vec<Range<usize>>,
}

/// Returns the byte ranges of code and comments, of HTML blocks, and of the Markdown blocks at the top
/// level.
fn find_ranges(text: &str) -> BlockRanges {
    let mut found = BlockRanges::default();
    let mut depth = 0_usize;
    for (event, range) in MarkdownSource::new(text).events() {
        match &event {
            Event::Start(tag) => {
                if depth == 0 {
                    found.blocks.push(range.clone());
                }
                depth += 1;
                match tag {
                    Tag::CodeBlock(_) => found.hidden.push(range),
                    Tag::HtmlBlock => {
                        found.hidden.extend(comments(text, range.clone()));
                        found.html.push(range);
                    }
                    _ => {}
                }
            }
            Event::End(_) => depth -= 1,
            Event::Code(_) => found.hidden.push(range),
            Event::InlineHtml(_) => found.hidden.extend(comments(text, range)),
            _ => {}
        }
    }
    found
}

/// Returns the byte ranges of the comments in the piece of HTML at the range `html`. A comment without an
/// end reaches to the end of that piece.
fn comments(text: &str, html: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = html.start;
    while let Some(start) = text[at..html.end].find("<!--").map(|start| at + start) {
        let end = text[start..html.end].find("-->").map_or(html.end, |end| start + end + 3);
        found.push(start..end);
        at = end;
    }
    found
}
