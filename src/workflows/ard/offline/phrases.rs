//! Noun phrases: which words name one thing, and what a part called by them is named.

use std::ops::Range;

use super::{
    inflect::{WordForm, is_plural, pascal, singular, verb_form},
    lexicon::{Small, is_filler, is_judgement, is_light_head, part_kind},
    words::{Gap, IdeaWord},
};
use crate::workflows::ard::exchange::ComponentKind;

/// Words of a phrase that go into a name: the head and what directly precedes it.
const NAMING: usize = 3;

/// The first noun phrase that begins in `span`; light heads ("a list of") are passed over.
pub(super) fn phrase(words: &[IdeaWord<'_>], span: Range<usize>) -> Option<Range<usize>> {
    let mut at = span.start;
    while at < span.end {
        let Some(start) = (at..span.end).find(|&i| words[i].is_open()) else { break };
        let end = run_end(words, start, span.end);
        let light = is_light_head(&singular(&words[end - 1].lower));
        let of = words.get(end).is_some_and(|next| next.lower == "of") && end + 1 < span.end;
        let nameless = naming(&words[start..end]).is_empty();
        if !(light && of || nameless) {
            return Some(shared_head(words, start..end, span.end).unwrap_or(start..end));
        }
        at = end;
    }
    None
}

/// "temperature and humidity readings" are readings.
fn shared_head(words: &[IdeaWord<'_>], first: Range<usize>, limit: usize) -> Option<Range<usize>> {
    let next = first.end + 1;
    let joined = first.len() == 1
        && next < limit
        && words[first.end].small == Some(Small::And)
        && words[next].is_open();
    let end = joined.then(|| run_end(words, next, limit)).filter(|end| end - next == 2)?;
    let plain = verb_form(&words[next].lower).is_none()
        && is_plural(&words[end - 1].lower)
        && !is_plural(&words[first.start].lower);
    plain.then_some(end - 1..end)
}

/// One past the last word of the run of open words that begins at `start`.
fn run_end(words: &[IdeaWord<'_>], start: usize, limit: usize) -> usize {
    let broken = |i: &usize| {
        let word = &words[*i];
        !word.is_open()
            || word.gap == Gap::Break
            || matches!(verb_form(&word.lower), Some((_, WordForm::Past)))
    };
    (start + 1..limit).find(broken).unwrap_or(limit)
}

/// The words of a phrase that name it, the head last.
fn naming<'w, 't>(phrase: &'w [IdeaWord<'t>]) -> Vec<&'w IdeaWord<'t>> {
    let weak = |word: &&IdeaWord<'_>| {
        is_judgement(&word.lower) || is_filler(&singular(&word.lower)) || is_adverb(&word.lower)
    };
    let mut words: Vec<_> = phrase.iter().filter(|word| !weak(word)).collect();
    let surplus = words.len().saturating_sub(NAMING);
    words.drain(..surplus);
    words
}

/// Whether a word ends like an adverb.
pub(super) fn is_adverb(word: &str) -> bool {
    word.len() > 4
        && word.ends_with("ly")
        && !matches!(word, "family" | "reply" | "supply" | "assembly" | "anomaly")
}

/// The name of a phrase with an ending, such as `OrderTracker` of "the orders"; an ending that the head repeats is
/// not added.
pub(super) fn name(phrase: &[IdeaWord<'_>], ending: &str) -> Option<String> {
    let naming = naming(phrase);
    let mut pieces: Vec<String> = naming.iter().map(|word| word.text.to_owned()).collect();
    if let (Some(last), Some(head)) = (pieces.last_mut(), naming.last()) {
        *last = singular_as_written(head);
    }
    let repeats = pieces.last().is_some_and(|last| last.eq_ignore_ascii_case(ending));
    if !ending.is_empty() && !repeats {
        pieces.truncate(NAMING);
        pieces.push(ending.to_owned());
    }
    for piece in &mut pieces {
        if piece.eq_ignore_ascii_case("e-mail") {
            "Email".clone_into(piece);
        }
    }
    pascal(pieces.iter().map(String::as_str))
}

/// The singular with the capitals of the text: "PDFs" gives "PDF".
fn singular_as_written(word: &IdeaWord<'_>) -> String {
    let one = singular(&word.lower);
    let kept = word.text.strip_suffix('s').filter(|stem| stem.to_lowercase() == one);
    match kept {
        Some(stem) => stem.to_owned(),
        None if one == word.lower => word.text.to_owned(),
        None => one,
    }
}

/// The phrases in `span` whose head is a word for a part of a system, with the type that makes them.
pub(super) fn named_parts(words: &[IdeaWord<'_>], span: Range<usize>) -> Vec<(Range<usize>, ComponentKind)> {
    let mut found = Vec::new();
    let mut at = span.start;
    while let Some(start) = (at..span.end).find(|&i| words[i].is_open()) {
        let end = run_end(words, start, span.end);
        let verbal = start > 0 && matches!(words[start - 1].small, Some(Small::To | Small::Modal));
        if let Some(kind) = part_kind(&singular(&words[end - 1].lower)).filter(|_| !verbal || end > start + 1)
        {
            found.push((start..end, kind));
        }
        at = end;
    }
    found
}
