//! Classifies the clauses of the statements as requirements, quantities, constraints, exclusions and actors,
//! and writes the sentences of requirements.

mod actors;
mod fidelity;
mod limits;
mod people;
mod phrases;
mod product;
mod repeats;
mod sentences;

use std::collections::BTreeSet;

pub(super) use self::phrases::upper_first;
use self::phrases::{end_before_reason, lead_words, lower_article, lower_first, lower_word, trim_tail};
use super::clauses::{Clause, Span, Subject, VerbPhrase, clauses, phrase_end};
use super::exclusions::{self, divide};
use super::lexicon::{self, Tense};
use super::quantities::quantities;
use super::tokens::{Token, WordClass, text, tokens};
use super::{IdeaAnalysis, IdeaPhrase, Quantity, Requirement};

/// Maximum number of words of a statement that is read. Longer ones are no sentences, and the grammar needs
/// time quadratic in their length.
const MAX_WORDS: usize = 300;
/// Verbs that with a number state only a limit ("handle 100 users").
const LIMIT_VERBS: &str = " be support handle have stay take cost last respond load serve scale fit reach exceed weigh hold spend add ";
/// Verbs that say how the system is built or hosted, and require no behaviour.
const BUILD_VERBS: &str = " run work use write implement host deploy build base operate comply target code ";
/// Verbs whose objects with articles are parts of the product ("include a dashboard").
const HAVING_VERBS: &str = " have include contain feature offer provide need require come consist want ";

/// Verbs that describe things as they are, and require no behaviour.
const CIRCUMSTANCES: &str = " lose cost last weigh live exist happen belong differ vary ";

/// Reads all statements of an analysis and fills its findings (`requirements`, `quantities`, `constraints`,
/// `exclusions`, `actors`, `product`, `unread`).
pub(super) fn classify(analysis: &mut IdeaAnalysis) {
    let mut unsure = BTreeSet::new();
    for index in 0..analysis.statements.len() {
        let statement = analysis.statements[index].clone();
        let lead = lead_words(&statement.lead);
        let is_bulleted_fragment = !statement.lead.is_empty();
        let full = if lead.is_empty() {
            statement.text.clone()
        } else {
            format!("{lead} {}", lower_first(&statement.text))
        };
        if super::questions::is_greeting(&statement.text) {
            continue;
        }
        if super::questions::is_instruction(&statement.text) {
            analysis.unread.push(statement.number);
            continue;
        }
        if full.split(' ').count() > MAX_WORDS {
            analysis.unread.push(statement.number);
            continue;
        }
        let words = tokens(&full);
        let asks = full.ends_with('?')
            && words
                .first()
                .is_some_and(|it| matches!(it.speech, WordClass::Modal | WordClass::Do | WordClass::Be))
            && !words.get(1).is_some_and(|it| it.is(" you we "));
        if asks {
            analysis.unread.push(statement.number);
            continue;
        }
        let product = analysis.product.clone();
        let mut reader = StatementReader {
            analysis: &mut *analysis,
            statement: statement.number,
            text: &full,
            tokens: &words[..end_before_reason(&words)],
            found: 0,
            last_topic: String::new(),
            is_topic_ambiguous: false,
            is_unsure: false,
        };
        reader.quantities(&words);
        if statement.is_excluded {
            reader.exclude_all();
        } else {
            reader.read(is_bulleted_fragment);
        }
        if reader.is_unsure {
            unsure.insert(statement.number);
            if statement.number > 1 {
                reader.analysis.product = product;
            }
        }
        if reader.found == 0 {
            analysis.unread.push(statement.number);
        }
    }
    fidelity::quote_unfaithful(analysis, &unsure);
    actors::complete(analysis);
    repeats::drop_repeated(analysis);
    for (index, requirement) in analysis.requirements.iter_mut().enumerate() {
        requirement.number = index + 1;
    }
}

/// Reader of one statement, which appends its findings to the analysis.
struct StatementReader<'a> {
    analysis: &'a mut IdeaAnalysis,
    statement: usize,
    text: &'a str,
    tokens: &'a [Token<'a>],
    found: usize,
    /// Last noun phrase of an object, which replaces "it" and "them".
    last_topic: String,
    /// True if the last object names several things, so that "it" is unclear.
    is_topic_ambiguous: bool,
    /// True if a sentence may have a wrong subject; then the whole statement is quoted.
    is_unsure: bool,
}

impl StatementReader<'_> {
    fn slice(&self, span: Span) -> String {
        text(self.text, &self.tokens[span]).to_owned()
    }

    fn quantities(&mut self, words: &[Token<'_>]) {
        for span in quantities(words) {
            let bound = super::quantities::bound(words, span.start);
            let bound = text(self.text, &words[bound..span.start]).to_owned();
            let mut text = text(self.text, &words[span]).to_owned();
            if text.ends_with(" a.m") || text.ends_with(" p.m") {
                text.push('.');
            }
            if !text.is_empty() {
                self.analysis.quantities.push(Quantity { text, bound, statement: self.statement });
            }
        }
    }

    fn exclude_all(&mut self) {
        let ruling = divide(self.tokens);
        let spans = if ruling.excluded.is_empty() {
            let end = self
                .tokens
                .iter()
                .position(|it| it.text == "(" || it.text == "—")
                .unwrap_or(self.tokens.len());
            exclusions::phrases(self.tokens, 0, end)
        } else {
            ruling.excluded
        };
        for span in spans {
            self.exclude(span);
        }
    }

    fn exclude(&mut self, span: Span) {
        let text = self.slice(span);
        let text = trim_tail(&text).to_owned();
        if !text.is_empty() {
            self.found += 1;
            self.analysis.exclusions.push(IdeaPhrase { text, statement: self.statement });
        }
    }

    fn constrain(&mut self, span: Span) {
        let text = upper_first(&self.slice(span));
        if !text.is_empty() {
            self.found += 1;
            self.analysis.constraints.push(IdeaPhrase { text, statement: self.statement });
        }
    }

    fn read(&mut self, is_fragment: bool) {
        let ruling = divide(self.tokens);
        for span in ruling.excluded {
            self.exclude(span);
        }
        for span in ruling.forbidden {
            self.constrain(span);
        }
        for span in ruling.positive {
            self.read_positive(span, is_fragment);
        }
    }

    fn read_positive(&mut self, span: Span, is_fragment: bool) {
        if is_fragment && self.tokens[span.clone()].first().is_some_and(|it| it.speech == WordClass::Number) {
            self.found += 1;
            return;
        }
        if self.is_only(&span) {
            return self.only(span);
        }
        let found = clauses(self.tokens, span.clone(), self.analysis.product.is_some());
        if self.names_technology(&found) {
            return self.constrain(span);
        }
        let acts = found.iter().any(|it| matches!(it, Clause::Action(_)));
        let has_parts = found.iter().any(|it| matches!(it, Clause::Part(_)));
        if let Some(span) = self.listed_after_colon(&found, &span) {
            let text = format!("{}.", upper_first(&self.slice(span)));
            let Some(Clause::Action(action)) = found.first() else { return };
            let verb = self.tokens[action.verb].as_verb(action.form).unwrap_or_default().to_owned();
            if let Subject::Phrase(subject) = &action.subject
                && self.is_person(subject)
            {
                self.actor(subject.clone());
            }
            let topic = self.topic_of(action);
            return self.require(text, verb, topic, false);
        }
        for clause in found {
            match clause {
                Clause::Action(action) => self.action(&action),
                Clause::Part(span) => self.part(span),
                Clause::Product(span) => self.product(span, acts, has_parts, is_fragment),
                Clause::Audience(span) => self.actor(span),
                Clause::Other(span) => self.other(span),
            }
        }
    }

    /// Returns the range of the clause if a verb of its list follows a colon inside an object; else `None`.
    fn listed_after_colon(&self, found: &[Clause], span: &Span) -> Option<Span> {
        let [Clause::Action(first), rest @ ..] = found else { return None };
        let Subject::Phrase(subject) = &first.subject else { return None };
        let colon = first.object.clone().find(|&at| self.tokens[at].text == ":")?;
        let is_behind = |it: &Clause| matches!(it, Clause::Action(action) if action.verb > colon);
        rest.iter().any(is_behind).then_some(subject.start..span.end)
    }

    /// Returns true if the clauses only name technology: `backend in Django with PostgreSQL`.
    fn names_technology(&self, found: &[Clause]) -> bool {
        let is_name = |span: &Span| {
            let mut words = self.tokens[span.clone()].iter().filter(|it| it.speech == WordClass::Noun);
            words.all(|it| it.text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()))
        };
        let parts: Vec<&Span> = found
            .iter()
            .filter_map(|it| if let Clause::Part(span) = it { Some(span) } else { None })
            .collect();
        let heads = found.iter().filter_map(|it| {
            if let Clause::Product(span) = it { self.tokens[span.clone()].last() } else { None }
        });
        let is_stack = heads.into_iter().any(|it| {
            it.is(" licence license backend frontend orchestration hosting deployment stack storage ")
        });
        let acts = found.iter().any(|it| matches!(it, Clause::Action(_)));
        !acts && is_stack && parts.iter().all(|span| is_name(span))
    }

    /// Returns true for a span that begins with "only", or a short span that ends with it.
    fn is_only(&self, span: &Span) -> bool {
        let first = self.tokens[span.clone()].iter().find(|it| it.speech != WordClass::Mark);
        first.is_some_and(|it| it.is(" only "))
            || span.len() <= 4 && self.tokens[span.clone()].last().is_some_and(|it| it.is(" only "))
    }

    /// "Only receptionists may block slots" is a requirement with a limit; "English only" a constraint.
    fn only(&mut self, span: Span) {
        let found =
            if span.len() > 3 { clauses(self.tokens, span.start + 1..span.end, true) } else { Vec::new() };
        if let [Clause::Action(action)] = found.as_slice()
            && let Subject::Phrase(subject) = &action.subject
            && self.is_person(subject)
        {
            let verb = self.tokens[action.verb].as_verb(action.form).unwrap_or_default().to_owned();
            let text = format!("{}.", upper_first(&self.slice(span.clone())));
            self.actor(subject.clone());
            let topic = self.topic_of(action);
            return self.require(text, verb, topic, false);
        }
        self.constrain(span);
    }

    fn has_quantity(&self, span: &Span) -> bool {
        quantities(&self.tokens[span.clone()]).iter().any(|it| !it.is_empty())
    }

    /// Adds a part of the product as the requirement "The system has …".
    fn part(&mut self, span: Span) {
        let phrase = lower_word(&lower_article(&self.slice(span.clone())));
        // "a and the with process": an article alone names nothing.
        let names_nothing = self.tokens[span.clone()].iter().all(|it| {
            matches!(
                it.speech,
                WordClass::Article | WordClass::Pronoun | WordClass::Preposition | WordClass::Mark
            )
        });
        if phrase.is_empty() || names_nothing {
            return;
        }
        let before = &self.tokens[span.start.saturating_sub(2)..span.start];
        let is_optional = before.iter().any(|it| it.is(" maybe perhaps possibly optionally eventually "));
        if is_optional {
            return self.constrain(span.start.saturating_sub(1)..span.end);
        }
        // "found, returned and sold things": a participle of a list, and no part.
        self.is_unsure |=
            self.tokens[span.start].as_verb(Tense::Past).is_some() || self.tokens[span.start].is(" no ");
        let text = format!("The system has {phrase}.");
        self.require(text, String::new(), self.topic(&span).unwrap_or(phrase), true);
    }

    fn require(&mut self, text: String, verb: String, topic: String, is_part: bool) {
        self.found += 1;
        self.analysis.requirements.push(Requirement {
            number: 0,
            text,
            statement: self.statement,
            verb,
            topic,
            is_part,
        });
    }

    /// A clause with "is", or without a verb that the rules know.
    fn other(&mut self, span: Span) {
        // "A status page would be great": a wish for a part.
        let is_wish = self.tokens[span.clone()].iter().any(|it| {
            it.is(" great nice good cool helpful useful needed required necessary welcome handy awesome lovely ")
        });
        let be = self.tokens[span.clone()]
            .iter()
            .position(|it| matches!(it.speech, WordClass::Be | WordClass::Modal));
        if let Some(be) = be.filter(|be| is_wish && *be > 0)
            && phrase_end(self.tokens, span.start, span.start + be) == span.start + be
        {
            return self.part(span.start..span.start + be);
        }
        // "Temperature loggers in vans that carry vaccines": the first phrase without a verb of its own is the product.
        let is_product = self.statement == 1
            && self.analysis.product.is_none()
            && span.start == 0
            && super::clauses::finite_verb(self.tokens, span.start, span.end).is_none();
        if is_product && phrase_end(self.tokens, span.start, span.end) > span.start {
            return self.product_phrase(&span);
        }
        let says_something = self.tokens[span.clone()]
            .iter()
            .any(|it| matches!(it.speech, WordClass::Be | WordClass::Modal | WordClass::Verb(_)));
        let is_phrase = span.len() > 1 && self.tokens[span.start].is_nominal();
        // "12 schools, 2,800 children" is in the numbers already; a longer phrase says more than its numbers.
        let is_numbers = self.has_quantity(&span) && span.len() < 8;
        if says_something || (is_phrase && !is_numbers) {
            self.constrain(span);
        } else if self.has_quantity(&span) {
            self.found += 1;
        }
    }

    /// Adds an action as a limit, background, a constraint, parts, or else a requirement.
    fn action(&mut self, action: &VerbPhrase) {
        let word = &self.tokens[action.verb];
        let verb = word.as_verb(action.form).unwrap_or(&word.lower).to_owned();
        let whole = action.verb..action.object.end;
        let is_verb = |list: &'static str| lexicon::is_in(list, &verb);
        let is_system = action.subject == Subject::System;
        let is_ban = matches!(&action.subject, Subject::Phrase(span)
            if self.tokens[span.clone()].iter().any(|it| it.is(" nobody nothing none no ")));
        if is_verb(LIMIT_VERBS)
            && !is_ban
            && (verb != "have" || is_system || !action.auxiliary.is_empty())
            && self.has_quantity(&whole)
            && self.is_bare_limit(&action.object)
        {
            self.found += 1;
            let obliges =
                self.tokens[action.auxiliary.clone()].iter().any(|it| it.speech == WordClass::Modal);
            if obliges && verb == "add" {
                self.constrain(action.auxiliary.start..action.object.end);
            }
            return;
        }
        let is_passive_limit =
            is_verb(" limit restrict cap ") && action.form == Tense::Past && self.has_quantity(&whole);
        if is_passive_limit {
            self.found += 1;
            return;
        }
        if self.is_background(action, &verb) {
            let obliges =
                self.tokens.iter().any(|it| it.is(" must has should needs ") && it.speech != WordClass::Noun);
            self.found += 1;
            if obliges && verb != "have" {
                self.constrain(0..self.tokens.len());
            }
            return;
        }
        if self.is_rule_of_things(action, &verb) {
            let start = if let Subject::Phrase(span) = &action.subject { span.start } else { action.verb };
            let start = action.condition.as_ref().map_or(start, |it| it.start);
            return self.constrain(start..action.object.end);
        }
        let is_hosting = action.subject == Subject::User && is_verb(" run host deploy ");
        if is_verb(BUILD_VERBS) && (is_system || is_hosting || verb == "work") && self.tells_how(action) {
            let verb = action.auxiliary.start.min(action.verb);
            let is_subject = |at: usize| self.tokens[at].is(" it this the our app system tool program we ");
            let subject = (0..verb).rev().take_while(|&at| is_subject(at)).last().unwrap_or(verb);
            let start = action.condition.as_ref().map_or(subject, |it| it.start);
            return self.constrain(start..action.object.end);
        }
        let is_thing = matches!(&action.subject, Subject::Phrase(span) if !self.is_person(span));
        let has_nothing = (verb == "have" || action.subject == Subject::User)
            && self.tokens.get(action.object.start).is_some_and(|it| it.is(" no "));
        if has_nothing && action.subject == Subject::User {
            // "We take no payments online": the sentence without its subject would ask for it.
            return self.constrain(0..self.tokens.len());
        }
        if (is_verb(CIRCUMSTANCES) && is_thing) || has_nothing {
            let start = if let Subject::Phrase(span) = &action.subject { span.start } else { action.verb };
            let start = action.condition.as_ref().map_or(start, |it| it.start.min(start));
            return self.constrain(start..action.object.end);
        }
        let with_articles = is_verb(HAVING_VERBS) && (is_system || action.subject == Subject::User);
        if with_articles && self.parts_of(&action.object) {
            return;
        }
        if let Subject::Phrase(span) = &action.subject
            && self.is_person(span)
        {
            self.actor(span.clone());
        }
        if self.is_doubtful(action) {
            self.is_unsure = true;
        }
        let text = self.sentence(action, &verb);
        let is_pronoun = self.tokens[action.object.clone()]
            .first()
            .is_some_and(|it| it.is(" it them this these those one "));
        let topic = if is_pronoun { self.last_topic.clone() } else { self.topic_of(action) };
        let names_person =
            topic.rsplit(' ').next().is_some_and(|head| super::clauses::is_person(&head.to_lowercase()));
        let is_list = self.tokens[action.object.clone()].iter().any(|it| it.speech == WordClass::And);
        if !topic.is_empty() && !is_pronoun && (!names_person || is_list) {
            self.last_topic.clone_from(&topic);
            self.is_topic_ambiguous = self.tokens[action.object.clone()]
                .iter()
                .any(|it| matches!(it.speech, WordClass::And | WordClass::Or));
        }
        self.require(text, verb, topic, false);
    }

    /// Adds "a login page, a dashboard" as parts. Returns false, and adds nothing, for other objects.
    fn parts_of(&mut self, object: &Span) -> bool {
        let mut spans = Vec::new();
        let mut at = object.start;
        while at < object.end {
            let end = phrase_end(self.tokens, at, object.end);
            if end == at || !self.tokens[at].is(" a an the some ") {
                return false;
            }
            let mut stop = end;
            while stop < object.end && !self.tokens[stop].is_conjunction() {
                stop += 1;
            }
            spans.push(at..stop);
            at = stop;
            while at < object.end && self.tokens[at].is_conjunction() {
                at += 1;
            }
        }
        for span in &spans {
            self.part(span.clone());
        }
        !spans.is_empty()
    }
}
