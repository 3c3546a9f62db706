//! Numbers of a statement with their units, byte for byte.

use super::tokens::{Speech, Token};

/// Words between a unit and the unit that it is counted by.
const PER: &str = " per a an / ";

/// Returns the ranges of the quantities among the tokens: a number, its unit, and "per …".
pub(super) fn quantities(tokens: &[Token<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !is_value(&tokens[at]) {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        // "5 to 10", "5 or 10", "3 - 5".
        let joins = tokens.get(at).is_some_and(|it| it.is(" to or and ") || it.text == "-" || it.text == "–");
        if joins && tokens.get(at + 1).is_some_and(is_value) {
            at += 2;
        }
        while tokens.get(at).is_some_and(|it| it.speech == Speech::Adjective || is_value(it))
            && tokens.get(at + 1).is_some()
        {
            at += 1;
        }
        if tokens.get(at).is_some_and(|it| {
            matches!(it.speech, Speech::Noun) || it.text.starts_with('%') || it.is(" am pm ")
        }) {
            // "3,000 PDF pages": an abbreviation before the unit.
            let is_abbreviation = |text: &str| text.len() > 1 && text.chars().all(char::is_uppercase);
            let is_noun = |at: usize| tokens.get(at).is_some_and(|it: &Token<'_>| it.speech == Speech::Noun);
            at += if is_abbreviation(tokens[at].text) && is_noun(at + 1) { 2 } else { 1 };
            if tokens.get(at).is_some_and(|it| it.is(PER))
                && tokens.get(at + 1).is_some_and(|it| {
                    it.is(" second minute hour day week month year ")
                        || (it.speech == Speech::Noun && tokens[at].is(" per / "))
                })
            {
                at += 2;
            }
        }
        // "two files" counts; a number word alone does not.
        if at > start + 1 || tokens[start].text.starts_with(|c: char| !c.is_alphabetic()) {
            found.push(start..at);
        }
    }
    found
}

/// Returns the start of the words before a number that make it a limit or an estimate: "about", "at most", "no more than".
pub(super) fn bound(tokens: &[Token<'_>], number: usize) -> usize {
    let is = |at: usize, words: &'static str| tokens.get(at).is_some_and(|it| it.is(words));
    let two = number.checked_sub(2);
    if let Some(at) = two.filter(|at| is(*at, " no not ") && is(at + 1, " over above more ")) {
        return at;
    }
    let is_pair = |at: &usize| {
        is(*at, " at ") && is(at + 1, " most least ")
            || is(*at, " up ") && is(at + 1, " to ")
            || is(*at, " more less fewer ") && is(at + 1, " than ")
    };
    if let Some(at) = two.filter(is_pair) {
        return if at > 0 && is(at - 1, " no not ") { at - 1 } else { at };
    }
    let one = number.checked_sub(1);
    let is_single = |at: &usize| {
        is(*at, " about around roughly approximately nearly almost over under below above within ")
    };
    one.filter(is_single).unwrap_or(number)
}

fn is_value(token: &Token<'_>) -> bool {
    token.speech == Speech::Number
}
