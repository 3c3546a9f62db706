//! Sentences around a command: a prohibition or a quotation is no order to run it; "run cargo fmt" without marks of code is one. Pure.

use std::ops::Range;

use super::commands::StatedCommands;

/// Words that forbid, in lower case.
const FORBIDDING: &[&str] =
    &["never", "do not", "don't", "must not", "should not", "may not", "cannot", "can't", "avoid"];
/// Words between a prohibition, or an order, and its command.
const RUN: &[&str] = &["run", "running", "use", "using", "call", "calling", "execute", "executing", "type"];
/// Words after which a text is quoted.
const QUOTING: &[&str] = &[
    "text", "string", "literal", "message", "line", "value", "input", "example", "case", "sample", "says",
    "prints", "contains", "returns", "outputs", "matches", "accepts", "rejects",
];
/// Words that end a command without marks of code.
const AFTER: &[&str] = &[
    "to", "in", "on", "for", "before", "after", "with", "and", "or", "from", "at", "as", "the", "a", "is",
    "only", "first", "then", "again", "once", "if", "when", "by", "here", "there", "it", "this", "that",
    "until", "so",
];
/// Most commands of an enumeration that one prohibition is for.
const ENUMERATED: usize = 8;
/// Longest command without marks of code, in words.
const WORDS: usize = 8;

/// Returns true if `before`, the text before a command, forbids it: "never run". Of "never run `a` or `b`",
/// `b` is forbidden too.
pub(super) fn is_forbidden(before: &str) -> bool {
    let mut before = before.trim_end();
    // `git push --force` or `git reset --hard`
    for _ in 0..ENUMERATED {
        let ends = ["` or", "` nor", "`,"];
        let Some(rest) = ends.iter().find_map(|end| before.strip_suffix(end)) else { break };
        before = rest.rfind('`').map_or("", |at| rest[..at].trim_end());
    }
    let before = tail(before).to_lowercase();
    let words = RUN.iter().find_map(|word| before.strip_suffix(word)).unwrap_or(&before).trim_end();
    FORBIDDING.iter().any(|word| ends_with_word(words, word))
}

/// Returns true if the last word before a text says that the text is a quotation, such as "message" or
/// "prints".
pub(super) fn is_quoted(before: &str) -> bool {
    let before = tail(before.trim_end()).to_lowercase();
    QUOTING.iter().any(|word| ends_with_word(&before, word))
}

/// Returns true if the last word before a text tells to run it, such as "run" or "use".
pub(super) fn is_ordered(before: &str) -> bool {
    let before = tail(before.trim_end()).to_lowercase();
    RUN.iter().any(|word| ends_with_word(&before, word))
}

/// Returns the last 40 bytes of a text, or slightly more.
fn tail(text: &str) -> &str {
    let start = (0..=text.len().saturating_sub(40)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[start..]
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

/// Returns the byte ranges of commands without backticks that the prose tells to run: "run cargo fmt". Only
/// clear ones: known programs with one argument, an option or a pipe.
pub(super) fn ordered_commands(
    text: &str,
    range: Range<usize>,
    stated: &StatedCommands,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let words = words_of(text, range);
    for (number, word) in words.iter().enumerate() {
        let is_order = RUN.iter().any(|run| text[word.clone()].eq_ignore_ascii_case(run));
        let Some(first) = words.get(number + 1).filter(|_| is_order) else { continue };
        if is_forbidden(&text[..word.start]) {
            continue;
        }
        let rest = words[number + 1..].iter().take(WORDS);
        let mut last = None;
        for word in rest {
            let said = &text[word.clone()];
            let plain = said.trim_end_matches(['.', ',', ';', ':', '!', '?']);
            if AFTER.contains(&plain) {
                break;
            }
            last = Some(word.start + plain.len());
            if plain.len() < said.len() {
                break;
            }
        }
        let Some(end) = last else { continue };
        let has_option = text[first.start..end].split(' ').any(|word| word.starts_with("--"));
        let command = &text[first.start..end];
        let is_sure = has_option || command.contains('|') || command.split(' ').count() == 2;
        if is_sure && stated.is_command(command) {
            found.push(first.start..end);
        }
    }
    found
}

fn words_of(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let (mut words, mut start) = (Vec::new(), None);
    for (at, c) in text[range.clone()].char_indices() {
        let at = range.start + at;
        match (c.is_whitespace(), start) {
            (true, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|from| from..range.end));
    words
}
