//! Reads statements about the product: its noun phrase, its abilities, its parts and its users.
//! `start`, `end` and `at` are token indexes; results are appended to `found`.

use super::super::lexicon::Tense;
use super::super::tokens::{Token, WordClass};
use super::{Clause, ClauseParser, Subject};

impl ClauseParser<'_> {
    /// Reads a noun phrase for the product and its abilities, parts and users. `is_wish` is true behind
    /// "I want" and the like, where a verb makes the user the subject.
    pub(super) fn product_statement(&mut self, start: usize, end: usize, is_wish: bool) {
        let phrase = self.phrase_end(start, end);
        if phrase == start || (is_wish && self.speech(start) == Some(WordClass::Pronoun)) {
            // "I want to track …", "We need users to be able to …".
            let subject = if is_wish { Subject::User } else { Subject::System };
            if self.speech(start) == Some(WordClass::Pronoun) {
                return self.clause(start, end);
            }
            if self.tokens[start].as_verb(Tense::Base).is_some()
                || self.tokens[start].as_verb(Tense::Ing).is_some()
            {
                return self.actions(None, subject, start, end);
            }
            return self.clause(start, end);
        }
        if is_wish && self.is_able(phrase, end) {
            // "Our museum wants visitors to point their phone": the visitors act.
            let is_ability = self.is(phrase + 1, " be ");
            if !is_ability && self.can_be_verb(phrase + 1) {
                return self.actions(None, Subject::Phrase(start..phrase), phrase + 1, end);
            }
            return self.clause(start, end);
        }
        // "Single sign-on with Okta", after the product: a part with what completes it.
        let is_part = self.knows_product
            && !is_wish
            && !(start..phrase).any(|at| self.is_product_noun(at))
            && self.is(phrase, " with for ")
            && self.tokens[phrase + 1..end].iter().all(|it| it.is_nominal() || it.is_conjunction());
        if is_part {
            return self.found.push(Clause::Part(start..end));
        }
        self.product = Some(start..phrase);
        self.found.push(Clause::Product(start..phrase));
        self.product_tail(phrase, end);
    }

    /// Returns true for "to" at `at` directly behind a word for people: "visitors to point their
    /// phone".
    pub(super) fn is_able(&self, at: usize, end: usize) -> bool {
        let is_to = self.speech(at) == Some(WordClass::To) && at + 1 < end;
        let person = at > 0 && self.is_person(at - 1);
        is_to && person
    }

    /// Reads the words behind the noun phrase of a product: relative clauses, "to" with a verb, "for"
    /// with users, "with" with parts.
    pub(super) fn product_tail(&mut self, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let token = &self.tokens[at];
            let next = at + 1;
            match token.speech {
                WordClass::Relative
                    if token.is(" where ") || (token.is(" which ") && at > 0 && self.is(at - 1, " in ")) =>
                {
                    return self.clause(next, end);
                }
                WordClass::Relative => return self.relative(next, end),
                // "A tool so that agents can look up customers"
                WordClass::Subordinator if token.is(" so ") && self.is(next, " that ") => {
                    return self.clause(next + 1, end);
                }
                WordClass::To if self.can_be_verb(next) => {
                    return self.actions(None, Subject::System, next, end);
                }
                WordClass::Preposition if token.is(" for ") => {
                    if self.tokens.get(next).is_some_and(|it| it.as_verb(Tense::Ing).is_some()) {
                        return self.actions(None, Subject::System, next, end);
                    }
                    let phrase = self.phrase_end(next, end);
                    let after = self.speech(phrase);
                    let is_people = phrase > next && self.is_person(phrase - 1);
                    if is_people && after == Some(WordClass::To) && self.can_be_verb(phrase + 1) {
                        let subject = Subject::Phrase(next..phrase);
                        return self.actions(None, subject, phrase + 1, end);
                    }
                    let lists = !self.is(next, " a an the my our your their ")
                        && self.tokens.get(phrase).is_some_and(|it| phrase < end && it.is_conjunction());
                    // "for allowed, limited and failed requests": adjectives of one noun.
                    let is_modifier = matches!(self.speech(next), Some(WordClass::Verb(Tense::Past)))
                        && self.tokens.get(next + 1).is_some_and(Token::is_conjunction);
                    if lists && !is_people && !is_modifier && phrase > next {
                        at = self.parts(next, end);
                        continue;
                    }
                    if is_people {
                        self.found.push(Clause::Audience(next..phrase));
                    }
                    at = phrase.max(next);
                    // "for a courier company with its own vans": the vans are the company's.
                    while self.is(at, " of with in on ") && at < end && !self.begins_list(at, end) {
                        at = self.phrase_end(at + 1, end).max(at + 1);
                    }
                }
                WordClass::Preposition if token.is(" with ") => {
                    at = self.parts(next, end);
                }
                WordClass::Comma | WordClass::And | WordClass::But | WordClass::Mark => {
                    let begin = self.skip_fillers(next, end);
                    if self.is(begin, " with that which where for ") {
                        at = begin;
                    } else if let Some(verb) = self.finite_after_phrase(begin, end) {
                        let _ = verb;
                        return self.clause(begin, end);
                    } else {
                        at = self.parts(begin, end);
                    }
                }
                WordClass::Verb(Tense::Ing) if token.verb.is_some() => {
                    return self.actions(None, Subject::System, at, end);
                }
                // "written in Rust that …", "called Foo": a remark about the product.
                WordClass::Verb(Tense::Past) => {
                    let stop = (next..end)
                        .find(|&it| {
                            self.speech(it) == Some(WordClass::Relative)
                                || self.is(it, " with ")
                                || self.speech(it) == Some(WordClass::Comma)
                                || (self.speech(it) == Some(WordClass::To) && self.can_be_verb(it + 1))
                        })
                        .unwrap_or(end);
                    self.found.push(Clause::Other(at..stop));
                    at = stop;
                }
                WordClass::Modal | WordClass::Be | WordClass::Verb(_) => {
                    return self.predicate(
                        None,
                        self.subject(self.product.clone().unwrap_or(start..start)),
                        at,
                        end,
                    );
                }
                _ => at = next,
            }
        }
    }

    /// Returns true for "with" at `at` before a list, as in "with snapshots and a wizard": its items
    /// are parts of the product.
    pub(super) fn begins_list(&self, at: usize, end: usize) -> bool {
        let phrase = self.phrase_end(at + 1, end);
        self.is(at, " with ") && self.tokens.get(phrase).is_some_and(|it| phrase < end && it.is_conjunction())
    }

    /// Reads a relative clause behind "that" or "which": "stores …", "lets users share …", "users can
    /// share …".
    pub(super) fn relative(&mut self, start: usize, end: usize) {
        let start = self.skip_fillers(start, end);
        if start >= end {
            return;
        }
        // "that every night pulls orders"
        let is_time = self.is(start, " every each ")
            && self.is(
                start + 1,
                " second minute hour day week month quarter year night morning evening weekday ",
            );
        if is_time && self.tokens.get(start + 2).is_some_and(|it| start + 2 < end && it.verb.is_some()) {
            return self.predicate(Some(start..start + 2), Subject::System, start + 2, end);
        }
        let token = &self.tokens[start];
        let is_verb = token.as_verb(Tense::Third).is_some()
            || (token.as_verb(Tense::Base).is_some() && token.is_likely_verb());
        let begins_predicate = matches!(token.speech, WordClass::Modal | WordClass::Be | WordClass::Do);
        if begins_predicate || is_verb {
            return self.predicate(None, Subject::System, start, end);
        }
        self.clause(start, end);
    }

    /// Reads "an X, a Y and a Z" as parts of the product. Returns the position behind them.
    pub(super) fn parts(&mut self, start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end {
            let from = at;
            let mut stop = self.phrase_end(at, end);
            // "of" and "for" belong to the part: "support for dark mode".
            while stop < end && stop > from && self.is(stop, " of for in by on per at to from over ") {
                let inner = self.phrase_end(stop + 1, end);
                if inner == stop + 1 {
                    break;
                }
                stop = inner;
            }
            if stop == from {
                // "chat" in "with chat and a replay viewer" looks like a verb.
                let is_alone =
                    self.tokens.get(at + 1).is_none_or(|next| at + 1 >= end || next.is_conjunction());
                if !matches!(self.speech(at), Some(WordClass::Verb(Tense::Base | Tense::Ing))) || !is_alone {
                    break;
                }
                stop = at + 1;
            }
            self.found.push(Clause::Part(from..stop));
            at = stop;
            let after = self.skip_conjunctions(at, end);
            if after == at || self.finite_after_phrase(after, end).is_some() || !self.begins_phrase(after) {
                break;
            }
            at = after;
        }
        at.max(start + 1)
    }

    /// Returns true if the token at `at` can begin a noun phrase.
    pub(super) fn begins_phrase(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            matches!(
                token.speech,
                WordClass::Article | WordClass::Noun | WordClass::Adjective | WordClass::Number
            ) || token.verb.is_some()
        })
    }

    /// Returns the first position from `at` on that is no conjunction or comma.
    pub(super) fn skip_conjunctions(&self, mut at: usize, end: usize) -> usize {
        while at < end && self.tokens[at].is_conjunction() {
            at += 1;
        }
        at
    }

    /// Reads "There is a page for …" as a part of the product. Returns false, and adds nothing, if it
    /// is no such sentence or is negated.
    pub(super) fn is_there(&mut self, start: usize, end: usize) -> bool {
        let be = (start + 1..(start + 5).min(end)).find(|&at| self.speech(at) == Some(WordClass::Be));
        let Some(be) = be else { return false };
        if (start..=be).any(|at| self.speech(at) == Some(WordClass::Not)) {
            return false;
        }
        let from = be + 1;
        // "There are 340 paintings" gives a number and asks for nothing.
        if self.speech(from) == Some(WordClass::Number) {
            self.found.push(Clause::Other(start..end));
            return true;
        }
        let after = self.parts(from, end);
        if self.speech(after) == Some(WordClass::Relative) {
            self.relative(after + 1, end);
        }
        true
    }
}
