//! Finds numbers with their units in a statement, byte for byte.

use super::lexicon::is_in;
use super::tokens::{Token, WordClass};

/// Number words that may be joined to a unit, as in "two-hour".
const NUMBERS: &str = " one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty sixty ninety ";
/// Units that may be joined to a number.
const UNITS: &str = " second minute hour day week month year page character word digit person metre meter mile km kb mb gb percent ";

/// Words between a unit and the unit that it is counted by, as in "requests per day".
const PER: &str = " per a an / ";

/// Returns the token ranges of the quantities: a number or a range of numbers, its unit, and "per …". A
/// number word alone ("two") is none.
pub(super) fn quantities(tokens: &[Token<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_counted_unit(&tokens[at]) {
            let has_noun = tokens.get(at + 1).is_some_and(|next| next.speech == WordClass::Noun);
            let end = at + 1 + usize::from(has_noun);
            found.push(at..end);
            at = end;
            continue;
        }
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
        while tokens.get(at).is_some_and(|it| it.speech == WordClass::Adjective || is_value(it))
            && tokens.get(at + 1).is_some()
        {
            at += 1;
        }
        if tokens.get(at).is_some_and(|it| {
            matches!(it.speech, WordClass::Noun) || it.text.starts_with('%') || it.is(" am pm ")
        }) {
            // "3,000 PDF pages": an abbreviation before the unit.
            let is_abbreviation = |text: &str| text.len() > 1 && text.chars().all(char::is_uppercase);
            let is_noun =
                |at: usize| tokens.get(at).is_some_and(|it: &Token<'_>| it.speech == WordClass::Noun);
            at += if is_abbreviation(tokens[at].text) && is_noun(at + 1) { 2 } else { 1 };
            if tokens.get(at).is_some_and(|it| it.is(PER))
                && tokens.get(at + 1).is_some_and(|it| {
                    it.is(" second minute hour day week month year ")
                        || (it.speech == WordClass::Noun && tokens[at].is(" per / "))
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

/// Returns the index of the first token of a bound before the number at index `number`, such as
/// "about", "at most" or "no more than"; `number` itself if there is none.
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

/// Returns true for a number that is joined to its unit, such as "two-hour" or "30-day".
fn is_counted_unit(token: &Token<'_>) -> bool {
    token.lower.split_once('-').is_some_and(|(number, unit)| {
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) || is_in(NUMBERS, number);
        !number.is_empty() && is_number && is_in(UNITS, unit)
    })
}

fn is_value(token: &Token<'_>) -> bool {
    token.speech == WordClass::Number
}
