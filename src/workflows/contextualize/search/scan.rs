//! Finds the terms of a question in a text, in one pass: words of identifiers and of prose by their stems, whole identifiers, phrases.

use std::collections::HashMap;

use super::question::{SearchTerm, TermForm};
use super::stem::stem;

/// An occurrence of a search term in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TermHit {
    /// Index of the term.
    pub(super) term: usize,
    /// The weight of the form that is written there.
    pub(super) weight: f32,
    /// Offset of its first byte in the text.
    pub(super) at: usize,
}

/// A matcher for the terms of a question. It is built once and finds them in many texts with
/// [`visit`](Self::visit).
pub(super) struct TermScanner {
    stems: HashMap<String, Vec<(usize, f32)>>,
    identifiers: HashMap<String, usize>,
    phrases: Vec<(String, usize)>,
    /// The first two bytes, in lower case, of every stem and identifier. Most words of a text begin otherwise.
    beginnings: Box<[bool]>,
}

/// Longest word that is looked up, in bytes.
const WORD_BYTES: usize = 64;

impl TermScanner {
    pub(super) fn new(terms: &[SearchTerm]) -> Self {
        let mut scanner = Self {
            stems: HashMap::new(),
            identifiers: HashMap::new(),
            phrases: Vec::new(),
            beginnings: vec![false; 1 << 16].into_boxed_slice(),
        };
        for (index, term) in terms.iter().enumerate() {
            match &term.form {
                TermForm::Word(forms) => {
                    for (stem, weight) in forms {
                        scanner.add_stem(stem, index, *weight);
                    }
                }
                TermForm::Identifier => {
                    scanner.mark_beginning(&term.text);
                    scanner.identifiers.insert(term.text.clone(), index);
                }
                TermForm::Phrase => scanner.phrases.push((term.text.clone(), index)),
            }
        }
        scanner
    }

    fn add_stem(&mut self, stem: &str, term: usize, weight: f32) {
        self.mark_beginning(stem);
        let known = self.stems.entry(stem.to_owned()).or_default();
        match known.iter_mut().find(|(index, _)| *index == term) {
            Some((_, kept)) => *kept = kept.max(weight),
            None => known.push((term, weight)),
        }
    }

    fn mark_beginning(&mut self, text: &str) {
        // Words are compared in lower case. The stem of a word may end in another letter than the word.
        let lower = text.to_ascii_lowercase();
        let bytes = lower.as_bytes();
        if let [first, second, ..] = bytes {
            self.beginnings[pair(*first, *second)] = true;
            if bytes.len() == 2 {
                (0..=255).for_each(|second| self.beginnings[pair(*first, second)] = true);
            }
        }
    }

    /// Calls `hit` for every occurrence of a term in `text`: words and identifiers in the order of the text,
    /// then all phrases.
    pub(super) fn visit(&self, text: &str, mut hit: impl FnMut(TermHit)) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if !is_word_byte(bytes[at]) {
                at += 1;
                continue;
            }
            let end =
                at + bytes[at..].iter().position(|byte| !is_word_byte(*byte)).unwrap_or(bytes.len() - at);
            self.visit_run(text, at, end, &mut hit);
            at = end;
        }
        for (phrase, term) in &self.phrases {
            text.match_indices(phrase.as_str())
                .for_each(|(at, _)| hit(TermHit { term: *term, weight: 1.0, at }));
        }
    }

    /// Reports the hits in bytes `start` to `end` of `text`, a run of letters, digits and underscores: as a
    /// whole identifier, and by the stems of its parts and of each two neighbours joined.
    fn visit_run(&self, text: &str, start: usize, end: usize, hit: &mut impl FnMut(TermHit)) {
        let bytes = &text.as_bytes()[start..end];
        if !self.identifiers.is_empty()
            && self.may_begin(bytes)
            && let Some(term) = self.identifiers.get(&text[start..end])
        {
            hit(TermHit { term: *term, weight: 1.0, at: start });
        }
        let mut before: Option<(usize, usize)> = None;
        let mut at = 0;
        while let Some((from, to)) = next_part(bytes, at) {
            if self.may_begin(&bytes[from..to]) {
                self.look_up(&text[start + from..start + to], start + from, hit);
            }
            // `webSocket` and `web_socket` are also the word `websocket`.
            if let Some((first, middle)) = before.filter(|(first, _)| self.may_begin(&bytes[*first..])) {
                let joined = [&text[start + first..start + middle], &text[start + from..start + to]].concat();
                self.look_up(&joined, start + first, hit);
            }
            before = Some((from, to));
            at = to;
        }
    }

    fn may_begin(&self, bytes: &[u8]) -> bool {
        match bytes {
            [first, second, ..] => {
                self.beginnings[pair(first.to_ascii_lowercase(), second.to_ascii_lowercase())]
            }
            _ => false,
        }
    }

    fn look_up(&self, word: &str, at: usize, hit: &mut impl FnMut(TermHit)) {
        if word.len() > WORD_BYTES {
            return;
        }
        let lower = if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase() };
        for (term, weight) in self.stems.get(&stem(&lower)).into_iter().flatten() {
            hit(TermHit { term: *term, weight: *weight, at });
        }
    }
}

fn pair(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns start and end of the next part of an identifier at or behind the byte `from`: `retry` and `policy`
/// of `retry_policy`, `HTTP` and `Server` of `HTTPServer`. `None` at its end. Only ASCII capitals and `_`
/// separate parts.
pub(super) fn next_part(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let start = from + bytes[from..].iter().position(|byte| *byte != b'_')?;
    let mut at = start + 1;
    while at < bytes.len() {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let rises = here.is_ascii_uppercase() && !before.is_ascii_uppercase();
        let falls = here.is_ascii_uppercase()
            && before.is_ascii_uppercase()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
            // `URLs` and `IDs` are one word.
            && !(bytes.get(at + 1) == Some(&b's') && bytes.get(at + 2).is_none_or(|next| !next.is_ascii_lowercase()));
        if here == b'_' || rises || falls {
            break;
        }
        at += 1;
    }
    Some((start, at))
}

/// Returns the number of words in an identifier: 2 for `retry_policy` and `retryPolicy`.
pub(super) fn part_count(name: &str) -> usize {
    let bytes = name.as_bytes();
    let mut count = 0;
    let mut at = 0;
    while let Some((_, end)) = next_part(bytes, at) {
        count += 1;
        at = end;
    }
    count
}
