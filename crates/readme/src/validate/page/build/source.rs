//! Reads elements from the source that the parser changes or does not know: table cells, ends of fences,
//! undefined references, template tags.

use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::BrokenLink;
use regex::Regex;

use super::super::{PageSpan, TemplateTag};

static TAG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\{\{-?\s*(fields|event)\b[ \t]*(?:["'`]?([^"'`{}\r\n]*?)["'`]?)?[ \t]*-?\}\}"#)
        .expect("a valid pattern")
});

/// Returns the labels and offsets of references without a definition, in order and each once. Those that
/// look like code without its marks, such as `a[i][j]`, are left out.
pub(super) fn undefined_references(text: &str, broken: Vec<(Range<usize>, BrokenLink<'_>)>) -> Vec<PageSpan> {
    let is_reference = |(range, link): &(Range<usize>, BrokenLink<'_>)| {
        let before = text[..range.start].chars().next_back();
        let is_index = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, ']' | ')' | '_'));
        !is_index && !text[range.clone()].contains("[ ]") && !link.reference.trim().is_empty()
    };
    let mut found: Vec<PageSpan> = broken
        .into_iter()
        .filter(is_reference)
        .map(|(range, link)| PageSpan { text: link.reference.to_string(), at: range.start })
        .collect();
    // The parser asks for some references more than once.
    found.sort_by_key(|span| span.at);
    found.dedup_by_key(|span| span.at);
    found
}

pub(super) fn find_tags(text: &str, hidden: &[Range<usize>]) -> Vec<TemplateTag> {
    if !text.contains("{{") {
        return Vec::new();
    }
    let is_shown = |at: usize| {
        let next = hidden.partition_point(|range| range.start <= at);
        next == 0 || !hidden[next - 1].contains(&at)
    };
    let captures = TAG.captures_iter(text).filter_map(|captures| {
        let at = captures.get(0)?.start();
        let argument = captures.get(2).map_or("", |argument| argument.as_str()).trim().to_owned();
        is_shown(at).then(|| TemplateTag { name: captures[1].to_owned(), argument, at })
    });
    captures.collect()
}

/// Returns the number of cells in the source line of a table row. An escaped bar (`\|`) separates nothing.
pub(super) fn count_cells(row: &str) -> usize {
    let mut bars = Vec::new();
    let mut is_escaped = false;
    for (at, byte) in row.bytes().enumerate() {
        if byte == b'|' && !is_escaped {
            bars.push(at);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    let outer = usize::from(bars.first() == Some(&0))
        + usize::from(bars.len() > 1 && bars.last() == Some(&(row.len() - 1)));
    (bars.len() + 1).saturating_sub(outer)
}

/// Returns true if the last line of a fenced code block is its closing fence.
pub(super) fn is_fence_closed(block: &str) -> bool {
    let opening = block.trim_start();
    let Some(mark) = opening.chars().next() else { return true };
    let length = opening.chars().take_while(|c| *c == mark).count();
    let Some((_, last)) = block.trim_end().rsplit_once(['\n', '\r']) else { return false };
    let last = last.trim_start_matches([' ', '\t', '>']);
    last.len() >= length && last.chars().all(|c| c == mark)
}
