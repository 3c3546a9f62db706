//! The condition of an `if`, as written.

use super::terms::{is_constant, literals, words};
use crate::repo::Language;

/// Most lines of a condition, and its longest text in characters.
const LINES: usize = 5;
const CHARS: usize = 185;
/// Smallest weight of a condition that is told.
const LEAST: f64 = 2.3;

/// A whole condition.
pub(super) struct WholeCondition {
    pub(super) text: String,
    /// Greater tells more of a rule.
    pub(super) weight: f64,
}

impl WholeCondition {
    pub(super) fn is_telling(&self) -> bool {
        self.weight >= LEAST
    }
}

/// Returns the condition that begins on the first of these lines.
pub(super) fn condition(language: Language, lines: &[&str]) -> Option<WholeCondition> {
    let rest = after_keyword(language, lines.first()?)?;
    let mut text = rest.to_owned();
    let mut more = lines[1..].iter().take(LINES - 1);
    let whole = loop {
        if let Some(whole) = complete(language, &text) {
            break whole;
        }
        if text.len() > CHARS + 80 {
            return None;
        }
        text.push(' ');
        text.push_str(more.next()?);
    };
    let whole = whole.trim();
    // A statement before the condition of Go.
    let whole = whole.rsplit_once("; ").filter(|_| language == Language::Go).map_or(whole, |(_, last)| last);
    let shown = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_short = shown.chars().count() <= CHARS && is_balanced(&shown);
    is_short.then(|| WholeCondition { weight: weight(&shown), text: shown })
}

pub(super) fn after_keyword(language: Language, line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['}', ' ']);
    let keywords: &[&str] = match language {
        Language::Python | Language::Bash => &["if ", "elif "],
        Language::Ruby => &["if ", "elsif ", "unless "],
        Language::Rust | Language::Go => &["if ", "else if "],
        _ => &["if (", "if(", "else if (", "else if(", "elseif ("],
    };
    let keyword = keywords.iter().find(|keyword| line.starts_with(**keyword))?;
    // The word `unless` is a part of the condition.
    let from = if *keyword == "unless " { 0 } else { keyword.trim_end_matches('(').len() };
    Some(&line[from..])
}

/// Returns the condition if the text has all of it.
fn complete(language: Language, text: &str) -> Option<&str> {
    let text = text.trim();
    match language {
        Language::Python => text.strip_suffix(':').filter(|text| is_balanced(text)),
        Language::Ruby => is_balanced(text).then(|| text.strip_suffix(" then").unwrap_or(text)),
        Language::Bash => text.strip_suffix("; then"),
        Language::Rust | Language::Go => text.strip_suffix('{').filter(|text| is_balanced(text)),
        _ => inside_parentheses(text),
    }
}

/// Returns the text inside of the parentheses with which a text begins.
pub(super) fn inside_parentheses(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?;
    let mut depth = 1_usize;
    let mut quote: Option<char> = None;
    let mut before = ' ';
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open && before != '\\' => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => {
                depth -= 1;
                if depth == 0 {
                    return Some(&inner[..at]);
                }
            }
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    None
}

fn is_balanced(text: &str) -> bool {
    [('(', ')'), ('[', ']'), ('{', '}')]
        .iter()
        .all(|(open, close)| text.matches(*open).count() == text.matches(*close).count())
}

/// Returns the weight of a condition: named constants, literals and comparisons with numbers tell a rule; checks for errors and for missing
/// values tell none.
pub(super) fn weight(text: &str) -> f64 {
    const PLAIN: &[&str] = &["err != nil", "err == nil", "DEBUG", "debug", "isTrace", "isDebug", "__name__"];
    if PLAIN.iter().any(|plain| text.contains(plain)) {
        return 0.0;
    }
    let literals = literals(text).filter(|literal| !literal.is_empty()).count();
    let constants = words(text).filter(|word| is_constant(word)).count();
    let numbers =
        words(text).filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_digit())).count();
    let joins = ["&&", "||", " and ", " or "].iter().map(|join| text.matches(join).count()).sum::<usize>();
    let compares = [" < ", " > ", " <= ", " >= "].iter().any(|sign| text.contains(sign));
    let equals =
        [" == ", " === ", " != ", " !== ", " is ", ".equals(", " in "].iter().any(|sign| text.contains(sign));
    let is_missing =
        ["null", "nil", "None", "undefined", "NULL"].iter().any(|word| text.ends_with(word)) && joins == 0;
    if is_missing {
        return 0.0;
    }
    #[allow(clippy::cast_precision_loss, reason = "a condition is short")]
    let many = |count: usize| count.min(2) as f64;
    1.5 * many(literals)
        + 1.5 * many(constants)
        + 1.5 * many(numbers)
        + 0.8 * many(joins)
        + if compares { 1.2 } else { 0.0 }
        + if equals { 0.7 } else { 0.0 }
        - if text.chars().count() > 80 { 0.8 } else { 0.0 }
}
