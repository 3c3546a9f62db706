//! Reads auxiliaries, and lists of verbs with their objects. `start`, `end` and `at` are token indexes;
//! results are appended to `found`.

use super::super::lexicon::{self, Tense};
use super::super::tokens::WordClass;
use super::{CAUSATIVES, Clause, ClauseParser, Span, Subject, VerbPhrase, is_negated};

/// Words that form one verb with the verb before them, such as "up" in "look up".
const PARTICLES: &str = " up down out off back away over ";

impl ClauseParser<'_> {
    /// Reads the auxiliaries from `start` on and the verbs behind them as actions of `subject`. Without
    /// a verb other than "be", the clause is `Clause::Other`.
    pub(super) fn predicate(&mut self, condition: Option<Span>, subject: Subject, start: usize, end: usize) {
        let mut at = start;
        while at < end {
            let token = &self.tokens[at];
            let is_auxiliary = matches!(
                token.speech,
                WordClass::Modal | WordClass::Be | WordClass::Do | WordClass::Not | WordClass::Adverb
            ) || token.is(" able allowed supposed required also been has have had ")
                && self.tokens.get(at + 1).is_some_and(|next| {
                    matches!(next.speech, WordClass::To | WordClass::Be)
                        || next.as_verb(Tense::Past).is_some()
                })
                || (token.speech == WordClass::To && at > start && self.can_be_verb(at + 1))
                || (token.is(" want wants need needs ") && self.speech(at + 1) == Some(WordClass::To));
            if !is_auxiliary {
                break;
            }
            at += 1;
        }
        let auxiliary = start..at;
        let Some(token) = self.tokens.get(at).filter(|_| at < end) else {
            self.found.push(Clause::Other(Self::start_of(condition.as_ref(), &subject, start)..end));
            return;
        };
        let last = self.tokens[auxiliary.clone()]
            .iter()
            .rfind(|it| it.speech != WordClass::Adverb && it.speech != WordClass::Not);
        let has_be = last.is_some_and(|it| it.speech == WordClass::Be);
        let form = [Tense::Base, Tense::Third, Tense::Past, Tense::Ing]
            .into_iter()
            .find(|&form| token.as_verb(form).is_some());
        let form = if has_be && token.is(" split set put cut read hit shut spread reset ") {
            Some(Tense::Past)
        } else {
            form
        };
        let is_copula = has_be && !matches!(form, Some(Tense::Past | Tense::Ing));
        match form {
            Some(form) if !is_copula => {
                self.actions_with(condition, subject, auxiliary, at, form, end);
            }
            _ => self.found.push(Clause::Other(Self::start_of(condition.as_ref(), &subject, start)..end)),
        }
    }

    /// Returns the position where a clause begins: at its condition or its subject, else at `start`.
    pub(super) fn start_of(condition: Option<&Span>, subject: &Subject, start: usize) -> usize {
        let own = if let Subject::Phrase(span) = subject { span.start } else { start };
        condition.map_or(own, |condition| condition.start.min(own))
    }

    /// Reads a list of verbs with their objects that begins at `start`, behind optional adverbs and
    /// "not".
    pub(super) fn actions(&mut self, condition: Option<Span>, subject: Subject, start: usize, end: usize) {
        let mut at = start;
        while at < end && matches!(self.speech(at), Some(WordClass::Do | WordClass::Not | WordClass::Adverb))
        {
            at += 1;
        }
        let Some(token) = self.tokens.get(at).filter(|_| at < end) else { return };
        let forms = [Tense::Base, Tense::Third, Tense::Ing, Tense::Past];
        match forms.into_iter().find(|&form| token.as_verb(form).is_some()) {
            Some(form) => self.actions_with(condition, subject, start..at, at, form, end),
            None => self.found.push(Clause::Other(start..end)),
        }
    }

    /// Reads a list of verbs with their objects as actions of `subject`, and continues with a clause
    /// that has a subject of its own. Verbs without an object share the next one: "view and edit
    /// notes".
    pub(super) fn actions_with(
        &mut self,
        condition: Option<Span>,
        subject: Subject,
        auxiliary: Span,
        verb: usize,
        form: Tense,
        end: usize,
    ) {
        if let Some((lent, inner)) = self.lent_verb(verb, end).filter(|_| !self.is_negated(&auxiliary)) {
            return self.actions_with(condition, lent, inner..inner, inner, Tense::Base, end);
        }
        let (verbs, rest) = self.verb_list(verb, form, end);
        let mut objects: Vec<Span> = verbs.iter().map(|(at, stop)| at + 1..*stop).collect();
        let mut particles: Vec<Option<usize>> = vec![None; objects.len()];
        for at in (0..objects.len().saturating_sub(1)).rev() {
            let is_bare = self.tokens[objects[at].clone()].iter().all(|it| {
                matches!(it.speech, WordClass::Adverb | WordClass::Comma | WordClass::And | WordClass::Or)
                    || it.is(PARTICLES)
            });
            if is_bare {
                particles[at] = objects[at].clone().find(|&it| self.is(it, PARTICLES));
                objects[at] = objects[at + 1].clone();
            }
        }
        for (index, ((at, _), object)) in verbs.iter().zip(objects).enumerate() {
            if let Some((lent, inner)) = self.lent_verb(*at, object.end).filter(|_| *at != verb) {
                self.actions_with(condition.clone(), lent, inner..inner, inner, Tense::Base, object.end);
                continue;
            }
            self.found.push(Clause::Action(VerbPhrase {
                condition: condition.clone(),
                subject: subject.clone(),
                auxiliary: auxiliary.clone(),
                verb: *at,
                form,
                particle: particles[index],
                object,
            }));
        }
        if rest < end && self.speech(rest) == Some(WordClass::Modal) {
            self.predicate(condition, subject, rest, end);
        } else if rest < end {
            self.clause(rest, end);
        }
    }

    /// Returns the subject and the verb position of "lets users share" and "allows anyone to share".
    /// `None` if the verb is no causative.
    pub(super) fn lent_verb(&self, verb: usize, end: usize) -> Option<(Subject, usize)> {
        if !self.tokens[verb].is(CAUSATIVES) {
            return None;
        }
        let phrase = self.phrase_end(verb + 1, end);
        let inner = if self.speech(phrase) == Some(WordClass::To) { phrase + 1 } else { phrase };
        (phrase > verb + 1 && inner < end && self.can_be_verb(inner))
            .then(|| (self.subject(verb + 1..phrase), inner))
    }

    pub(super) fn is_negated(&self, auxiliary: &Span) -> bool {
        is_negated(&self.tokens[auxiliary.clone()])
    }

    /// Returns the verbs of a list, each with the end of its object, and the start of a clause that
    /// follows the list.
    pub(super) fn verb_list(&self, verb: usize, form: Tense, end: usize) -> (Vec<(usize, usize)>, usize) {
        let mut verbs = vec![(verb, end)];
        let mut at = verb + 1;
        while at < end {
            let token = &self.tokens[at];
            match token.speech {
                WordClass::Subordinator | WordClass::Relative => {
                    // The dependent clause may end with a comma before the next verb.
                    let resumed = (at + 1..end).find(|&it| {
                        self.speech(it) == Some(WordClass::Comma)
                            && self.next_verb(verb, it, end, form, false).is_some()
                    });
                    match resumed {
                        Some(comma) => at = comma,
                        None => break,
                    }
                    continue;
                }
                WordClass::And | WordClass::Or | WordClass::But | WordClass::Comma => {
                    let last = verbs.len() - 1;
                    let is_bare = (verbs[last].0 + 1..at).all(|it| {
                        matches!(
                            self.speech(it),
                            Some(WordClass::Adverb | WordClass::Comma | WordClass::And | WordClass::Or)
                        )
                    });
                    if let Some(next) = self.next_verb(verb, at, end, form, is_bare) {
                        verbs[last].1 = at;
                        verbs.push((next, end));
                        at = next + 1;
                        continue;
                    }
                    let begin = self.skip_fillers(at, end);
                    let repeats_modal = self.speech(begin) == Some(WordClass::Modal)
                        && (begin + 1..(begin + 4).min(end)).any(|it| self.tokens[it].verb.is_some());
                    if repeats_modal && begin < end {
                        verbs[last].1 = at;
                        return (verbs, begin);
                    }
                    let is_closed = !is_bare || self.is(begin, " a an the it they he she we ");
                    if is_closed && self.begins_clause(begin, end, token.speech) {
                        verbs[last].1 = at;
                        return (verbs, begin);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (verbs, end)
    }

    /// Returns true if a clause with its own subject and verb begins at `start`. `after` is the
    /// conjunction before it.
    pub(super) fn begins_clause(&self, start: usize, end: usize, after: WordClass) -> bool {
        let Some(finite) = self.finite_after_phrase(start, end) else { return false };
        let is_clear = matches!(self.speech(finite), Some(WordClass::Modal | WordClass::Be | WordClass::Do))
            || matches!(self.speech(finite), Some(WordClass::Verb(_)));
        let is_near = finite - start <= 5;
        is_clear
            && is_near
            && (after != WordClass::Comma
                || self.speech(start) != Some(WordClass::Noun)
                || self.is_person(finite - 1))
    }

    /// Returns the position of a further verb of the list behind the conjunction at `at`. `first` is
    /// the first verb of the list; `is_bare` is true if the verb before has no object yet. `None` if a
    /// noun or another clause follows.
    pub(super) fn next_verb(
        &self,
        first: usize,
        at: usize,
        end: usize,
        form: Tense,
        is_bare: bool,
    ) -> Option<usize> {
        let mut next = at;
        while next < end
            && (self.tokens[next].is_conjunction()
                || self.tokens[next].speech == WordClass::Adverb
                || (self.speech(next) == Some(WordClass::To) && next > at)
                || (self.tokens[next].is(" that which ")
                    && next > at
                    && self.tokens[first].as_verb(Tense::Third).is_some()))
        {
            next += 1;
        }
        let token = self.tokens.get(next).filter(|_| next < end)?;
        // "call the office to pause or change": the second verb may go with the infinitive before it.
        if token.as_verb(Tense::Base).is_some()
            && (first + 1..at).any(|it| self.speech(it) == Some(WordClass::To) && self.can_be_verb(it + 1))
        {
            return None;
        }
        if token.as_verb(form).is_none() {
            return self.unknown_verb(next, end, form).filter(|_| is_bare);
        }
        let ends_list =
            is_bare && self.tokens.get(next + 1).is_some_and(|it| next + 1 < end && it.is_nominal());
        if !(token.is_likely_verb() || ends_list)
            || (form == Tense::Past && token.speech != WordClass::Verb(Tense::Past))
        {
            return None;
        }
        let Some(after) = self.tokens.get(next + 1).filter(|_| next + 1 < end) else {
            let is_sure = matches!(token.speech, WordClass::Verb(_));
            return (is_bare || (is_sure && form != Tense::Past)).then_some(next);
        };
        // "orders are shipped": a noun, and a clause of its own.
        if matches!(after.speech, WordClass::Modal | WordClass::Be | WordClass::Do) {
            return None;
        }
        if is_bare {
            return Some(next);
        }
        let has_object = match after.speech {
            WordClass::Article
            | WordClass::Pronoun
            | WordClass::Number
            | WordClass::Adjective
            | WordClass::Verb(_) => true,
            WordClass::Noun => !self.is_noun_list(next, end),
            WordClass::Preposition | WordClass::To | WordClass::Adverb | WordClass::Subordinator => {
                matches!(token.speech, WordClass::Verb(_))
                    || (form == Tense::Third && token.is_product_verb())
            }
            WordClass::And | WordClass::Or | WordClass::Comma => {
                // A verb list with an object at its end: "view, filter and export reports".
                matches!(token.speech, WordClass::Verb(_))
                    && self.next_verb(first, next + 1, end, form, true).is_some()
            }
            _ => matches!(form, Tense::Past),
        };
        has_object.then_some(next)
    }

    /// Returns `at` if the word there is unknown but stands between verbs without objects: "hardlink"
    /// in "delete, hardlink or move files".
    fn unknown_verb(&self, at: usize, end: usize, form: Tense) -> Option<usize> {
        let token = &self.tokens[at];
        let is_unknown =
            form == Tense::Base && token.speech == WordClass::Noun && !lexicon::is_known(&token.lower);
        let goes_on = self.tokens.get(at + 1).is_some_and(|next| at + 1 < end && next.is_conjunction());
        (is_unknown && goes_on).then(|| self.next_verb(at, at + 1, end, form, true)).flatten().map(|_| at)
    }

    /// Returns true if the word at `at` is rather a noun in a list of nouns, as "export" in "export
    /// formats".
    pub(super) fn is_noun_list(&self, at: usize, end: usize) -> bool {
        let token = &self.tokens[at];
        let is_sure = matches!(token.speech, WordClass::Verb(_))
            || lexicon::is_product_verb(&token.verb.as_ref().map_or(String::new(), |it| it.base.clone()));
        let third_is_plural = token.as_verb(Tense::Third).is_some();
        !is_sure || (third_is_plural && (at + 1 >= end || at + 1 >= self.tokens.len()))
    }
}
