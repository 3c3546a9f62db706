//! The prose of a text as one string, in which validators search for words: inline markup is removed, code,
//! addresses and template tags are masked, and each block is a line. Offsets in the prose can be converted
//! to offsets in the source.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::document::trim_url;

/// Character that replaces each byte of masked text. It is neither a letter nor punctuation.
pub(crate) const MASK: char = '\u{1a}';

/// The prose of a text, without markup, with a table that converts its offsets to offsets in the source.
#[derive(Debug, Default)]
pub(crate) struct ProseText {
    /// All blocks, each followed by a line end. A line break inside a block is a space.
    pub(crate) text: String,
    /// Blocks of the prose, in order.
    pub(crate) blocks: Vec<ProseBlock>,
    /// Offsets in the prose with the offsets in the source that they come from, both ascending.
    places: Vec<(usize, usize)>,
    open: Option<(ProseKind, usize)>,
}

/// A block of a [`ProseText`], such as a paragraph: its byte range in the prose, and its type.
#[derive(Debug, Clone)]
pub(crate) struct ProseBlock {
    pub(crate) range: Range<usize>,
    pub(crate) kind: ProseKind,
}

/// The type of a block in a [`ProseText`].
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

/// Pattern of the texts in prose that are masked: web and e-mail addresses, template tags, shortcodes of
/// emoji.
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

    /// Appends one [`MASK`] character in place of code or an image at the offset `source`. Opens a block of
    /// this type if none is open.
    pub(super) fn push_mask(&mut self, source: usize, kind: ProseKind) {
        if self.open.is_none() {
            self.open = Some((kind, self.text.len()));
        }
        self.places.push((self.text.len(), source));
        self.text.push(MASK);
    }

    /// Ends the open block of prose, if there is one: adds it to `blocks`, and appends a line end to the
    /// text.
    pub(super) fn end_block(&mut self) {
        if let Some((kind, start)) = self.open.take() {
            self.blocks.push(ProseBlock { range: start..self.text.len(), kind });
            self.text.push('\n');
        }
    }

    /// Replaces web addresses, e-mail addresses, template tags and emoji shortcodes by [`MASK`] characters.
    /// The length stays the same, and so do all offsets.
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

    /// Converts an offset in the prose to the offset in the source.
    pub(crate) fn source(&self, at: usize) -> usize {
        let number = self.places.partition_point(|(place, _)| *place <= at);
        let Some((place, source)) = number.checked_sub(1).map(|number| self.places[number]) else { return 0 };
        source + (at - place)
    }

    /// Returns the block that contains an offset in the prose; `None` if there is none.
    pub(crate) fn block_at(&self, at: usize) -> Option<&ProseBlock> {
        let number = self.blocks.partition_point(|block| block.range.end < at);
        self.blocks.get(number).filter(|block| block.range.start <= at)
    }

    /// Returns the sentence around a range of the prose. It ends at `.`, `!` or `?` before a space, and at
    /// the ends of the block. At most 400 bytes on each side are searched.
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
