//! Text of strangers made safe for a document that coding agents obey: visible characters alone, no secrets, no words to agents, and
//! fences that nothing inside can close.

use stategraph_base::{has_secret, is_deceptive};

use crate::facts::without_strong;
use crate::workflows::markdown;
use crate::workflows::survey::orders::speaks_to_agents;

/// Longest quoted line, in characters.
const LINE_CHARS: usize = 180;

/// The reason why a text of strangers must not be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WithheldReason {
    /// It has a key, a token or a password.
    Secret,
    /// It speaks to an agent, or has characters that reorder or hide words.
    Order,
}

/// Checks a text of strangers and returns the reason why it must not be quoted; `None` if it may be.
pub(super) fn withheld(text: &str) -> Option<WithheldReason> {
    if has_secret(text) {
        return Some(WithheldReason::Secret);
    }
    let is_order = text.chars().any(is_deceptive) || speaks_to_agents(text);
    is_order.then_some(WithheldReason::Order)
}

/// Longest quoted prose, in characters.
const PROSE_CHARS: usize = 300;

/// Turns a text of strangers into one line of safe Markdown, at most 300 characters: markup is escaped, text
/// in backticks stays code. `None` if it is empty or withheld.
pub(super) fn prose(text: &str) -> Option<String> {
    let line = without_strong(&text.split_whitespace().collect::<Vec<_>>().join(" ")).replace("``", "`");
    if line.is_empty() || withheld(&line).is_some() {
        return None;
    }
    let line = shorten(&line, PROSE_CHARS);
    let parts: Vec<&str> = line.split('`').collect();
    // Without a partner a mark is a character like others.
    let is_paired = parts.len() % 2 == 1;
    let mut safe = String::new();
    for (index, part) in parts.iter().enumerate() {
        match code_span(part) {
            Some(code) if is_paired && index % 2 == 1 => safe.push_str(&code),
            _ => safe.push_str(&escape(part)),
        }
    }
    (!safe.trim().is_empty()).then(|| safe.trim().to_owned())
}

/// Escapes the Markdown in a part of a line; a space at its beginning and end is kept.
fn escape(part: &str) -> String {
    let inner = plain_underscores(&markdown::behind(part));
    let before = if part.starts_with(' ') { " " } else { "" };
    let after = if part.ends_with(' ') && !inner.is_empty() { " " } else { "" };
    format!("{before}{inner}{after}")
}

/// Removes the backslash before an underscore inside a word, where it is no markup: `expires\_at` →
/// `expires_at`.
fn plain_underscores(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_inner = c == '\\' && chars.peek() == Some(&'_') && plain.ends_with(char::is_alphanumeric);
        let next = is_inner.then(|| chars.clone().nth(1)).flatten();
        if !next.is_some_and(char::is_alphanumeric) {
            plain.push(c);
        }
    }
    plain
}

/// Returns a text as an inline code span, on one line, at most 180 characters, in backticks longer than any
/// inside; `None` if it is withheld or empty.
pub(super) fn code_span(text: &str) -> Option<String> {
    let line = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(|c| !c.is_control());
    let line = shorten(line.collect::<String>().trim(), LINE_CHARS);
    if line.is_empty() || withheld(&line).is_some() {
        return None;
    }
    let ticks = "`".repeat(longest_run(&line, '`') + 1);
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    Some(format!("{ticks}{space}{line}{space}{ticks}"))
}

/// Returns lines of code as a fenced Markdown block, with a fence longer than any inside. A withheld line is
/// replaced by a remark.
pub(super) fn fenced(lines: &[String]) -> String {
    let safe: Vec<String> = lines.iter().map(|line| safe_line(line)).collect();
    let longest = safe.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}\n{}\n{fence}", safe.join("\n"))
}

fn safe_line(line: &str) -> String {
    match withheld(line) {
        Some(WithheldReason::Secret) => "… (a line with a secret is left out)".to_owned(),
        Some(WithheldReason::Order) => {
            "… (a line is left out: it speaks to agents or hides characters)".to_owned()
        }
        None => {
            let visible = line.replace('\t', "    ");
            let visible: String = visible.chars().filter(|c| !c.is_control()).collect();
            shorten(visible.trim_end(), LINE_CHARS)
        }
    }
}

fn shorten(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn longest_run(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

/// Returns the first sentence of a text: up to `.`, `!` or `?` before whitespace and no lower-case letter.
/// The whole text if there is no such end.
pub(super) fn first_sentence(text: &str) -> &str {
    let end = text.match_indices(['.', '!', '?']).find(|(at, _)| {
        let rest = &text[at + 1..];
        let is_short = ["e.g", "i.e", "etc", "vs", "cf"].iter().any(|word| text[..*at].ends_with(word));
        let next = rest.trim_start().chars().next();
        rest.starts_with(char::is_whitespace) && next.is_some_and(|c| !c.is_lowercase()) && !is_short
    });
    end.map_or(text, |(at, mark)| &text[..at + mark.len()])
}
