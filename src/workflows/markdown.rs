//! Escapes texts from outside for Markdown: they are shown as written and add no structure. Shared by
//! the workflows that write documents.

use std::collections::BTreeSet;

/// Returns text for use within a line: characters that Markdown or HTML could take for markup are escaped, line breaks become spaces,
/// control characters are removed.
pub(crate) fn inline(text: &str) -> String {
    escape_all(text, is_line_marker)
}

/// Escapes like [`inline`], for text that does not begin its line, so that markers of lists and rules
/// need no escape.
pub(crate) fn behind(text: &str) -> String {
    escape_all(text, |_| false)
}

/// Joins the words of a text by single spaces and escapes them. `is_line_marker` decides if the first
/// word could begin a list or rule.
fn escape_all(text: &str, is_line_marker: impl Fn(&str) -> bool) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !safe.is_empty() {
            safe.push(' ');
        }
        let marker = is_line_marker(word) && safe.is_empty();
        let length = word.chars().count();
        for (position, (at, c)) in word.char_indices().enumerate() {
            if c == '&' && !begins_reference(&word[at..]) {
                safe.push('&');
                continue;
            }
            escape(c, marker && position + 1 == length, &mut safe);
        }
    }
    safe
}

/// Escapes each line like [`inline`] and keeps the lines; blank lines still separate paragraphs.
pub(crate) fn block(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(inline).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Returns the lines of a Markdown text from outside. Emphasis and code spans stay; headings, fences,
/// quotations, pictures and HTML lose their effect, and blank lines are dropped.
pub(crate) fn plain_lines(text: &str) -> Vec<String> {
    let marks = ['#', '>', '=', '~', ' '];
    let lines = text.lines().map(|line| line.trim_start_matches(marks).trim_end());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("```"));
    lines.map(plain_line).collect()
}

/// Returns a line with its code spans unchanged, and pictures and HTML outside of them escaped.
fn plain_line(line: &str) -> String {
    let visible = |part: &str| part.chars().filter(|c| !c.is_control()).collect::<String>();
    let prose = |part: &str| visible(part).replace('<', "&lt;").replace("![", "!\\[");
    let (mut shown, mut rest) = (String::with_capacity(line.len()), line);
    // Lengths of fences without a partner further on, so that no text is searched for them again.
    let mut alone: BTreeSet<usize> = BTreeSet::new();
    while let Some(at) = rest.find('`') {
        shown.push_str(&prose(&rest[..at]));
        rest = &rest[at..];
        let fence = rest.len() - rest.trim_start_matches('`').len();
        let close = if alone.contains(&fence) { None } else { closing_fence(&rest[fence..], fence) };
        if close.is_none() {
            alone.insert(fence);
        }
        // The text behind a fence without a partner is no code.
        let end = close.map_or(fence, |end| fence + end + fence);
        shown.push_str(&visible(&rest[..end]));
        rest = &rest[end..];
    }
    shown + &prose(rest)
}

/// Returns the byte offset of the first run of exactly `length` backticks; `None` if there is none.
fn closing_fence(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == length {
            return Some(start);
        }
        at = start + run;
    }
    None
}

/// Returns text of several lines as a block quote; no line can leave it.
pub(crate) fn quote(text: &str) -> String {
    let lines = block(text);
    let lines =
        lines.split('\n').map(|line| if line.is_empty() { ">".to_owned() } else { format!("> {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

/// Appends a character to `safe`, escaped if it is markup. `ends_marker` is true for the last character
/// of a word that could begin a list or rule.
fn escape(c: char, ends_marker: bool, safe: &mut String) {
    match c {
        '<' => safe.push_str("&lt;"),
        '>' => safe.push_str("&gt;"),
        '&' => safe.push_str("&amp;"),
        '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '$' => safe.extend(['\\', c]),
        _ if ends_marker && c.is_ascii_punctuation() => safe.extend(['\\', c]),
        _ => safe.push(c),
    }
}

/// Returns true if a text that begins with `&` begins with a character reference (`&amp;`, `&#38;`).
fn begins_reference(text: &str) -> bool {
    let name = text[1..].trim_start_matches('#');
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    rest.len() < name.len() && rest.starts_with(';')
}

/// Returns true for a word that opens a list or a rule, or underlines a heading, at the beginning of a
/// line (`1.`, `-`, `===`).
fn is_line_marker(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = digits.len() < word.len() && matches!(digits, "." | ")");
    number || word.chars().all(|c| matches!(c, '-' | '+' | '=' | ':'))
}

#[cfg(test)]
mod tests {
    use super::plain_lines;

    #[test]
    fn code_keeps_its_signs_whatever_its_fence() {
        let shown = plain_lines("- `A<B>` [`` a`1.cs:5 ``] Fields: `x<y>` <b> `c<d");
        assert_eq!(shown, ["- `A<B>` [`` a`1.cs:5 ``] Fields: `x<y>` &lt;b> `c&lt;d"]);
    }
}
