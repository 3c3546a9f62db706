//! Literal values: the parts of a collection, their keys and values, and the values that are the same in every call. Code that is not
//! understood is no literal.

use std::ops::Range;

use super::LiteralEntry;
use super::mask::MaskedText;
use crate::facts::visible;
use crate::repo::Language;
use stategraph_base::has_secret;

/// Maximum length of a key and of a value, in characters.
const KEY: usize = 60;
const VALUE: usize = 90;

/// Item of a collection in the code, or an entry with key and value, as byte ranges of its file.
pub(super) struct LiteralPart {
    key: Range<usize>,
    /// The value; `None` for an item of a list.
    pub(super) value: Option<Range<usize>>,
}

impl LiteralPart {
    /// Parses one part of a collection, the text between two commas. `None` if its key or item is computed: a
    /// comprehension, a call, an operator, a spread.
    pub(super) fn read(language: Language, text: &MaskedText, part: Range<usize>) -> Option<Self> {
        let part = trimmed(text, part);
        let bare = &text.bare[part.clone()];
        let pair = if bare.starts_with('(') { tuple(text, &part) } else { None };
        let (key, value) = match (pair, separator(language, bare)) {
            (Some((key, value)), _) => (key, Some(value)),
            (None, Some((at, length))) => {
                let value = trimmed(text, part.start + at + length..part.end);
                (trimmed(text, part.start..part.start + at), Some(value))
            }
            (None, None) => (part, None),
        };
        let is_comprehension = |value: &Range<usize>| {
            top_level(&text.bare[value.clone()]).split_whitespace().any(|word| word == "for")
        };
        let is_literal = is_plain(&top_level(&text.bare[key.clone()]));
        (is_literal && !value.as_ref().is_some_and(is_comprehension)).then_some(Self { key, value })
    }

    /// Returns the part as text with its line. `None` if its key is too long or may hold a secret; such a
    /// value is left out.
    pub(super) fn quote(&self, text: &MaskedText) -> Option<LiteralEntry> {
        let key = quoted(&text.code[self.key.clone()], if self.value.is_some() { KEY } else { VALUE })?;
        let value = self.value.clone().and_then(|value| quoted(&text.code[value], VALUE));
        Some(LiteralEntry { key, value, line: text.line_of(self.key.start) })
    }
}

/// Splits the content of brackets at its outer commas into byte ranges, without empty ones. Commas between
/// the parameters of a lambda or a closure split nothing.
pub(super) fn split(text: &MaskedText, inside: Range<usize>) -> Vec<Range<usize>> {
    let bare = text.bare[inside.clone()].as_bytes();
    let (mut depth, mut start, mut in_lambda, mut in_closure) = (0_usize, 0, false, false);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bare.len() {
        match bare[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b'|' if bare.get(at + 1) == Some(&b'|') => at += 1,
            b'|' => in_closure = !in_closure,
            b'l' if bare[at..].starts_with(b"lambda ") => in_lambda = true,
            b':' => in_lambda = false,
            b',' if !in_lambda && !in_closure => {
                found.push(inside.start + start..inside.start + at);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(inside.start + start..inside.end);
    found.retain(|range| !text.code[range.clone()].trim().is_empty());
    found
}

/// Returns the ranges of key and value of a pair `("key", value)`; `None` for any other text.
fn tuple(text: &MaskedText, part: &Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    if text.closing(part.start, part.end)? != part.end {
        return None;
    }
    let halves = split(text, part.start + 1..part.end - 1);
    let [key, value] = halves.as_slice() else { return None };
    Some((trimmed(text, key.clone()), trimmed(text, value.clone())))
}

/// Returns a range without the white space at both ends.
pub(super) fn trimmed(text: &MaskedText, range: Range<usize>) -> Range<usize> {
    let code = &text.code[range.clone()];
    let start = range.start + (code.len() - code.trim_start().len());
    start..start + code.trim().len()
}

/// Returns true if the brackets of a text are balanced; their kinds are not compared.
pub(super) fn is_balanced(bare: &str) -> bool {
    let mut depth = 0_usize;
    for c in bare.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => {}
        }
    }
    depth == 0
}

/// Returns the byte position and length of the first sign between key and value outside brackets: `:`, `=`,
/// in Ruby and PHP also `=>`. Comparisons, `::` and arrows are none.
fn separator(language: Language, bare: &str) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let bytes = bare.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1);
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b'=' if next == Some(&b'>') && matches!(language, Language::Ruby | Language::Php) => {
                return Some((at, 2));
            }
            b'=' | b'!' | b'<' | b'>' | b':' | b'+' | b'-' if matches!(next, Some(b'=' | b'>')) => at += 1,
            // `::` belongs to a path.
            b':' if next == Some(&b':') => at += 1,
            b'=' | b':' => return Some((at, 1)),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns a text without the content of its brackets; the outer brackets stay.
fn top_level(bare: &str) -> String {
    let mut depth = 0_usize;
    let is_outer = |c: &char| match c {
        '(' | '[' | '{' => {
            depth += 1;
            depth == 1
        }
        ')' | ']' | '}' => {
            depth = depth.saturating_sub(1);
            depth == 0
        }
        _ => depth == 0,
    };
    bare.chars().filter(is_outer).collect()
}

/// Returns true if a text is one name, number, string or collection, without operators, calls and subscripts.
/// The caller has removed the content of brackets.
fn is_plain(outer: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let outer = outer.trim();
    let unsigned = outer.trim_start_matches(['&', '-', '+']);
    let words = unsigned.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).count();
    let is_behind_value = |at: usize| unsigned[..at].ends_with(|c: char| is_part(c) || "])}>".contains(c));
    let is_applied = unsigned.match_indices(['(', '[']).any(|(at, _)| is_behind_value(at));
    !unsigned.starts_with("..")
        && unsigned != "lambda"
        && words <= 1
        && !is_applied
        && unsigned.chars().all(|c| is_part(c) || c.is_whitespace() || "()[]{}'\"`#@$\\".contains(c))
}

/// Returns a text on one line. `None` if it is empty, longer than `most` characters, has hidden characters or
/// may hold a secret.
pub(super) fn quoted(text: &str, most: usize) -> Option<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = !text.is_empty() && text.chars().count() <= most;
    (fits && !has_secret(&text) && visible(&text) == text).then_some(text)
}

/// Words that are the same in every call.
const CONSTANTS: [&str; 24] = [
    "true",
    "false",
    "nil",
    "null",
    "undefined",
    "as",
    "new",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "string",
    "bool",
    "byte",
];
/// Conversions of numbers in Go.
const CONVERSIONS: [&str; 10] =
    ["int", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64"];
/// Methods and functions of a type that make a plain value.
const MAKERS: [&str; 12] = [
    "new",
    "default",
    "with_capacity",
    "empty",
    "from",
    "from_secs",
    "from_millis",
    "from_micros",
    "from_nanos",
    "to_owned",
    "to_string",
    "into",
];
/// Names of values that differ from call to call.
const CHANGING: [&str; 8] = ["Date", "Instant", "SystemTime", "Uuid", "UUID", "Random", "Symbol", "Process"];

/// Returns true if an expression has the same value in every call: literals, constants, and plain values of a
/// type such as `Vec::new()`. False for local names, parameters, calls of other functions, and long
/// expressions.
pub(super) fn is_constant(
    language: Language,
    text: &MaskedText,
    value: Range<usize>,
    parameters: &[String],
) -> bool {
    let (code, bare) = (&text.code[value.clone()], &text.bare[value]);
    let is_read = code.chars().count() <= 4 * VALUE && !code.trim().is_empty();
    let has_several_lines =
        bare.matches('`').count() % 2 == 1 || ["\"\"\"", "'''"].iter().any(|mark| bare.contains(mark));
    if !is_read
        || has_several_lines
        || bare.contains(['|', '?', ';', '\\'])
        || bare.contains("=>")
        || code.contains("${")
    {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while let Some(start) = bare[at..].find(is_part).map(|next| at + next) {
        let end = bare[start..].find(|c: char| !is_part(c)).map_or(bare.len(), |length| start + length);
        at = end;
        let word = &bare[start..end];
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        if parameters.iter().any(|one| one == word)
            || !is_constant_word(language, &bare[..start], word, &bare[end..])
        {
            return false;
        }
    }
    true
}

/// Returns true if a word of an expression does not change between calls: a type, a constant, a key, a
/// member. The texts before and behind the word decide.
fn is_constant_word(language: Language, before: &str, word: &str, after: &str) -> bool {
    let is_call = after.starts_with('(');
    let is_member = before.ends_with("::") || before.ends_with('.');
    if word.starts_with(char::is_uppercase) {
        // Exported functions of Go have upper case.
        let is_function = is_call && language == Language::Go;
        return !is_function && !CHANGING.contains(&word);
    }
    if is_call {
        let is_conversion =
            CONVERSIONS.contains(&word) && after[1..].starts_with(|c: char| c.is_ascii_digit());
        return if is_member { MAKERS.contains(&word) } else { is_conversion };
    }
    let next = after.trim_start();
    let is_prefix = matches!(word, "r" | "b" | "br" | "rb" | "u" | "c") && after.starts_with(['"', '\'']);
    let is_inside = before.matches(['(', '[', '{']).count() > before.matches([')', ']', '}']).count();
    let is_key = is_inside && (next.starts_with(':') || next.starts_with('=') && !next.starts_with("=="));
    let is_path = after.starts_with("::");
    let is_constant_of_go = language == Language::Go && word == "time" && after.starts_with('.');
    is_member
        || is_prefix
        || is_key
        || is_path
        || is_constant_of_go
        || CONSTANTS.contains(&word)
        || word == "vec" && after.starts_with('!')
}
