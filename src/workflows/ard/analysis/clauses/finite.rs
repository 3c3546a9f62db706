//! Finds the finite verb of a clause, and distinguishes an imperative from a noun phrase. `start`,
//! `end` and `at` are token indexes.

use super::super::lexicon::{self, Tense};
use super::super::tokens::{Token, WordClass};
use super::{ClauseParser, is_person, is_plural};

impl ClauseParser<'_> {
    /// Returns true if the word at `start` is a verb without a subject, as in "Store all invoices" or
    /// "stores all invoices".
    pub(super) fn is_imperative(&self, start: usize, end: usize) -> bool {
        let Some(token) = self.tokens.get(start).filter(|_| start < end) else { return false };
        if token.speech == WordClass::Do || token.is(" never ") {
            return true;
        }
        let third = token.as_verb(Tense::Third).is_some();
        if token.as_verb(Tense::Base).is_none() && !third {
            return false;
        }
        if !token.is_likely_verb() {
            return false;
        }
        if is_person(&token.lower) && third && !token.is_product_verb() {
            return false;
        }
        let Some(next) = self.tokens.get(start + 1).filter(|_| start + 1 < end) else {
            return matches!(token.speech, WordClass::Verb(_));
        };
        let has_object = matches!(
            next.speech,
            WordClass::Subordinator
                | WordClass::Article
                | WordClass::Number
                | WordClass::Pronoun
                | WordClass::Preposition
                | WordClass::To
                | WordClass::Adverb
        );
        if has_object {
            // "Swaps between volunteers need": a subject with its own finite verb.
            return !(third
                && next.speech == WordClass::Preposition
                && self.finite_from(start + 1, end).is_some());
        }
        let lists = next.is_conjunction()
            && self.tokens.get(self.skip_conjunctions(start + 1, end)).is_some_and(|it| {
                (it.as_verb(Tense::Base).is_some() || it.as_verb(Tense::Third).is_some())
                    && it.is_likely_verb()
            });
        if lists {
            return true;
        }
        // "Search results show …" has another verb; "Store events" has none.
        let nominal = next.is_nominal();
        nominal && self.finite_from(start + 1, end).is_none()
    }

    /// Returns the position of the finite verb, or of its auxiliary, behind a noun phrase that starts
    /// at `start`. `None` if no subject starts there or no verb follows.
    pub(super) fn finite_after_phrase(&self, start: usize, end: usize) -> Option<usize> {
        let first = self.tokens.get(start).filter(|_| start < end)?;
        if first.is(" i'd we'd ") {
            return Some(start);
        }
        let is_subject = matches!(
            first.speech,
            WordClass::Article
                | WordClass::Noun
                | WordClass::Pronoun
                | WordClass::Adjective
                | WordClass::Number
                | WordClass::Verb(_)
        );
        if is_subject { self.finite_from(start + 1, end) } else { None }
    }

    /// Returns the position of the first finite verb or auxiliary from `start` on, as long as the words
    /// before it can be its subject.
    pub(super) fn finite_from(&self, start: usize, end: usize) -> Option<usize> {
        for at in start..end {
            let token = &self.tokens[at];
            match token.speech {
                WordClass::Modal | WordClass::Do | WordClass::Be => return Some(at),
                _ if token.is(" has have ") && self.speech(at + 1) == Some(WordClass::To) => {
                    return Some(at);
                }
                WordClass::Subordinator | WordClass::Relative | WordClass::To | WordClass::Mark
                    if token.text != "'" =>
                {
                    // "Users who have paid can …": the relative clause ends at a modal verb.
                    if token.speech == WordClass::Relative {
                        return (at + 1..end)
                            .find(|&it| self.speech(it) == Some(WordClass::Modal))
                            .filter(|_| at > 0 && self.is_person(at - 1));
                    }
                    return None;
                }
                WordClass::Comma => {
                    // "Nurses, doctors and admins can": a list of subjects.
                    let is_list = self.tokens[start - 1..at].iter().all(Token::is_nominal)
                        && (at + 1..end).take(6).any(|it| self.speech(it) == Some(WordClass::And));
                    if !is_list {
                        return None;
                    }
                }
                _ => {}
            }
            let before = &self.tokens[at - 1];
            let subject_ends =
                matches!(before.speech, WordClass::Noun | WordClass::Pronoun | WordClass::Number)
                    || (before.speech == WordClass::Adverb && at >= 2 && self.tokens[at - 2].is_nominal());
            if !subject_ends || before.is(" this these those ") && before.speech == WordClass::Article {
                continue;
            }
            let head = if before.speech == WordClass::Adverb { &self.tokens[at - 2] } else { before };
            let next = self.tokens.get(at + 1).filter(|_| at + 1 < end);
            // "Members of a choir find": the verb agrees with the noun before the preposition.
            let outer = (start..at)
                .find(|&it| self.is(it, " of in from between with for "))
                .map(|it| &self.tokens[it - 1])
                .filter(|outer| {
                    outer.speech == WordClass::Noun
                        && token.as_verb(Tense::Base).is_some()
                        && token.is_likely_verb()
                });
            if (Self::agrees(head, token, next)
                || outer.is_some_and(|outer| Self::agrees(outer, token, next)))
                && self.has_room_for_verb(at, end)
                && !self.is_noun_before_verb(at, end)
            {
                return Some(at);
            }
        }
        None
    }

    /// Returns true if the word at `at` is a noun although it looks like a verb, because an auxiliary
    /// follows in the same clause: "records" in "paper records from 1998 should be typed in".
    fn is_noun_before_verb(&self, at: usize, end: usize) -> bool {
        let is_noun = lexicon::noun(&self.tokens[at].lower).is_some();
        let follows = self.speech(at + 1) == Some(WordClass::Preposition);
        let mut rest = self.tokens[at + 1..end].iter().take_while(|it| {
            !it.is_conjunction()
                && !matches!(
                    it.speech,
                    WordClass::Relative | WordClass::Subordinator | WordClass::To | WordClass::Mark
                )
        });
        is_noun && follows && rest.any(|it| matches!(it.speech, WordClass::Modal | WordClass::Be))
    }

    /// Returns true if `token` can be a finite verb whose form fits the number of `head`, the last word
    /// of the subject. `next` is the word behind the verb.
    pub(super) fn agrees(head: &Token<'_>, token: &Token<'_>, next: Option<&Token<'_>>) -> bool {
        let is_group = head.is(" staff crew police people team ");
        let is_plural = is_group || head.is(" they we i you these those ") || is_plural(&head.lower);
        let has_complement = next.is_some_and(|next| {
            matches!(
                next.speech,
                WordClass::Preposition
                    | WordClass::Article
                    | WordClass::Pronoun
                    | WordClass::Number
                    | WordClass::To
                    | WordClass::Subordinator
                    | WordClass::Adverb
            )
        });
        let is_verb = token.is_likely_verb() || has_complement;
        if token.as_verb(Tense::Third).is_some() && (!is_plural || is_group) {
            return is_verb;
        }
        if token.as_verb(Tense::Base).is_some() && is_plural {
            return is_verb || (is_person(&head.lower) && next.is_some_and(Token::is_nominal));
        }
        // "were kept", "paid": a past form is finite after a subject with an article only, and rarely in ideas.
        false
    }

    /// Returns true if the word at `at` can be the verb of its clause, which ends before `end`: no
    /// auxiliary follows, and a word that may also be a noun has an object or a complement.
    pub(super) fn has_room_for_verb(&self, at: usize, end: usize) -> bool {
        let token = &self.tokens[at];
        let is_sure = matches!(token.speech, WordClass::Verb(_));
        match self.tokens.get(at + 1).filter(|_| at + 1 < end) {
            None => is_sure,
            Some(next) => match next.speech {
                WordClass::Modal | WordClass::Be | WordClass::Do => false,
                WordClass::Comma | WordClass::And | WordClass::Or => is_sure,
                _ => {
                    is_sure
                        || next.is_nominal()
                        || matches!(
                            next.speech,
                            WordClass::Preposition
                                | WordClass::To
                                | WordClass::Subordinator
                                | WordClass::Adverb
                        )
                }
            },
        }
    }
}
