//! What the idea calls the whole: "Build **a greenhouse monitor** that …". The whole is no part of itself.

use std::ops::Range;

use super::{
    inflect::{singular, verb_form},
    lexicon::{META_VERBS, Small, is_system, part_kind},
    phrases::{name, phrase},
    words::IdeaWord,
};

/// The name an idea gives to the whole.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    name: String,
    head: String,
}

impl Whole {
    /// Finds it in the first sentence: the first phrase, if its head is a word for software and nothing but words of
    /// wishing and making stands before it.
    pub(super) fn find(words: &[IdeaWord<'_>]) -> Option<(Self, Range<usize>)> {
        let leads_in = |word: &IdeaWord<'_>| !word.is_open() || is_meta(word);
        let start = words.iter().position(|word| !leads_in(word))?;
        let range = phrase(words, start..words.len()).filter(|range| range.start == start)?;
        let head = singular(&words[range.end - 1].lower);
        let asked_for = words[..start].iter().any(|word| word.small == Some(Small::Light) || is_meta(word))
            || words.get(range.end).is_none_or(|next| next.small.is_some_and(describes));
        let known = is_system(&head) || part_kind(&head).is_some();
        let name = name(&words[range.clone()], "").filter(|_| asked_for && known)?;
        Some((Self { name, head }, range))
    }

    /// What the whole is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether a phrase means the whole: by its full name, or by its head alone ("the service", "the site" of a
    /// website).
    pub(super) fn is(&self, phrase: &[IdeaWord<'_>]) -> bool {
        let bare = phrase.len() == 1 && self.head.ends_with(&singular(&phrase[0].lower));
        bare || name(phrase, "").is_some_and(|name| name == self.name)
    }
}

fn is_meta(word: &IdeaWord<'_>) -> bool {
    verb_form(&word.lower).is_some_and(|(verb, _)| META_VERBS.contains(&verb.lemma))
}

/// Small words that go on describing what stands before them.
fn describes(small: Small) -> bool {
    matches!(small, Small::Relative | Small::Preposition | Small::To | Small::When | Small::And)
}
