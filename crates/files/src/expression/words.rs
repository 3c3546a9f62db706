//! The words of an expression or a template with their ranges, for diagnostics with an exact position. Evaluates
//! nothing; text that does not parse is refused before.

use std::ops::Range;

/// Delimiters of code in a template.
const CODE: [(&str, &str); 2] = [("{{", "}}"), ("{%", "%}")];

/// The role of a word in an expression, by the sign or word before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordUse {
    /// The name of a value.
    Name,
    /// A member: it follows the dot after a name.
    Part,
    /// A filter: `| upper`.
    Filter,
    /// A test: `is defined`.
    Test,
}

/// An identifier in the source text of an expression or template, with its role and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceWord<'a> {
    pub(super) text: &'a str,
    pub(super) role: WordUse,
    pub(super) at: Range<usize>,
}

/// Returns the identifiers of an expression with their byte ranges, in order. Skips quoted texts, numbers,
/// `is` and `not`.
pub(super) fn expression_words(text: &str) -> Vec<SourceWord<'_>> {
    let mut words = Vec::new();
    collect_words(text, 0..text.len(), &mut words);
    words
}

/// Returns the identifiers inside `{{ … }}` and `{% … %}` of a template, in order. Ranges are bytes in the
/// template.
pub(super) fn template_words(text: &str) -> Vec<SourceWord<'_>> {
    let (mut words, mut from) = (Vec::new(), 0);
    while let Some(open) = text[from..].find('{').map(|at| from + at) {
        let rest = &text[open..];
        let skip = |close: &str| rest.find(close).map_or(text.len(), |at| open + at + close.len());
        if rest.starts_with("{#") {
            from = skip("#}");
        } else if let Some((_, close)) = CODE.iter().find(|(start, _)| rest.starts_with(start)) {
            let end = skip(close);
            collect_words(text, open + 2..end.saturating_sub(2).max(open + 2), &mut words);
            from = end;
        } else {
            from = open + 1;
        }
    }
    words
}

/// Adds the identifiers in a byte range of `text` to `words`. The sign or word before each decides its role.
fn collect_words<'a>(text: &'a str, range: Range<usize>, words: &mut Vec<SourceWord<'a>>) {
    let code = &text[range.clone()];
    let (mut at, mut next) = (0, WordUse::Name);
    while let Some(c) = code[at..].chars().next() {
        let rest = &code[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = if c == '_' || c.is_alphabetic() {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            match word {
                "is" => next = WordUse::Test,
                "not" => {}
                _ => {
                    let start = range.start + at;
                    words.push(SourceWord { text: word, role: next, at: start..start + length });
                    next = WordUse::Name;
                }
            }
            length
        } else if c == '"' || c == '\'' {
            next = WordUse::Name;
            quoted_length(rest, c)
        } else if c.is_ascii_digit() {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            match c {
                '.' => next = WordUse::Part,
                '|' => next = WordUse::Filter,
                c if c.is_whitespace() => {}
                _ => next = WordUse::Name,
            }
            c.len_utf8()
        };
        at += length;
    }
}

/// Returns the length in bytes of the quoted text at the start of `text`, quotes included; the whole length
/// if the closing quote is missing.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
