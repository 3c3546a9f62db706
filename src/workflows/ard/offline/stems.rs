//! What a text is about, as a set of stems, so that texts can be compared whatever forms their words take.

use std::collections::BTreeSet;

use super::{
    inflect::{singular, verb_form},
    lexicon::{is_filler, is_judgement, is_vague},
    words::words,
};

/// The words of a text compared at most.
const COMPARED: usize = 2_000;

/// The stem of a word: the doer for a verb, the singular for a noun, one word for the places data are kept in.
pub(super) fn stem(word: &str) -> String {
    let lower = word.to_lowercase();
    if let Some((verb, _)) = verb_form(&lower) {
        return verb.doer.to_lowercase();
    }
    match singular(&lower) {
        place if matches!(place.as_str(), "database" | "db" | "storage" | "datastore" | "repository") => {
            "store".to_owned()
        }
        other => other,
    }
}

/// Stems of the open words of a text; a `PascalCase` name counts as its words.
pub(super) fn stems(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for word in words(text, COMPARED).iter().filter(|word| word.is_open()) {
        found.insert(stem(word.text));
        for piece in humps(word.text).into_iter().chain(word.text.split('-')) {
            found.insert(stem(piece));
        }
    }
    found
}

/// Stems that can tell one part of a design from another: no judgements, no times, no vague words.
pub(super) fn telling(text: &str) -> BTreeSet<String> {
    let weak = |stem: &String| is_filler(stem) || is_judgement(stem) || is_vague(stem);
    stems(text).into_iter().filter(|stem| !weak(stem)).collect()
}

/// The words of a `PascalCase` name.
pub(super) fn humps(name: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut previous = '_';
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() && !previous.is_uppercase() {
            cuts.push(at);
        }
        previous = c;
    }
    cuts.push(name.len());
    cuts.windows(2).map(|pair| &name[pair[0]..pair[1]]).filter(|piece| !piece.is_empty()).collect()
}
