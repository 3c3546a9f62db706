//! Blocks between `<!-- PRESERVE START -->` and `<!-- PRESERVE END -->` (SEC-43): found, and compared before and after a change.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{Event, Tag, TagEnd};
use regex::Regex;
use serde::{Deserialize, Serialize};

use super::source::{LineTable, MarkdownSource};

/// A block of a document between the comments `<!-- PRESERVE START -->` and `<!-- PRESERVE END -->`, which
/// protect it from changes by the generator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreserveBlock {
    /// Source text of the block, including both comments.
    pub text: String,
    /// Line of the start comment, from 1.
    pub line: usize,
}

/// A comment `<!-- PRESERVE START -->` or `<!-- PRESERVE END -->` in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PreserveEdge {
    pub(crate) range: Range<usize>,
    pub(crate) is_start: bool,
    /// True if the other comment of the pair exists.
    pub(crate) is_paired: bool,
}

static EDGE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)<!--\s*PRESERVE[ _-]+(START|END)\b[^<>]*?-->").expect("a valid pattern")
});

/// Returns the protected blocks of a Markdown text in order. A block without an end comment is left out,
/// and comments inside code do not count.
pub fn preserve_blocks(text: &str) -> Vec<PreserveBlock> {
    let ranges = preserve_ranges(text);
    if ranges.is_empty() {
        return Vec::new();
    }
    let lines = LineTable::new(text);
    ranges
        .into_iter()
        .map(|range| PreserveBlock { text: text[range.clone()].to_owned(), line: lines.line(range.start) })
        .collect()
}

/// Returns the protected blocks of the text `before` a change that the text `after` it does not have with
/// the same content. Line ends do not count; a block that was there twice must be kept twice (SEC-147).
pub fn lost_preserve_blocks(before: &str, after: &str) -> Vec<PreserveBlock> {
    let with_lf = |text: &str| text.replace("\r\n", "\n");
    let mut kept: BTreeMap<String, usize> = BTreeMap::new();
    for block in preserve_blocks(after) {
        *kept.entry(with_lf(&block.text)).or_default() += 1;
    }
    let is_lost = |block: &PreserveBlock| match kept.get_mut(&with_lf(&block.text)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    preserve_blocks(before).into_iter().filter(is_lost).collect()
}

/// Returns the byte ranges of the protected blocks, including both comments, in order.
pub(super) fn preserve_ranges(text: &str) -> Vec<Range<usize>> {
    let edges = preserve_edges(text);
    let starts = edges.iter().filter(|edge| edge.is_paired && edge.is_start);
    let ends = edges.iter().filter(|edge| edge.is_paired && !edge.is_start);
    starts.zip(ends).map(|(start, end)| start.range.start..end.range.end).collect()
}

/// Returns all comments that start or end a protected block, in order, also those without a partner. An end
/// belongs to the nearest start before it, so that a block without an end does not reach up to the end of
/// the next one.
pub(crate) fn preserve_edges(text: &str) -> Vec<PreserveEdge> {
    // Most texts have none, and the events of a large document cost more than this look.
    if !EDGE.is_match(text) {
        return Vec::new();
    }
    let mut edges: Vec<PreserveEdge> = Vec::new();
    let mut open: Option<usize> = None;
    for html in html_ranges(text) {
        for captures in EDGE.captures_iter(&text[html.clone()]) {
            let (Some(whole), Some(word)) = (captures.get(0), captures.get(1)) else { continue };
            let is_start = word.as_str().eq_ignore_ascii_case("start");
            let pair = if is_start { None } else { open.take() };
            if let Some(start) = pair {
                edges[start].is_paired = true;
            }
            if is_start {
                open = Some(edges.len());
            }
            let range = whole.start() + html.start..whole.end() + html.start;
            edges.push(PreserveEdge { range, is_start, is_paired: pair.is_some() });
        }
    }
    edges
}

/// Returns the byte ranges of HTML blocks and inline HTML, in order. Code is not in them, so that comments
/// in code are not found.
fn html_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut in_block = false;
    for (event, range) in MarkdownSource::new(text).events() {
        match event {
            Event::Start(Tag::HtmlBlock) => {
                in_block = true;
                ranges.push(range);
            }
            Event::End(TagEnd::HtmlBlock) => in_block = false,
            Event::InlineHtml(_) | Event::Html(_) if !in_block => ranges.push(range),
            _ => {}
        }
    }
    ranges
}
