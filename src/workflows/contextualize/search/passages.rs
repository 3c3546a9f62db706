//! The lines of a file that a question is about, outside of definitions: files of languages without an outline, and code at the outermost
//! level.

use stategraph_repo::{FileOutline, SymbolInfo};

use super::definitions::LineHits;

/// Most lines of a passage.
const LINES: usize = 12;
/// Lines before and after the hits of a passage.
const MARGIN: usize = 1;
/// Most passages of a file.
const PASSAGES: usize = 3;

/// A range of lines outside of definitions that has hits, with its score.
pub(super) struct Passage {
    /// The first line, from 1.
    pub(super) start: usize,
    /// The last line, included.
    pub(super) end: usize,
    pub(super) score: f32,
    /// Weight of each term in the passage.
    pub(super) matched: Vec<f32>,
}

/// Returns at most 3 passages of a file with hits outside of the outline's definitions, the best first.
/// Without an outline, the whole text counts as outside. `weights` has one weight for each term.
pub(super) fn score_passages(
    outline: Option<&FileOutline>,
    hits: &LineHits,
    text: &str,
    weights: &[f32],
) -> Vec<Passage> {
    let inside = covered_lines(outline, text);
    let is_outside = |line: usize| {
        let before = inside.partition_point(|(start, _)| *start <= line);
        // A definition of several names begins on one line several times.
        !inside[..before].iter().rev().take(4).any(|(_, end)| line <= *end)
    };
    let outside: Vec<(u32, u8, f32)> =
        hits.all().iter().filter(|(line, ..)| is_outside(*line as usize)).copied().collect();
    let line_count = text.lines().count();
    let mut found: Vec<Passage> = Vec::new();
    let mut from = 0;
    while from < outside.len() {
        let first = outside[from].0 as usize;
        let to = from
            + outside[from..].partition_point(|(line, ..)| (*line as usize) < first + LINES - 2 * MARGIN);
        found.push(Passage::of(&outside[from..to], line_count, weights));
        from = to;
    }
    found.retain(|passage| passage.score > 0.0);
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.start.cmp(&b.start)));
    found.truncate(PASSAGES);
    found
}

impl Passage {
    fn of(hits: &[(u32, u8, f32)], line_count: usize, weights: &[f32]) -> Self {
        let mut sums = vec![0.0_f32; weights.len()];
        for (_, term, weight) in hits {
            sums[usize::from(*term)] += weight;
        }
        let matched: Vec<f32> = sums.iter().map(|sum| (sum / (sum + 0.5)).min(1.0)).collect();
        let sum: f32 = matched.iter().zip(weights).map(|(part, weight)| part * weight).sum();
        let all: f32 = weights.iter().sum();
        let start = hits.first().map_or(1, |hit| hit.0 as usize).saturating_sub(MARGIN).max(1);
        let end = hits.last().map_or(1, |hit| hit.0 as usize) + MARGIN;
        Self {
            start,
            end: end.min(line_count.max(start)),
            score: 1.8 * sum * (0.25 + 0.75 * sum / all.max(f32::EPSILON)),
            matched,
        }
    }
}

/// Returns first and last line of each outermost definition, including its doc comment and decorators.
fn covered_lines(outline: Option<&FileOutline>, text: &str) -> Vec<(usize, usize)> {
    let symbols = outline.map_or(&[][..], |outline| &outline.symbols);
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let first_line = |symbol: &SymbolInfo| {
        let docs = symbol.doc_bytes();
        let of_docs =
            if docs.is_empty() { symbol.line } else { breaks.partition_point(|at| *at < docs.start) + 1 };
        of_docs.min(symbol.line.saturating_sub(symbol.decorators.len()))
    };
    symbols.iter().map(|symbol| (first_line(symbol), symbol.line_end)).collect()
}
