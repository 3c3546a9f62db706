//! Finds the verbs of a sentence and cuts it into clauses: who does what. Heuristics over the words beside each verb;
//! no parser, so unusual sentences come out as one clause or none, never as an error.

use super::{
    inflect::{WordForm, is_plural, verb_form},
    lexicon::{LIGHT_VERBS, Small, Verb},
    words::{Gap, IdeaWord},
};

/// A verb with what belongs to it. All positions count words of the sentence.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    /// First word.
    pub(super) start: usize,
    /// The verb.
    pub(super) at: usize,
    /// One past the last word.
    pub(super) end: usize,
    /// Which verb it is.
    pub(super) verb: Verb,
    /// Who acts on whom.
    pub(super) voice: Voice,
    /// What the clause is for.
    pub(super) role: ClauseRole,
}

/// Who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// The subject acts.
    Active,
    /// The subject is acted on.
    Passive,
}

/// What a clause is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClauseRole {
    /// It says what is done.
    Deed,
    /// It says when or why, for the clause before or after it.
    Circumstance,
    /// It says what must not happen.
    Ban,
}

/// The clauses with a verb that says something about a part, in order.
pub(super) fn clauses(words: &[IdeaWord<'_>]) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    for at in 0..words.len() {
        let from = found.last().map_or(0, |clause: &Clause| clause.at + 1);
        let Some((verb, voice)) = verb_at(words, from, at) else { continue };
        let start = opening(words, from, at);
        let start = (from..start)
            .rev()
            .take_while(|&i| starts_clause(&words[i]) && words[i].small.is_some())
            .last()
            .unwrap_or(start);
        if let Some(last) = found.last_mut() {
            last.end = start;
        }
        let before = found.last().filter(|_| words[start].small == Some(Small::To)).map(|before| before.role);
        let role =
            before.filter(|role| *role == ClauseRole::Circumstance).unwrap_or_else(|| role(words, start, at));
        let goes_on = words[start].small == Some(Small::And)
            && found.last().is_some_and(|last| last.voice == Voice::Passive);
        let voice = if goes_on && matches!(verb_form(&words[at].lower), Some((_, WordForm::Past))) {
            Voice::Passive
        } else {
            voice
        };
        found.push(Clause { start, at, end: words.len(), verb, voice, role });
    }
    found
}

fn verb_at(words: &[IdeaWord<'_>], from: usize, at: usize) -> Option<(Verb, Voice)> {
    let word = &words[at];
    if word.small.is_some() {
        return None;
    }
    let (verb, form) = verb_form(&word.lower)?;
    if LIGHT_VERBS.contains(&verb.lemma) || !acts(words, from, at, form) {
        return None;
    }
    let voice = if form == WordForm::Past && follows_be(words, at) { Voice::Passive } else { Voice::Active };
    Some((verb, voice))
}

/// The nearest word before `at` that is no adverb and no "not".
fn before(words: &[IdeaWord<'_>], at: usize) -> Option<usize> {
    (0..at).rev().find(|&i| !matches!(words[i].small, Some(Small::Adverb | Small::Not)))
}

fn follows_be(words: &[IdeaWord<'_>], at: usize) -> bool {
    before(words, at).is_some_and(|i| matches!(words[i].small, Some(Small::Be | Small::Have)))
}

/// Whether the word at `at`, which could be a verb, is one here. `from` is where this clause could begin at the
/// earliest: after the verb before.
fn acts(words: &[IdeaWord<'_>], from: usize, at: usize, form: WordForm) -> bool {
    let next = words.get(at + 1);
    let ends = next.is_none_or(|next| next.gap == Gap::Break || next.small == Some(Small::And));
    let next_is_verbal =
        next.is_some_and(|next| matches!(next.small, Some(Small::Be | Small::Modal | Small::Have)));
    let Some(previous) = before(words, at) else {
        return match form {
            WordForm::Past => false,
            _ => !next_is_verbal && !ends,
        };
    };
    let fresh = words[at].gap == Gap::Break;
    match words[previous].small {
        Some(Small::To) => matches!(form, WordForm::Base),
        Some(Small::Modal | Small::Relative | Small::Pronoun) => form != WordForm::Gerund,
        Some(Small::Be | Small::Have) => matches!(form, WordForm::Past | WordForm::Gerund),
        Some(Small::When | Small::Preposition) => form == WordForm::Gerund && !ends,
        Some(Small::Determiner | Small::Light) => false,
        Some(Small::And) => {
            form != WordForm::Gerund && !next_is_verbal && joins_a_verb(words, from, at, form, ends)
        }
        Some(Small::Adverb | Small::Not) => true,
        None if fresh => {
            form != WordForm::Gerund && !next_is_verbal && joins_a_verb(words, from, at, form, ends)
        }
        None => follows_noun(words, from, at, previous, form) && !next_is_verbal,
    }
}

/// After "and" or a comma a word goes on like the verb before it, if there was one and something follows.
fn joins_a_verb(words: &[IdeaWord<'_>], from: usize, at: usize, form: WordForm, ends: bool) -> bool {
    let Some((_, earlier)) = from.checked_sub(1).and_then(|i| verb_form(&words[i].lower)) else {
        return form == WordForm::Third && !ends;
    };
    let alike = earlier == form || (form == WordForm::Base && earlier != WordForm::Third);
    let bare_list = words.get(at + 1).is_some_and(|next| next.gap == Gap::Break);
    alike && !bare_list && !(ends && form != earlier) && (form != WordForm::Past || !ends)
}

/// After a noun a word is a verb if the clause has none yet and the two agree: "a sensor reads", "users order".
fn follows_noun(words: &[IdeaWord<'_>], from: usize, at: usize, previous: usize, form: WordForm) -> bool {
    if previous + 1 == from {
        return false;
    }
    let subject_starts = from == 0 || words[from..at].iter().any(starts_clause);
    let plural = is_plural(&words[previous].lower);
    match form {
        WordForm::Third => subject_starts && !plural && words.get(at + 1).is_some(),
        WordForm::Base => plural && (subject_starts || after_light(words, from, at)),
        WordForm::Past | WordForm::Gerund => false,
    }
}

/// "lets users upload", "help growers plan": the verb before only hands on.
fn after_light(words: &[IdeaWord<'_>], from: usize, at: usize) -> bool {
    words[from..at]
        .iter()
        .any(|word| verb_form(&word.lower).is_some_and(|(verb, _)| LIGHT_VERBS.contains(&verb.lemma)))
}

fn starts_clause(word: &IdeaWord<'_>) -> bool {
    word.gap == Gap::Break || matches!(word.small, Some(Small::And | Small::Relative | Small::When))
}

/// Where the clause of the verb at `at` begins: at the last joint before it, or right after the verb before.
fn opening(words: &[IdeaWord<'_>], from: usize, at: usize) -> usize {
    if from == 0 {
        return (0..=at)
            .rev()
            .find(|&i| {
                starts_clause(&words[i]) && (words[i].small != Some(Small::And) || words[i].gap == Gap::Break)
            })
            .unwrap_or(0);
    }
    let joint = (from..=at).rev().find(|&i| starts_clause(&words[i]));
    joint.or_else(|| (from..at).rev().find(|&i| words[i].small == Some(Small::To))).unwrap_or(at)
}

fn role(words: &[IdeaWord<'_>], start: usize, at: usize) -> ClauseRole {
    let span = &words[start..at];
    if span.iter().any(|word| word.small == Some(Small::Not)) {
        return ClauseRole::Ban;
    }
    match span.first().and_then(|word| word.small) {
        Some(Small::When) => ClauseRole::Circumstance,
        _ => ClauseRole::Deed,
    }
}
