//! Sentences of the README about the users and the requirements of the product.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{cut_at_word, is_prose};
use crate::facts::{FactSubject, SourceLines};

/// Lines of a README that are read, and the longest of them in bytes.
const LINES: usize = 600;
const LINE: usize = 600;
/// Longest quotation, in characters.
const CHARS: usize = 320;
/// Maximum of lines about requirements.
const REQUIREMENTS: usize = 2;
/// Lines between the purpose and the paragraph behind it.
const GAP: usize = 3;

/// Adds to the purpose the paragraph of the README that follows it, and at most 2 lines that state required
/// versions. Does nothing if the purpose is not from a README.
pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let Some((_, source)) = survey.purpose_of(&FactSubject::Repository) else { return };
    if !source.path.to_lowercase().starts_with("readme") {
        return;
    }
    let Ok((_, text)) = survey.code.text(&source.path) else { return };
    let lines: Vec<&str> = text.lines().take(LINES).collect();
    let mut last = source.end;
    if let Some((start, end, said)) = paragraph(&lines, source.end) {
        let at = SourceLines { path: source.path.clone(), start, end };
        if let Some(said) = survey.quoter.prose(&cut_at_word(&said, CHARS)) {
            draft.add(ContextSection::Purpose, 110.0, "", format!("{said} {}\n", place(&at)));
            last = end;
        }
    }
    let mut in_fence = false;
    let mut told = 0;
    for (at, line) in lines.iter().enumerate() {
        in_fence ^= line.trim_start().starts_with("```");
        let number = at + 1;
        let is_told = (source.start..=last).contains(&number);
        if in_fence || is_told || told == REQUIREMENTS || !is_requirement(line) {
            continue;
        }
        let at = SourceLines { path: source.path.clone(), start: number, end: number };
        let said = line.trim().trim_start_matches(['-', '*', '+', '>', '\\', ' ']);
        if let Some(said) = survey.quoter.prose(&cut_at_word(&without_links(said), CHARS / 2)) {
            draft.add(ContextSection::Purpose, 100.0, "requirements", format!("- {said} {}", place(&at)));
            told += 1;
        }
    }
}

/// Returns the paragraph of prose within the 3 lines behind line `after`: its first line, its last line and
/// its text without links. Lines count from 1. `None` if it is not a whole paragraph of sentences.
fn paragraph(lines: &[&str], after: usize) -> Option<(usize, usize, String)> {
    let from = (after..lines.len()).take(GAP).find(|at| !lines[*at].trim().is_empty())?;
    let is_text = |line: &str| {
        let bare = line.trim();
        !bare.is_empty()
            && line.len() <= LINE
            && bare.starts_with(|c: char| c.is_alphabetic() || matches!(c, '`' | '_' | '('))
    };
    let is_border =
        |line: &str| line.trim().is_empty() || line.trim_start().starts_with(['#', '-', '|', '<', '!']);
    let count = lines[from..].iter().take(8).take_while(|line| !is_border(line)).count();
    let is_whole = is_text(lines[from]) && lines.get(from + count).is_none_or(|line| is_border(line));
    let said = without_links(&lines[from..from + count].join(" "));
    let is_sentence = is_whole
        && count > 0
        && is_prose(&said)
        && said.split_whitespace().count() > 5
        && !said.ends_with(':')
        && !said.contains(['<', '&'])
        && !said.to_lowercase().contains("readme");
    is_sentence.then_some((from + 1, from + count, said))
}

/// Replaces Markdown links by their text: `[text](address)` → `text`.
pub(super) fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(middle) = rest[open..].find("](") else { break };
        let Some(close) = rest[open + middle..].find(')') else { break };
        out.push_str(&rest[..open]);
        out.push_str(&rest[open + 1..open + middle]);
        rest = &rest[open + middle + close + 1..];
    }
    out.push_str(rest);
    out
}

/// Returns true for a line of prose that states a lowest version, such as "Requires Python 3.9 or later".
fn is_requirement(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "requires ",
        "require ",
        "required",
        "requirement",
        "needs ",
        "must have",
        "make sure that you have",
        "minimum version",
    ];
    const BOUNDS: &[&str] = &[
        ">=",
        "≥",
        "or later",
        "or newer",
        "or above",
        "or higher",
        "and above",
        "and later",
        "at least",
        "+",
    ];
    let lower = line.to_lowercase();
    let bare = line.trim().trim_start_matches(['-', '*', '+', '>', '\\', ' ', '`']);
    let is_text = line.len() <= LINE
        && bare.starts_with(char::is_uppercase)
        && !line.contains('|')
        && !lower.contains("http")
        && line.split_whitespace().count() > 2;
    let has_version = bare
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .any(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    is_text
        && has_version
        && WORDS.iter().any(|word| lower.contains(word))
        && BOUNDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{is_requirement, paragraph, without_links};

    #[test]
    fn the_paragraph_behind_the_purpose_is_prose_or_nothing() {
        let lines =
            ["Shop sells.", "", "It is made for [small](http://x) shops", "with one owner.", "", "# More"];
        let found = paragraph(&lines, 1);
        assert_eq!(found, Some((3, 4, "It is made for small shops with one owner.".to_owned())));
        for next in
            ["# More", "![x](y)", "- a list of things that are here", "Usage of it is as follows here:"]
        {
            assert_eq!(paragraph(&["Shop sells.", "", next], 1), None, "{next}");
        }
        assert_eq!(paragraph(&["é"], 9), None);
        assert_eq!(without_links("a [b](c"), "a [b](c");
    }

    #[test]
    fn a_line_with_a_lowest_version_is_a_requirement() {
        assert!(is_requirement("Shop requires Redis >= 5 or Valkey >= 7.2."));
        assert!(!is_requirement("Shop requires care."));
        assert!(!is_requirement("| requires | 5 |"));
    }
}
