//! Parses `match` and `switch` statements and their cases.

use super::heads::without_braces;
use super::statements::outside;
use crate::repo::Language;

/// Case of a `match` or `switch`: its pattern and the statement behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CaseHead {
    /// Pattern without keyword and sign: `A | B`, `default`.
    pub(super) pattern: String,
    /// Statement behind the pattern on the same line, may be empty. With a brace at its end it opens a
    /// block of its own.
    pub(super) inline: String,
}

impl CaseHead {
    /// Returns true for the case that covers all other values: `default`, `else`, `_`, `*`, or a single
    /// name in Rust.
    pub(super) fn is_default(&self, language: Language) -> bool {
        let pattern = self.pattern.as_str();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        matches!(pattern, "default" | "else" | "_" | "*")
            || language == Language::Rust && pattern.chars().all(is_name)
    }
}

/// Returns true for a case in a language (all but Rust) whose cases may stand in the column of their
/// `switch`.
pub(super) fn is_case(language: Language, text: &str) -> bool {
    language != Language::Rust && case(language, text).is_some()
}

/// Returns true for a statement with a `match`, `switch` or `select`, also as the value of an
/// assignment or `return`.
pub(super) fn is_switch(language: Language, text: &str) -> bool {
    let first = text.split([' ', '(']).next().unwrap_or_default();
    let is_value =
        |word: &str| [" = ", "return "].iter().any(|before| text.contains(&format!("{before}{word}")));
    match language {
        Language::Rust => (first == "match" || is_value("match ")) && text.ends_with('{'),
        Language::Python => first == "match",
        Language::Ruby => first == "case",
        Language::Bash => first == "case" && text.ends_with(" in"),
        Language::Go => matches!(first, "switch" | "select") && text.ends_with('{'),
        Language::CSharp => first == "switch" || text.ends_with(" switch {"),
        Language::Php => first == "switch" || is_value("match ("),
        _ => first == "switch" || is_value("switch ("),
    }
}

/// Returns the head of a `match` or `switch` without the text before its keyword: `match a` of `let x =
/// match a`.
pub(super) fn subject(text: &str) -> String {
    let from = ["match ", "switch ", "switch("].iter().find_map(|word| text.find(word)).unwrap_or_default();
    let text = text[from..].trim_start_matches("return ");
    text.strip_suffix(" in").unwrap_or(text).to_owned()
}

/// Splits a case into its pattern and the statement behind it on the same line; `None` if the text is
/// no case of the language.
pub(super) fn case(language: Language, text: &str) -> Option<CaseHead> {
    let made = |pattern: &str, inline: &str| {
        let inline = inline.trim().trim_end_matches([',', ' ']);
        CaseHead { pattern: pattern.trim().to_owned(), inline: without_braces(inline).to_owned() }
    };
    let arrow = |text: &str, sign: &str| {
        let at = find_outside(text, sign)?;
        Some(made(&text[..at], &text[at + sign.len()..]))
    };
    match language {
        Language::Rust => arrow(text, "=>"),
        Language::Ruby => {
            if text == "else" {
                return Some(made("else", ""));
            }
            let rest = ["when ", "in "].iter().find_map(|word| text.strip_prefix(word))?;
            let (pattern, inline) = rest.split_once(" then ").unwrap_or((rest, ""));
            Some(made(pattern, inline))
        }
        Language::Bash => {
            let at = outside(text).find(|(_, c)| *c == ')').map(|(at, _)| at)?;
            let pattern = text[..at].trim_start_matches('(');
            let is_pattern = !pattern.contains('(') && !pattern.replace(" | ", "|").contains(' ');
            is_pattern.then(|| made(pattern, text[at + 1..].trim().trim_end_matches([';', ' '])))
        }
        _ => {
            let is_default = text.strip_prefix("default").is_some_and(|rest| {
                let rest = rest.trim_start();
                rest.starts_with([':', '{']) || rest.starts_with("->") || rest.starts_with("=>")
            });
            let rest = match text.strip_prefix("case ") {
                Some(rest) => rest,
                None if is_default => text,
                None if matches!(language, Language::CSharp | Language::Php) => return arrow(text, "=>"),
                None => return None,
            };
            let by_arrow = match language {
                Language::Java => arrow(rest, "->"),
                Language::Php => arrow(rest, "=>"),
                _ => None,
            };
            // `case A: f = x -> y` has its arrow in the statement.
            by_arrow.filter(|it| colon(&it.pattern).is_none()).or_else(|| {
                let colon = colon(rest)?;
                Some(made(&rest[..colon], &rest[colon + 1..]))
            })
        }
    }
}

/// Returns the byte offset of the first `:` outside of literals and brackets that is no part of `::` or
/// `:=`; it ends a condition or pattern.
pub(super) fn colon(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut is_path = false;
    for (at, c) in outside(text) {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ':' if depth == 0 && !is_path && !text[at..].starts_with(":=") => {
                if !text[at..].starts_with("::") {
                    return Some(at);
                }
                is_path = true;
                continue;
            }
            _ => {}
        }
        is_path = false;
    }
    None
}

/// Returns the byte offset of the first `sign` outside of literals and brackets.
fn find_outside(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in outside(text) {
        match c {
            _ if depth == 0 && text[at..].starts_with(sign) => return Some(at),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}
