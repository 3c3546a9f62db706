//! Texts from the repository as one line of Markdown: escaped, without secrets and without instructions
//! to agents.

use std::cell::RefCell;
use std::collections::BTreeSet;

use stategraph_base::{has_secret, is_deceptive};

use crate::facts::{SourceLines, without_strong};
use crate::repo::code_words;
use crate::workflows::survey::orders::speaks_to_agents;

/// Quoter of texts from the repository. It refuses unsafe texts and keeps them for a count. Each
/// `Survey` has one.
#[derive(Debug, Default)]
pub(crate) struct Quoter {
    refused: RefCell<BTreeSet<String>>,
}

impl Quoter {
    /// Returns the number of different texts that were refused.
    pub(crate) fn refused(&self) -> usize {
        self.refused.borrow().len()
    }

    /// Returns the text as one line of Markdown prose. Its code spans stay; other markup is escaped.
    /// `None` if the text is empty or refused.
    pub(crate) fn prose(&self, text: &str) -> Option<String> {
        let line = without_outer_emphasis(&self.admit(text)?);
        let mut safe = String::with_capacity(line.len() + 8);
        let mut parts = line.split('`').peekable();
        let mut is_code = false;
        while let Some(part) = parts.next() {
            // The text behind a last, unpaired backtick is prose.
            let is_last = parts.peek().is_none();
            if is_code && !is_last && is_span(part) {
                safe.push_str(&span(part));
            } else {
                safe.push_str(&words(part));
            }
            is_code = !is_code;
        }
        Some(safe.trim().to_owned()).filter(|safe| !safe.is_empty())
    }

    /// Returns the text as one code span. `None` if the text is empty or refused.
    pub(crate) fn code(&self, text: &str) -> Option<String> {
        let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.admit(text)?;
        let line = code_words(&plain).join(" ");
        (!line.is_empty()).then(|| span(&line))
    }

    /// Joins the words of a text to one line, without control characters. `None` if the text is empty
    /// or must not be quoted; the latter is added to the refused texts.
    fn admit(&self, text: &str) -> Option<String> {
        if is_refused(text) {
            self.refused.borrow_mut().insert(text.to_owned());
            return None;
        }
        let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        let line = words.collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then_some(line)
    }
}

/// Returns true for a text that must not be quoted: it has hidden characters, a secret, or orders to
/// agents. Call it before a text is cut, because a piece of a secret does not look like one.
pub(crate) fn is_refused(text: &str) -> bool {
    text.chars().any(is_hidden) || has_secret(text) || speaks_to_agents(text)
}

/// Returns a reference to lines of a file as Markdown: `[path:3]`, `[path:3-9]`. A path with characters
/// that Markdown would interpret becomes a code span.
pub(crate) fn place(lines: &SourceLines) -> String {
    let text = lines.to_string();
    let is_plain =
        text.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':' | '@' | '+'))
            && !text.contains("__");
    if is_plain { format!("[{text}]") } else { format!("[{}]", span(&one_line(&text))) }
}

/// Returns a path as a code span. A path that speaks to agents is replaced by a placeholder.
pub(crate) fn path_span(path: &str) -> String {
    span(&one_line(path))
}

/// Returns a path without control and hidden characters. A path that speaks to agents is replaced by a
/// placeholder, because a path cannot be left out.
fn one_line(text: &str) -> String {
    if speaks_to_agents(text) {
        return "(a path with words to agents)".to_owned();
    }
    text.chars().filter(|c| !c.is_control() && !is_hidden(*c)).collect()
}

/// Removes the stars of an emphasis that has code inside: `*does not run missed `jobs` again*`.
fn without_outer_emphasis(text: &str) -> String {
    let is_outside = |at: usize| text[..at].matches('`').count().is_multiple_of(2);
    let is_single = |at: usize| !text[..at].ends_with('*') && !text[at + 1..].starts_with('*');
    let stars: Vec<usize> =
        text.match_indices('*').map(|(at, _)| at).filter(|at| is_outside(*at) && is_single(*at)).collect();
    let [open, close] = stars[..] else { return text.to_owned() };
    let inside = &text[open + 1..close];
    let is_emphasis = !text[..open].ends_with(|c: char| c.is_alphanumeric())
        && inside.starts_with(|c: char| c.is_alphanumeric() || c == '`')
        && inside.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '.'))
        && inside.contains('`');
    if is_emphasis { format!("{}{inside}{}", &text[..open], &text[close + 1..]) } else { text.to_owned() }
}

fn is_span(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Returns a Markdown code span whose fence of backticks is longer than any run of backticks inside.
fn span(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

/// Escapes prose word by word and removes marks of emphasis. A word that looks like a name of code
/// (`a_b`, `Vec<T>`) becomes a code span, because escapes inside it are hard to read.
fn words(text: &str) -> String {
    let text = without_emphasis(&without_emphasis(&without_strong(text), '*'), '_');
    let mut safe = String::with_capacity(text.len());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            safe.push(' ');
        }
        let inner = word
            .trim_matches(|c: char| matches!(c, '(' | ')' | ',' | '.' | ';' | ':' | '!' | '?' | '"' | '\''));
        let is_name = (inner.chars().any(|c| matches!(c, '_' | '<' | '>' | '&' | '\\' | '*' | '$'))
            // A path, and not the tilde of an exclamation.
            || inner.contains("~/"))
            && inner.chars().any(char::is_alphanumeric)
            && !inner.starts_with('*');
        match word.find(inner).filter(|_| is_name) {
            Some(start) => {
                let end = start + inner.len();
                safe.push_str(&word[..start]);
                safe.push_str(&span(inner));
                safe.push_str(&word[end..]);
            }
            None => word.chars().for_each(|c| escape(c, &mut safe)),
        }
    }
    safe
}

/// Returns prose without the pairs of `mark` (`*` or `_`) that emphasize words: `*Default:* none`
/// becomes `Default: none`. Other marks stay.
fn without_emphasis(text: &str, mark: char) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(mark) {
        let (before, inside) = (&rest[..at], &rest[at + 1..]);
        kept.push_str(before);
        let opens = kept.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '"'))
            && inside.starts_with(char::is_alphanumeric);
        let end = inside.find(mark).filter(|end| {
            let (said, after) = (&inside[..*end], inside[end + 1..].chars().next());
            !said.ends_with(char::is_whitespace)
                && after.is_none_or(|c| c.is_whitespace() || c.is_ascii_punctuation() && !"/*_".contains(c))
                && is_emphasis(said)
        });
        if let Some(end) = end.filter(|_| opens) {
            kept.push_str(&inside[..end]);
            rest = &inside[end + 1..];
        } else {
            kept.push(mark);
            rest = inside;
        }
    }
    kept.push_str(rest);
    kept
}

/// Returns true if the words between two marks are emphasized prose: more than three words, or an end
/// in `.` or `:`, and no `_`. `*test or spec*` is a pair of patterns and not emphasis.
fn is_emphasis(said: &str) -> bool {
    (said.ends_with(['.', ':']) || said.split_whitespace().count() > 3) && !said.contains('_')
}

/// Appends a character to `safe`, escaped if Markdown or HTML could take it for markup.
fn escape(c: char, safe: &mut String) {
    match c {
        '<' => safe.push_str("&lt;"),
        '\\' | '*' | '_' | '[' | ']' | '#' | '|' | '~' => safe.extend(['\\', c]),
        '`' => safe.push('\''),
        _ => safe.push(c),
    }
}

/// Returns true for a control character other than white space, and for a character that deceives
/// readers.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !c.is_whitespace()) || is_deceptive(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_around_patterns_and_names_are_kept() {
        let quoted = |text: &str| Quoter::default().prose(text).unwrap_or_default();
        assert_eq!(quoted("_Not in the library._ *Default:* none"), "Not in the library. Default: none");
        assert_eq!(quoted("It is *not meant for you* at all"), "It is not meant for you at all");
        assert_eq!(quoted("Files named *test or spec*, see"), "Files named \\*test or `spec*`, see");
        assert_eq!(quoted("see _private or public_ names"), "see `_private` or `public_` names");
    }
}
