//! The prose of a text as one string: inline markup is gone, code, addresses and tags are masked, blocks are lines. Each place leads
//! back to the source.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::document::trim_url;

/// Stand-in for a byte of masked text: neither a letter nor punctuation.
pub(crate) const MASK: char = '\u{1a}';

/// Prose of a text.
#[derive(Debug, Default)]
pub(crate) struct ProseText {
    /// All blocks, each followed by a line end. A line break inside a block is a blank.
    pub(crate) text: String,
    /// Blocks in order.
    pub(crate) blocks: Vec<ProseBlock>,
    /// Places in the prose with their places in the source, both ascending.
    places: Vec<(usize, usize)>,
    open: Option<(ProseKind, usize)>,
}

/// A block of prose.
#[derive(Debug, Clone)]
pub(crate) struct ProseBlock {
    pub(crate) range: Range<usize>,
    pub(crate) kind: ProseKind,
}

/// Kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProseKind {
    /// A heading.
    Heading,
    /// A paragraph, or the text of a list item.
    Paragraph,
    /// A paragraph inside a quote.
    Quote,
    /// A cell of a table.
    Cell,
}

/// Addresses, e-mail addresses, template tags, shortcodes of emoji.
static MASKED: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|(?-u:\b)[a-z][a-z0-9+.-]{1,20}://[^\s<>\x1a]+|(?-u:\b)www\.[^\s<>\x1a]+|(?-u:\b)[a-z0-9._%+-]{1,64}@[a-z0-9.-]{1,255}\.[a-z]{2,}(?-u:\b)|:[a-z0-9_+-]{2,40}:";
    Regex::new(pattern).expect("a valid pattern")
});

impl ProseText {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ..Self::default() }
    }

    pub(super) fn push(&mut self, text: &str, source: usize, kind: ProseKind) {
        if self.open.is_none() {
            self.open = Some((kind, self.text.len()));
        }
        self.places.push((self.text.len(), source));
        if text.contains(['\n', '\r', MASK]) {
            self.text.extend(text.chars().map(|c| if matches!(c, '\n' | '\r' | MASK) { ' ' } else { c }));
        } else {
            self.text.push_str(text);
        }
    }

    /// Appends a stand-in for code or an image.
    pub(super) fn push_mask(&mut self, source: usize, kind: ProseKind) {
        if self.open.is_none() {
            self.open = Some((kind, self.text.len()));
        }
        self.places.push((self.text.len(), source));
        self.text.push(MASK);
    }

    /// Ends the block that is open, if any.
    pub(super) fn end_block(&mut self) {
        if let Some((kind, start)) = self.open.take() {
            self.blocks.push(ProseBlock { range: start..self.text.len(), kind });
            self.text.push('\n');
        }
    }

    /// Masks addresses and tags. Lengths stay, so that places stay.
    pub(super) fn mask(&mut self) {
        let mut masked = String::with_capacity(self.text.len());
        let mut done = 0;
        for found in MASKED.find_iter(&self.text) {
            masked.push_str(&self.text[done..found.start()]);
            // The sentence around an address keeps its punctuation.
            let length =
                if found.as_str().starts_with('{') { found.len() } else { trim_url(found.as_str()).len() };
            masked.extend(std::iter::repeat_n(MASK, length));
            done = found.start() + length;
        }
        if done > 0 {
            masked.push_str(&self.text[done..]);
            self.text = masked;
        }
    }

    /// Returns the place in the source of a place in the prose.
    pub(crate) fn source(&self, at: usize) -> usize {
        let number = self.places.partition_point(|(place, _)| *place <= at);
        let Some((place, source)) = number.checked_sub(1).map(|number| self.places[number]) else { return 0 };
        source + (at - place)
    }

    /// Returns the block that holds a place.
    pub(crate) fn block_at(&self, at: usize) -> Option<&ProseBlock> {
        let number = self.blocks.partition_point(|block| block.range.end < at);
        self.blocks.get(number).filter(|block| block.range.start <= at)
    }

    /// Returns the sentence around a range: up to `.`, `!`, `?` or `:` with a blank behind it, or the ends of the block. At most 400 bytes
    /// on each side are searched.
    pub(crate) fn sentence(&self, range: &Range<usize>) -> &str {
        let is_end = |at: usize| {
            let rest = &self.text.as_bytes()[at..];
            rest[0] == b'\n'
                || (matches!(rest[0], b'.' | b'!' | b'?') && matches!(rest.get(1), Some(b' ' | b'\n') | None))
        };
        let lowest = self.text.floor_char_boundary(range.start.saturating_sub(400));
        let start = (lowest..range.start).rev().find(|at| is_end(*at)).map_or(lowest, |at| at + 1);
        let highest = self.text.floor_char_boundary((range.end + 400).min(self.text.len()));
        let end = (range.end..highest).find(|at| is_end(*at)).unwrap_or(highest);
        &self.text[start..end]
    }
}
