//! Comments in the code that call themselves a note, a warning or the like: traps that no document tells.

use super::super::draft::{ContextSection, LineDraft};
use super::super::quoted::place;
use super::super::survey::Survey;
use super::{cut_at_word, falling};
use crate::facts::{PathRole, SourceLines};

/// Maximum of files that are read, of comments, and of lines and characters of a comment.
const FILES: usize = 60;
const COMMENTS: usize = 8;
const LINES: usize = 5;
const CHARS: usize = 240;
/// Minimum length of the text behind the mark, in characters.
const LEAST: usize = 25;

/// Words with which such comments begin, in capitals or before `:` and `!`.
const MARKS: &[&str] =
    &["note", "warning", "important", "caution", "beware", "hack", "xxx", "danger", "attention", "careful"];

pub(super) fn add(survey: &Survey, draft: &mut LineDraft) {
    let mut at = 0;
    for file in survey.central.iter().take(FILES) {
        if PathRole::of(&file.path) != PathRole::Runtime {
            continue;
        }
        let Ok((_, text)) = survey.code.text(&file.path) else { continue };
        for (start, end, said) in warnings(&text) {
            let source = SourceLines { path: file.path.clone(), start, end };
            let Some(said) = survey.quoter.prose(&cut_at_word(&said, CHARS)) else { continue };
            let text = format!("- A comment: {said} {}", place(&source));
            draft.add(ContextSection::Unseen, falling(48.0, at, 3.0), "comments with a warning", text);
            at += 1;
            if at == COMMENTS {
                return;
            }
        }
    }
}

/// Returns the comments with a mark, each with its first and last line.
fn warnings(text: &str) -> Vec<(usize, usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(first) = comment(line).filter(|text| is_marked(text)) else { continue };
        if found.last().is_some_and(|(_, end, _)| at < *end) {
            continue;
        }
        let more = lines[at + 1..].iter().map_while(|line| comment(line));
        let more = more.take_while(|text| {
            !text.is_empty() && !text.starts_with('@') && !is_marked(text) && !text.starts_with("TODO")
        });
        let parts: Vec<&str> = std::iter::once(first).chain(more.take(LINES - 1)).collect();
        let goes_on =
            lines.get(at + parts.len()).and_then(|line| comment(line)).is_some_and(|text| !text.is_empty())
                || lines[at].trim_start().starts_with("/*")
                    && !lines[at..at + parts.len()].iter().any(|line| line.contains("*/"));
        let joined = format!("{}{}", join_lines(&parts), if goes_on { "…" } else { "" });
        let told = joined.split_once([':', '!', ' ']).map_or("", |(_, rest)| rest).trim();
        // What it speaks of stands beside it.
        let needs_code =
            ["this ", "these ", "it ", "that "].iter().any(|word| told.to_lowercase().starts_with(word));
        if told.chars().count() >= LEAST && !needs_code {
            found.push((at + 1, at + parts.len(), joined));
        }
    }
    found
}

/// Joins the lines of a comment. A sentence that ends without a stop gets one.
fn join_lines(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let is_end = text.ends_with(|c: char| c.is_alphanumeric()) && line.starts_with(char::is_uppercase);
        text.push_str(if text.is_empty() {
            ""
        } else if is_end {
            ". "
        } else {
            " "
        });
        text.push_str(line);
    }
    text
}

/// Returns the text of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let bare = line.trim();
    let text = ["///", "//!", "//", "/**", "/*", "*/", "* ", "# ", "-- "]
        .iter()
        .find_map(|sign| bare.strip_prefix(sign));
    let text = text.or_else(|| (bare == "*" || bare == "#").then_some(""))?;
    Some(text.trim_end_matches("*/").trim())
}

/// Returns true for a text that begins with a mark: `NOTE that`, `Note: `, `WARNING!`.
fn is_marked(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '!', ' ', '@']);
    let end = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let is_loud = word.chars().all(char::is_uppercase);
    MARKS.contains(&word.to_lowercase().as_str()) && (is_loud || rest.starts_with([':', '!']))
}

#[cfg(test)]
mod tests {
    use super::warnings;

    #[test]
    fn a_comment_with_a_mark_is_told_to_its_end() {
        let text = "// NOTE! The table is read before the registry,\n// so keep the order of these.\nlet a = 1;\n// Notes are kept.\n/* Warning: a b */\n# XXX the lock is taken twice here, see the pool\n";
        assert_eq!(
            warnings(text),
            [
                (1, 2, "NOTE! The table is read before the registry, so keep the order of these.".to_owned()),
                (6, 6, "XXX the lock is taken twice here, see the pool".to_owned()),
            ]
        );
    }
}
