//! Splits a sentence into words. Works on any script; knows no grammar.

use super::lexicon::{Small, small};

/// A word and what stands before it.
#[derive(Debug, Clone)]
pub(super) struct IdeaWord<'t> {
    /// As written.
    pub(super) text: &'t str,
    /// Byte offset in the sentence.
    pub(super) start: usize,
    /// In lower case.
    pub(super) lower: String,
    /// Its role, if it is a small word.
    pub(super) small: Option<Small>,
    /// Whether a comma, colon, dash or bracket separates it from the word before.
    pub(super) gap: Gap,
}

/// What separates two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// White space, or marks that do not separate (quotes, slashes).
    Space,
    /// A comma, colon, dash, bracket, quotation mark or full stop.
    Break,
}

impl IdeaWord<'_> {
    /// Byte offset of the end in the sentence.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Whether it carries meaning of its own.
    pub(super) fn is_open(&self) -> bool {
        self.small.is_none() && self.text.chars().any(char::is_alphabetic)
    }
}

/// The words of a sentence, at most `limit` of them.
pub(super) fn words(sentence: &str, limit: usize) -> Vec<IdeaWord<'_>> {
    let mut found = Vec::new();
    let mut gap = Gap::Space;
    let mut from = 0;
    while found.len() < limit {
        let rest = &sentence[from..];
        let Some((offset, _)) = rest.char_indices().find(|(_, c)| c.is_alphanumeric()) else { break };
        if rest[..offset].chars().any(separates) {
            gap = Gap::Break;
        }
        let start = from + offset;
        let length = word_length(&sentence[start..]);
        let text = &sentence[start..start + length];
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        found.push(IdeaWord { text, start, small: small(&lower), lower, gap });
        gap = Gap::Space;
        from = start + length;
    }
    found
}

fn separates(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '“'
            | '”'
            | ','
            | ':'
            | ';'
            | '('
            | ')'
            | '['
            | ']'
            | '—'
            | '–'
            | '、'
            | '，'
            | '：'
            | '；'
    )
}

/// Bytes of the word at the start: letters and digits, and hyphens, apostrophes and dots between them.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let inner = c.is_alphanumeric() || joins_letters(c);
        let joint = matches!(c, '-' | '\'' | '\u{2019}' | '.' | '_' | '&')
            && chars.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !inner && !joint {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

/// Marks that stand inside words without being letters: combining accents, viramas and nuktas, joiners.
fn joins_letters(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{652}' | '\u{93c}' | '\u{94d}' | '\u{9bc}'
        | '\u{9cd}' | '\u{a3c}' | '\u{a4d}' | '\u{abc}' | '\u{acd}' | '\u{b3c}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}'
        | '\u{ccd}' | '\u{d4d}' | '\u{dca}' | '\u{e38}'..='\u{e4e}' | '\u{f39}' | '\u{1039}' | '\u{17d2}'
        | '\u{200c}' | '\u{200d}')
}
