//! Helpers for short texts: first sentences, texts cut at a word, texts without an unfinished sentence,
//! line references.

use stategraph_base::has_secret;

use super::quoted::place;
use crate::facts::SourceLines;

/// Returns the first source as a Markdown reference `[path:3-9]`; empty if there is none.
pub(crate) fn first_place(sources: &[SourceLines]) -> String {
    sources.first().map(place).unwrap_or_default()
}

/// Returns a short reference to lines of a file that the surrounding text names: `L5`, or `L5-9`.
pub(crate) fn lines_of(start: usize, end: usize) -> String {
    if start == end { format!("L{start}") } else { format!("L{start}-{end}") }
}

/// Returns the first sentence of a text. A sentence ends with `.`, `!` or `?` before a space and a
/// capital letter, backtick or bracket; `e.g.` and the like do not end it. The whole text if no such
/// end is found.
pub(crate) fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, _)| {
        let rest = &text[at + 1..];
        let next = rest.trim_start().chars().next();
        let is_short = ["e.g", "i.e", "etc", "vs"].iter().any(|word| text[..*at].ends_with(word));
        rest.starts_with(char::is_whitespace)
            && next.is_some_and(|c| c.is_uppercase() || matches!(c, '`' | '['))
            && !is_short
    });
    ends.map_or(text, |(at, stop)| &text[..at + stop.len()])
}

/// Returns true for a text that ends in the middle of a sentence (with `:`, `(` or a word such as `for`
/// or `the`), because the example or list that followed was cut off.
fn is_begun(text: &str) -> bool {
    const LEADS: &[&str] = &[
        "for",
        "with",
        "to",
        "of",
        "like",
        "as",
        "is",
        "are",
        "the",
        "a",
        "an",
        "that",
        "in",
        "by",
        "from",
        "this",
        "given",
        "example",
        "following",
        "i.e",
        "e.g",
        "via",
        "using",
        "and",
        "or",
        "when",
        "where",
        "than",
    ];
    let bare = text.trim_end();
    let last = bare.rsplit(char::is_whitespace).next().unwrap_or_default();
    let word = last.trim_start_matches(['(', '*', '_']).to_lowercase();
    let is_short = matches!(word.as_str(), "i.e." | "e.g.");
    bare.ends_with([':', '(']) || is_short || LEADS.contains(&word.as_str())
}

/// Returns the text up to its last complete sentence if `is_begun` finds that its end is unfinished,
/// else the whole text. Empty if no sentence is complete.
pub(crate) fn without_begun(text: &str) -> &str {
    if !is_begun(text) {
        return text;
    }
    let end = [". ", "! ", "? "].iter().filter_map(|mark| text.trim_end().rfind(mark)).max();
    end.map_or("", |end| &text[..=end])
}

/// Shortens a text to `most` characters, cut at a word and marked with `…`. A shorter text stays as it
/// is. A secret of one word stays whole too, so that the quoter still recognizes and refuses it.
pub(crate) fn cut_at_word(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most).collect();
    if !head.contains(' ') && has_secret(text) {
        return text.to_owned();
    }
    let kept = head.rsplit_once(' ').map_or(head.as_str(), |(kept, _)| kept);
    // An open code span would swallow what follows.
    let kept = if kept.matches('`').count() % 2 == 1 { &kept[..kept.rfind('`').unwrap_or(0)] } else { kept };
    format!("{}…", kept.trim_end_matches([',', ';', ' ', '(']))
}

/// Returns true for a text of at least two words that contains no sign of code such as ` = ` or `=>`.
pub(crate) fn is_prose(text: &str) -> bool {
    let words = text
        .split_whitespace()
        .filter(|word| word.chars().all(|c| c.is_alphabetic() || c.is_ascii_punctuation()));
    let is_code = [" = ", "= ", ">>>", "->", "=>", "();", "({", "$ "].iter().any(|mark| text.contains(mark));
    !is_code && words.filter(|word| word.chars().any(char::is_alphabetic)).count() >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_of_one_word_is_not_cut() {
        let token = format!("eyJ{}", "hbGciOiJIUzI1NiJ9".repeat(5));
        assert_eq!(cut_at_word(&token, 40), token);
        assert_eq!(cut_at_word(&format!("The token {token}"), 40), "The token…");
    }
}
