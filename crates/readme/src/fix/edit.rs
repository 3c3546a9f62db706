//! Edits of a text, and the places that they may touch.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use crate::document::{DocumentSection, LineTable, MarkdownSource, ReadmeDocument, parse, preserve_blocks};

/// A replacement of a range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// The change in one sentence.
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

/// Applies edits. Of two that overlap the first counts; insertions at one place keep their order.
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

/// A document with its structure, for planning edits.
pub(super) struct EditableText<'a> {
    pub(super) source: &'a str,
    pub(super) lines: LineTable,
    pub(super) document: ReadmeDocument,
    /// Line end of the document.
    pub(super) eol: &'static str,
    /// Ranges of code and comments, in order.
    hidden: Vec<Range<usize>>,
    /// Ranges of blocks of HTML, in order.
    html: Vec<Range<usize>>,
    /// Ranges of protected blocks, in order.
    protected: Vec<Range<usize>>,
    /// Ranges of blocks at the top level, in order.
    blocks: Vec<Range<usize>>,
}

/// A section with its place in the text.
#[derive(Clone, Copy)]
pub(super) struct PlacedSection<'a> {
    pub(super) section: &'a DocumentSection,
    pub(super) start: usize,
    /// End of its own body.
    pub(super) body_end: usize,
    /// End with all sub-sections.
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

    /// Returns true if a range is neither code nor comment.
    pub(super) fn is_visible(&self, range: &Range<usize>) -> bool {
        !overlaps(&self.hidden, range)
    }

    /// Returns true if a range is inside raw HTML, which a blank line would end.
    pub(super) fn is_html(&self, range: &Range<usize>) -> bool {
        overlaps(&self.html, range)
    }

    /// Returns true if a range is visible and not protected.
    pub(super) fn is_editable(&self, range: &Range<usize>) -> bool {
        self.is_visible(range) && !overlaps(&self.protected, range)
    }

    /// Returns the protected blocks inside a range.
    pub(super) fn protected_in(&self, range: &Range<usize>) -> Vec<&'a str> {
        let inside =
            self.protected.iter().filter(|block| range.start <= block.start && block.end <= range.end);
        inside.map(|block| &self.source[block.clone()]).collect()
    }

    /// Returns the protected block or the top-level block that holds a range, with whole lines.
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

    /// Returns all sections with their places, in the order of the text.
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

    /// Returns an insertion of blocks at the end of a section's text, with one blank line around each.
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

/// Ranges of a text that its structure decides.
#[derive(Default)]
struct BlockRanges {
    hidden: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    blocks: Vec<Range<usize>>,
}

/// Returns the ranges of code and comments, those of HTML, and those of the blocks at the top level.
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

/// Returns the ranges of comments in a piece of HTML.
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
