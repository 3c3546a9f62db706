//! What a text is about, as a set of stems, so that texts can be compared whatever forms their words take.

use std::collections::BTreeSet;

use super::{
    inflect::{WordForm, singular, verb_form},
    lexicon::{Small, is_filler, is_judgement, is_person, is_system, is_vague, part_kind},
    phrases::is_adverb,
    words::{Gap, words},
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
    let words = words(text, COMPARED);
    let telling = words.iter().filter(|word| word.is_open() && !is_weak(&word.lower));
    telling.map(|word| stem(word.text)).collect()
}

/// Whether a word in lower case says when, how well or nothing, in whatever form.
fn is_weak(word: &str) -> bool {
    let one = singular(word);
    let vague_deed = verb_form(word).is_some_and(|(verb, _)| is_vague(verb.lemma));
    is_filler(&one) || is_judgement(word) || is_vague(&one) || is_adverb(word) || vague_deed
}

/// The things a purpose deals with: heads of its phrases that are no people, no parts and no names of components.
pub(super) fn matters(purpose: &str) -> BTreeSet<String> {
    let words = words(purpose, COMPARED);
    let is_head = |at: usize| words.get(at + 1).is_none_or(|next| !next.is_open() || next.gap == Gap::Break);
    let acts =
        |at: usize| at > 0 && matches!(words[at - 1].small, Some(Small::Modal | Small::To | Small::Pronoun));
    let heads = words.iter().enumerate().filter(|(at, word)| word.is_open() && is_head(*at) && !acts(*at));
    let things = heads.map(|(_, word)| word).filter(|word| humps(word.text).len() == 1);
    let singulars = things
        .map(|word| singular(&word.lower))
        .filter(|one| !is_person(one) && !is_weak(one) && !is_system(one) && part_kind(one).is_none());
    singulars.filter(|stem| verb_form(stem).is_none_or(|(_, form)| form == WordForm::Base)).collect()
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
