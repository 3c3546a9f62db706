//! Grammar of statements: splits the tokens of a statement into clauses with subject, verb and object.
//! Knows words only; `classes.rs` gives the clauses a meaning for a system.

mod finite;
mod product;
mod verbs;

use std::ops::Range;

use super::lexicon::{self, Tense, is_in};
use super::tokens::{Token, WordClass};

/// Range of token indexes in a statement.
pub(super) type Span = Range<usize>;

/// Clause of a statement, as a range of its tokens. `clauses` makes it; `classes.rs` turns it into
/// requirements, constraints and actors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Clause {
    /// A person, a thing or the system does something.
    Action(VerbPhrase),
    /// A noun phrase for a part of the product, such as "an admin dashboard" after "with".
    Part(Span),
    /// A noun phrase for the product itself.
    Product(Span),
    /// The people that the product is for.
    Audience(Span),
    /// Tokens that fit no other variant.
    Other(Span),
}

/// Action in a statement: a verb with its subject, object and condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VerbPhrase {
    /// The condition before it, such as "when an order arrives".
    pub condition: Option<Span>,
    pub subject: Subject,
    /// Modal verbs, "is" of a passive, "not" and adverbs before the verb; may be empty.
    pub auxiliary: Span,
    /// Token index of the verb.
    pub verb: usize,
    pub form: Tense,
    /// Token index of the particle of a verb in a list, such as "up" in "top up and block accounts".
    pub particle: Option<usize>,
    /// Tokens behind the verb; may be empty.
    pub object: Span,
}

/// Subject of an action in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// The system: an imperative, or "it", "the app", "an app that …".
    System,
    /// The user: "I want to", or a list below "Users can".
    User,
    /// A noun phrase.
    Phrase(Span),
}

/// Verbs of making software: "I want to build X" asks for X.
const META: &str = " build create make develop design write implement code program have need want like ";
/// Words that express a wish of the author.
const WISHES: &str = " want wants need needs like love wish wishes looking plan planning building making developing \
 thinking require requires hope intend ";
/// Verbs that let the object act: "lets users share photos".
const CAUSATIVES: &str = " let lets allow allows enable enables letting allowing enabling permit permits ";
/// Nouns and pronouns that mean the system itself.
const SYSTEM: &str = " system app application tool service platform site website program bot software product server \
 library plugin extension script device it this that page api cli solution assistant agent project ";

/// Returns true if a noun in lower case means the system itself, such as "app" or "platform".
pub(super) fn is_system_noun(lower: &str) -> bool {
    is_in(SYSTEM, lower)
        || is_in(" webapp web-app utility portal engine framework package crate module ", lower)
}

/// Splits a range of tokens into clauses. `knows_product` is true if an earlier statement named the
/// product; then a noun phrase is a part of it.
pub(super) fn clauses(tokens: &[Token<'_>], span: Span, knows_product: bool) -> Vec<Clause> {
    let mut grammar = ClauseParser { tokens, found: Vec::new(), product: None, knows_product };
    grammar.statement(span);
    grammar.found
}

/// Returns the token index behind the noun phrase that starts at `start`; `start` itself if none starts
/// there.
pub(super) fn phrase_end(tokens: &[Token<'_>], start: usize, end: usize) -> usize {
    ClauseParser { tokens, found: Vec::new(), product: None, knows_product: false }.phrase_end(start, end)
}

/// Returns the token index of the finite verb or auxiliary behind the noun phrase that starts at
/// `start`. `None` if there is none before `end`.
pub(super) fn finite_verb(tokens: &[Token<'_>], start: usize, end: usize) -> Option<usize> {
    ClauseParser { tokens, found: Vec::new(), product: None, knows_product: false }
        .finite_after_phrase(start, end)
}

/// Parser of one statement's tokens. Its methods take token indexes and append the clauses that they
/// read to `found`.
struct ClauseParser<'t> {
    tokens: &'t [Token<'t>],
    found: Vec<Clause>,
    product: Option<Span>,
    knows_product: bool,
}

impl ClauseParser<'_> {
    fn speech(&self, at: usize) -> Option<WordClass> {
        self.tokens.get(at).map(|token| token.speech)
    }

    /// Returns true if the token at `at` is one of the words.
    fn is(&self, at: usize, words: &'static str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(words))
    }

    /// Reads a whole statement: a title with a colon, a user story, a wish, or else a clause.
    fn statement(&mut self, span: Span) {
        let span = self.without_marks(span);
        let start = self.skip_fillers(span.start, span.end);
        if start >= span.end {
            return;
        }
        // "Fire brigade roster: volunteers enter …": a title before a clause of its own.
        let colon = (start + 1..(start + 6).min(span.end)).find(|&at| self.is(at, " : "));
        if let Some(colon) = colon
            && self.tokens[start..colon].iter().all(Token::is_nominal)
            && self.finite_after_phrase(colon + 1, span.end).is_some()
        {
            self.product = Some(start..colon);
            self.found.push(Clause::Product(start..colon));
            return self.clause(colon + 1, span.end);
        }
        if let Some((actor, from)) = self.user_story(start, span.end) {
            return self.actions(None, Subject::Phrase(actor), from, span.end);
        }
        if let Some(from) = self.wish(start, span.end) {
            return self.product_statement(from, span.end, true);
        }
        self.clause(start, span.end);
    }

    /// Returns the range without punctuation and commas at its ends; parentheses stay.
    fn without_marks(&self, span: Span) -> Span {
        let is_mark = |at: usize| {
            matches!(self.speech(at), Some(WordClass::Mark | WordClass::Comma)) && !self.is(at, " ) ( ")
        };
        let mut span = span;
        while span.start < span.end && is_mark(span.start) {
            span.start += 1;
        }
        while span.start < span.end && is_mark(span.end - 1) {
            span.end -= 1;
        }
        span
    }

    /// Returns the position behind words that say nothing, such as "and", "then", "please" or "as
    /// discussed".
    fn skip_fillers(&self, mut at: usize, end: usize) -> usize {
        if self.is(at, " as ")
            && self.tokens.get(at + 1).is_some_and(|it| it.is(" discussed mentioned agreed said promised "))
        {
            at += 2;
        }
        while at < end {
            let skips = self.tokens[at].is_conjunction()
                || self.tokens[at].speech == WordClass::Mark
                || (self.speech(at) == Some(WordClass::Adverb) && !self.is(at, " not-only online offline "))
                || self.is(at, " so hi hello hey thanks ok okay well oh ah also right basically yeah ");
            if !skips {
                break;
            }
            at += 1;
        }
        at
    }

    /// Finds the actor and the position of the verb in "As a nurse, I want to record …". `None` for
    /// other statements.
    fn user_story(&self, start: usize, end: usize) -> Option<(Span, usize)> {
        if !self.is(start, " as ") {
            return None;
        }
        let pronoun = (start..end).find(|&at| self.is(at, " i we "))?;
        let mut at = pronoun + 1;
        while at < end
            && (self.is(at, " want need would like can should be able also ") || self.is(at, " to "))
        {
            at += 1;
        }
        let actor = start + 1..self.phrase_end(start + 1, pronoun);
        (at < end && !actor.is_empty()).then_some((actor, at))
    }

    /// Returns the position of the object of a wish: behind "I want to build", "Build", "We need", "I'd
    /// like". `None` if there is no wish.
    fn wish(&self, start: usize, end: usize) -> Option<usize> {
        let mut at = start;
        if self.is(at, " can could would ") && self.is(at + 1, " you we ") {
            at += 2;
            while self.is(at, " please help me us to ") {
                at += 1;
            }
        }
        let is_request = at > start;
        let wisher = self.is(at, " i we i'd we'd i'm we're my our i've someone ");
        if wisher {
            // "our team wants", "I would like to have".
            let limit = (at + 8).min(end);
            let wish = (at..limit).find(|&next| self.is(next, WISHES))?;
            let is_plain = (at + 1..wish).all(|next| {
                !matches!(
                    self.speech(next),
                    Some(WordClass::Comma | WordClass::Relative | WordClass::Verb(Tense::Third))
                )
            });
            if !is_plain {
                return None;
            }
            at = wish + 1;
            while at < end && self.is(at, " to for about of be able some kind sort ") {
                at += 1;
            }
            while at < end && self.is(at, META) && !self.is_object_of_wish(at) {
                at += 1;
            }
        } else if self.is(at, " build create make develop design write implement need want looking wanted ")
            && (is_request || at == start)
            && self.is_product_ahead(at + 1, end)
        {
            at += 1;
            while self.is(at, " me us for to build have ") {
                at += 1;
            }
        } else {
            return None;
        }
        (at < end).then_some(at)
    }

    /// Returns true if a comma, "that" or the end follows, so that the word at `at` is a noun and no
    /// verb of making.
    fn is_object_of_wish(&self, at: usize) -> bool {
        self.speech(at + 1).is_none_or(|next| matches!(next, WordClass::Relative | WordClass::Comma))
    }

    /// Returns true if the noun phrase at `at` names software, or "that" follows it.
    fn is_product_ahead(&self, mut at: usize, end: usize) -> bool {
        while self.is(at, " me us for ") {
            at += 1;
        }
        let phrase = self.phrase_end(at, end);
        (at..phrase).any(|it| self.is_product_noun(it)) || self.speech(phrase) == Some(WordClass::Relative)
    }

    /// Returns true for a noun that names software, such as "tracker" or "dashboard".
    fn is_product_noun(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let lower = token.lower.as_str();
        is_system_noun(lower)
            || is_in(
                " tracker manager planner scheduler dashboard marketplace game chatbot pipeline backend frontend \
                 store shop shortener generator editor viewer reader player monitor analyzer converter crawler scraper \
                 parser wiki blog forum network simulator compiler linter wrapper gateway proxy cache database workflow \
                 calculator checker finder aggregator notifier logger recorder organizer daemon microservice sdk client \
                 command interface add-on widget ",
                lower,
            )
    }

    /// Returns the end of the noun phrase that starts here.
    fn phrase_end(&self, start: usize, end: usize) -> usize {
        let mut at = start;
        while at < end {
            let token = &self.tokens[at];
            let goes_on = match token.speech {
                WordClass::Noun | WordClass::Adjective | WordClass::Number => true,
                WordClass::Article => at == start || !matches!(self.speech(at - 1), Some(WordClass::Noun)),
                WordClass::Verb(Tense::Ing | Tense::Past) => {
                    self.speech(at + 1)
                        .is_some_and(|next| matches!(next, WordClass::Noun | WordClass::Adjective))
                        && at + 1 < end
                }
                WordClass::Verb(Tense::Base) => {
                    // "a to-do list", "search engine": a verb between an article and a noun.
                    at > start && self.speech(at + 1) == Some(WordClass::Noun)
                }
                WordClass::Pronoun => at == start,
                WordClass::Mark => token.text == "-" || token.text == "'" || token.text == "\"",
                _ => false,
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        at
    }

    fn is_person(&self, at: usize) -> bool {
        is_person(&self.tokens[at].lower)
    }

    /// Returns true if the token at `at` can be a verb in base form.
    fn can_be_verb(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.as_verb(Tense::Base).is_some())
    }

    /// Reads a clause with a subject of its own, an imperative, or a noun phrase, and appends the
    /// results to `found`.
    fn clause(&mut self, start: usize, end: usize) {
        let start = self.skip_fillers(start, end);
        if start >= end {
            return;
        }
        let (condition, start) = self.condition(start, end);
        if start >= end {
            self.found.push(Clause::Other(condition.unwrap_or(start..end)));
            return;
        }
        if self.is(start, " there ") && self.is_there(start, end) {
            return;
        }
        let is_named = self.tokens[start].as_verb(Tense::Ing).is_some()
            && self.tokens.get(start + 1).is_some_and(|next| start + 1 < end && is_system_noun(&next.lower));
        if is_named {
            return self.product_statement(start, end, false);
        }
        let obliges = self.speech(start) == Some(WordClass::Modal)
            || (self.is(start, " has have needs need ") && self.speech(start + 1) == Some(WordClass::To));
        if obliges {
            return self.predicate(condition, Subject::System, start, end);
        }
        if let Some(from) = condition.as_ref().and_then(|_| self.wish(start, end)) {
            return self.product_statement(from, end, true);
        }
        if self.is_imperative(start, end) {
            return self.actions(condition, Subject::System, start, end);
        }
        if let Some(verb) = self.finite_after_phrase(start, end) {
            let subject = self.subject(start..verb);
            return self.predicate(condition, subject, verb, end);
        }
        // "Cancelling less than 4 hours before costs 5 euros": the gerund is a subject.
        let is_subject = condition.is_none()
            && self.tokens[start].as_verb(Tense::Ing).is_some()
            && (start + 1..end).any(|at| {
                self.tokens[at].as_verb(Tense::Third).is_some()
                    && self.speech(at + 1) == Some(WordClass::Number)
                    && !self.tokens[at - 1].is_conjunction()
            });
        if is_subject {
            return self.found.push(Clause::Other(start..end));
        }
        if condition.is_none() && matches!(self.speech(start), Some(WordClass::Verb(Tense::Ing))) {
            // "Tracking of expenses", "Searching and filtering recipes".
            return self.actions(None, Subject::System, start, end);
        }
        let phrase = self.phrase_end(start, end);
        let is_product = self.tokens[start].is(" a an ")
            || (start..phrase).any(|at| self.is_product_noun(at))
            || matches!(self.speech(phrase), Some(WordClass::Relative));
        let has_tail = phrase < end && self.is(phrase, " that which where for with to ");
        if phrase > start && condition.is_none() && (is_product || has_tail || phrase == end) {
            return self.product_statement(start, end, false);
        }
        self.found.push(Clause::Other(condition.map_or(start, |condition| condition.start)..end));
    }

    /// Returns the start of the main clause behind a condition without a comma: at "the device" in
    /// "When the weight drops the device …".
    fn condition_without_comma(&self, start: usize, end: usize) -> Option<usize> {
        let is_clause = self.speech(start) == Some(WordClass::Subordinator);
        (start + 2..end).find(|&at| {
            let is_pronoun = self.is(at, " it they we users i i'd we'd ");
            let begins = is_pronoun || self.is(at, " the a an ");
            let finite = begins.then(|| self.finite_after_phrase(at, end)).flatten();
            let has_own = || self.finite_after_phrase(start + 1, at).is_some();
            let is_each = self.is(start, " for ") && self.is(start + 1, " each every ");
            finite.is_some_and(|finite| finite - at <= 4)
                && (is_pronoun || is_each || (is_clause && has_own()))
        })
    }

    /// Splits off a condition such as "When an order arrives," at the start. Returns it and the
    /// position of the rest; `None` and `start` if there is none.
    fn condition(&self, start: usize, end: usize) -> (Option<Span>, usize) {
        let is_condition = self.speech(start) == Some(WordClass::Subordinator)
            || (self.speech(start) == Some(WordClass::Preposition)
                && self.condition_without_comma(start, end).is_some())
            || self.is(start, " upon every each on in at for from by during with as ")
                && (start..end).any(|at| self.speech(at) == Some(WordClass::Comma))
                && self.speech(start) == Some(WordClass::Preposition);
        if !is_condition {
            return (None, start);
        }
        let comma = (start..end).find(|&at| {
            self.speech(at) == Some(WordClass::Comma) && self.finite_after_phrase(at + 1, end).is_some()
                || self.speech(at) == Some(WordClass::Comma)
                    && self.is_imperative(at + 1, end)
                    // "At 8:00 each driver gets the route, notes such as …": the words before the comma have a verb of their own.
                    && (self.speech(start) == Some(WordClass::Subordinator)
                        || self.finite_after_phrase(start + 1, at).is_none())
        });
        let comma = comma.map(|comma| (comma, comma + 1));
        match comma.or_else(|| self.condition_without_comma(start, end).map(|at| (at, at))) {
            Some((stop, next)) => (Some(start..stop), next),
            None => (None, start),
        }
    }

    /// Classifies the words before a verb as the system, the user or another subject.
    fn subject(&self, span: Span) -> Subject {
        let words: Vec<&Token<'_>> =
            self.tokens[span.clone()].iter().filter(|it| it.speech != WordClass::Adverb).collect();
        let is_own = |token: &Token<'_>| token.is(" it this that there ") || is_system_noun(&token.lower);
        match words.as_slice() {
            [] => Subject::System,
            [only] if only.is(" i we you they one someone everyone anyone ") => {
                if only.is(" everyone anyone ") { Subject::Phrase(span) } else { Subject::User }
            }
            [only] if is_own(only) => Subject::System,
            [article, noun] if article.is(" the this our my your ") && is_own(noun) => Subject::System,
            _ if self.product.as_ref().is_some_and(|product| *product == span) => Subject::System,
            _ => Subject::Phrase(span),
        }
    }
}

/// Returns true if a word in lower case, singular or plural, is a person or a group of people.
pub(super) fn is_person(lower: &str) -> bool {
    let plural = lower.strip_suffix('s').is_some_and(lexicon::is_person);
    plural || lexicon::noun(lower).is_some_and(|noun| lexicon::is_person(&noun.base))
}

/// Returns true if a word in lower case is a plural noun, by the table or as a plural of a person.
fn is_plural(lower: &str) -> bool {
    lexicon::noun(lower).is_some_and(|noun| noun.is_plural)
        || lower.strip_suffix('s').is_some_and(lexicon::is_person)
}

/// Returns true if the auxiliaries contain "not", "n't", "never", "cannot" or "no".
pub(super) fn is_negated(auxiliary: &[Token<'_>]) -> bool {
    auxiliary.iter().any(|token| {
        token.speech == WordClass::Not
            || token.lower.ends_with("n't")
            || token.is(" cannot never ")
            || token.lower == "no"
    })
}
