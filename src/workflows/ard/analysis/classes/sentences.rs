//! Writes the sentences of requirements from whole phrases of the statement, and finds their topics.

use super::super::clauses::{Span, Subject, VerbPhrase, phrase_end};
use super::super::lexicon::{self, Tense, is_in};
use super::super::tokens::{Token, WordClass};
use super::StatementReader;
use super::phrases::{lower_first, lower_word, upper_first};

/// Nouns before "of" that are not the topic: a folder of invoices is about invoices.
const CONTAINERS: &str = " folder list set number collection group kind type copy lot series stream batch bunch range \
 variety amount overview directory ";

impl StatementReader<'_> {
    /// Writes the sentence of a requirement from the phrases of an action: "The system stores
    /// invoices.", "Users can share photos." `verb` is the base form.
    pub(super) fn sentence(&self, action: &VerbPhrase, verb: &str) -> String {
        let object = self.resolve_pronoun(&self.without_reason(&action.object));
        // "Pupils can matches words", out of a table, needs the base form.
        let is_obliged = self.tokens[action.auxiliary.clone()].iter().any(|it| it.speech == WordClass::Modal);
        let word =
            if is_obliged && action.form == Tense::Third { verb } else { self.tokens[action.verb].text };
        let particle = action.particle.map(|at| format!(" {}", self.tokens[at].text)).unwrap_or_default();
        let tail = if object.is_empty() { particle } else { format!("{particle} {object}") };
        let auxiliary = self.slice(action.auxiliary.clone());
        let is_passive = self.tokens[action.auxiliary.clone()].iter().any(|it| it.speech == WordClass::Be)
            && matches!(action.form, Tense::Past | Tense::Ing);
        // A plural verb has lost its subject, which is not the system: the statement says it better.
        if action.subject == Subject::System && auxiliary.split(' ').any(|word| is_in(" are were ", word)) {
            let whole = self.slice(0..self.tokens.len());
            return format!("{}.", upper_first(whole.trim_end_matches(['.', ',', ';', ':', '!', '?', ' '])));
        }
        let main = match &action.subject {
            Subject::System if is_passive => format!("The system {auxiliary} {word}{tail}"),
            // "It should try for 10 seconds and say what failed": the second verb needs the first one's form.
            Subject::System if is_obliged && tail.contains(" and ") => {
                format!("The system {auxiliary} {verb}{tail}")
            }
            Subject::System => {
                let tail = tail.replace(" my ", " the user's ").replace(" our ", " the ");
                format!("The system {}{tail}", lexicon::third_person(verb))
            }
            Subject::User if is_passive => format!("Users {auxiliary} {word}{tail}"),
            Subject::User => {
                let tail = tail.replace(" my ", " their ").replace(" our ", " their ");
                format!("Users can {verb}{tail}")
            }
            Subject::Phrase(span) => {
                let subject = upper_first(&self.slice(span.clone()));
                if auxiliary.is_empty() && action.form == Tense::Base && self.is_lent(action) {
                    format!("{subject} can {verb}{tail}")
                } else if auxiliary.is_empty() {
                    format!("{subject} {word}{tail}")
                } else {
                    format!("{subject} {auxiliary} {word}{tail}")
                }
            }
        };
        let joined = self.joined_condition(action);
        let condition = action.condition.clone().map(|span| upper_first(&self.slice(span)));
        let text = match condition {
            Some(_) if joined.is_some() => joined.unwrap_or_default(),
            Some(condition) => format!("{condition}, {}", lower_first(&main)),
            None => main,
        };
        let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?', ' ']);
        let text = text.strip_suffix(" too").or_else(|| text.strip_suffix(" as well")).unwrap_or(text);
        format!("{text}.")
    }

    /// Returns true if the sentence of an action might get a wrong subject: "they have 7 days" would
    /// become one about users.
    pub(super) fn is_doubtful(&self, action: &VerbPhrase) -> bool {
        let begin = action.auxiliary.start.min(action.verb);
        let before = begin.checked_sub(1).map(|at| &self.tokens[at]);
        let is_bare = action.auxiliary.is_empty();
        match action.subject {
            Subject::User => {
                before.is_some_and(|it| it.is(" they you he she one someone ") || it.is(" we ") && is_bare)
            }
            Subject::System => {
                // "Go 1.22 or later" is a name with its version.
                let is_version = self
                    .tokens
                    .get(action.verb + 1)
                    .is_some_and(|it| it.speech == WordClass::Number && it.text.contains('.'));
                is_version
                    || self.ends_list(action)
                    || self.is_plural_subject(action, begin)
                    || before.is_some_and(|it| it.is(" they you he she "))
            }
            Subject::Phrase(_) => self.ends_list(action),
        }
    }

    /// Returns true if the verb at the beginning of an action is rather a plural noun, and the real
    /// verb comes later: "changes until 7:00 count".
    fn is_plural_subject(&self, action: &VerbPhrase, begin: usize) -> bool {
        let is_first = self.tokens[..begin].iter().all(|it| !it.is_nominal() && it.verb.is_none());
        let acts = |at: usize| {
            let follows = self.tokens.get(at + 1).map(|it| it.speech);
            self.tokens[at].as_verb(Tense::Base).is_some()
                && matches!(follows, Some(WordClass::Preposition | WordClass::Article | WordClass::To))
                && !matches!(
                    self.tokens[at - 1].speech,
                    WordClass::To
                        | WordClass::Modal
                        | WordClass::Be
                        | WordClass::Relative
                        | WordClass::Article
                        | WordClass::Adjective
                        | WordClass::And
                        | WordClass::Or
                        | WordClass::Preposition
                )
        };
        is_first
            && action.auxiliary.is_empty()
            && action.form == Tense::Third
            && action.object.clone().skip(1).any(acts)
    }

    /// Returns true if the action has no object and follows another verb, so that its verb is rather a
    /// noun: "redirects" in "checks anchors, images and redirects".
    fn ends_list(&self, action: &VerbPhrase) -> bool {
        let follows = self.tokens[..action.verb].iter().any(|it| it.verb.is_some());
        follows && action.auxiliary.is_empty() && action.object.is_empty()
    }

    /// Returns condition, subject, verb and object as written if no comma separates condition and
    /// subject; else `None`.
    fn joined_condition(&self, action: &VerbPhrase) -> Option<String> {
        let (Some(condition), Subject::Phrase(subject)) = (&action.condition, &action.subject) else {
            return None;
        };
        let between = self.tokens.get(condition.end..subject.start)?;
        let is_first = subject.end == action.auxiliary.start && action.auxiliary.end == action.verb;
        let is_joined = is_first && !between.iter().any(|it| it.speech == WordClass::Comma);
        is_joined.then(|| upper_first(&self.slice(condition.start..action.object.end)))
    }

    /// Returns the words of an object. "it" or "them" at its start is replaced by the last topic if
    /// that is unambiguous and fits in number.
    pub(super) fn resolve_pronoun(&self, object: &Span) -> String {
        let text = self.slice(object.clone());
        let Some(first) = self.tokens[object.clone()].first().filter(|it| it.is(" it them ")) else {
            return text;
        };
        let head = self.last_topic.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let is_plural = lexicon::noun(&head).is_some_and(|noun| noun.is_plural);
        if self.last_topic.is_empty() || self.is_topic_ambiguous || is_plural != first.is(" them ") {
            return text;
        }
        format!("the {}{}", self.last_topic, &text[first.text.len()..])
    }

    /// Returns the range of an object without its reason ("so that …", "so I can …").
    pub(super) fn without_reason(&self, object: &Span) -> Span {
        let reason = object.clone().find(|&at| {
            self.tokens[at].is(" so ")
                && self.tokens.get(at + 1).is_some_and(|next| next.is(" that i we they you users people "))
        });
        object.start..reason.unwrap_or(object.end)
    }

    /// Returns true if another verb or "for" stands before the subject, as in "lets users share
    /// photos".
    pub(super) fn is_lent(&self, action: &VerbPhrase) -> bool {
        let Subject::Phrase(span) = &action.subject else { return false };
        let before = span.start.checked_sub(1).map(|at| &self.tokens[at]);
        before.is_some_and(|before| before.verb.is_some() || before.is(" for "))
    }

    /// Returns the noun phrase that an action is about: its object, or its subject in a passive or
    /// before a preposition. Empty if there is none.
    pub(super) fn topic_of(&self, action: &VerbPhrase) -> String {
        let is_passive = self.tokens[action.auxiliary.clone()].iter().any(|it| it.speech == WordClass::Be);
        let object = self.topic(&action.object);
        let subject = match &action.subject {
            Subject::Phrase(span)
                if is_passive || object.is_none() || self.begins_with_preposition(&action.object) =>
            {
                self.topic(span).filter(|_| is_passive || !self.is_person(span))
            }
            _ => None,
        };
        let prefers_subject = is_passive || self.begins_with_preposition(&action.object);
        if prefers_subject { subject.or(object) } else { object.or(subject) }.unwrap_or_default()
    }

    /// Returns true if the object begins with a preposition or "to".
    pub(super) fn begins_with_preposition(&self, object: &Span) -> bool {
        self.tokens[object.clone()]
            .first()
            .is_some_and(|it| matches!(it.speech, WordClass::Preposition | WordClass::To))
    }

    /// Returns true if at least two nouns without an article start here, as "humidity readings" in
    /// "temperature and humidity readings".
    pub(super) fn is_modifier_list(&self, start: usize, end: usize) -> bool {
        let stop = phrase_end(self.tokens, start, end);
        stop >= start + 2 && self.tokens[start..stop].iter().all(|it| it.speech == WordClass::Noun)
    }

    /// Returns the head noun of the first noun phrase in a range, with at most two words before it.
    /// `None` if there is no noun phrase.
    pub(super) fn topic(&self, span: &Span) -> Option<String> {
        let mut at = span.start;
        while at < span.end {
            let end = phrase_end(self.tokens, at, span.end);
            let phrase = &self.tokens[at..end.max(at)];
            // "deliveries 5 times" is two phrases.
            let number = (1..phrase.len().saturating_sub(1)).find(|&it| {
                let is_unit =
                    phrase[it + 1].is(" times time seconds minutes hours days weeks months years mb gb kb ");
                phrase[it].speech == WordClass::Number && is_unit
            });
            let words: Vec<&Token<'_>> = phrase[..number.unwrap_or(phrase.len())]
                .iter()
                .filter(|it| {
                    matches!(it.speech, WordClass::Noun | WordClass::Adjective | WordClass::Verb(_)) && !it.is(" same other more most certain new own older newer simple nice small modern good fast quick easy big ")
                })
                .collect();
            let nouns = words.iter().rposition(|it| it.speech == WordClass::Noun).map_or(0, |at| at + 1);
            let words = &words[..nouns];
            if let [_] = words
                && self.tokens.get(end).is_some_and(|it| it.speech == WordClass::And)
                && self.is_modifier_list(end + 1, span.end)
            {
                // "temperature and humidity readings" are readings.
                at = end + 1;
                let stop = phrase_end(self.tokens, at, span.end);
                return self.tokens[at..stop]
                    .iter()
                    .rfind(|it| it.speech == WordClass::Noun)
                    .map(|it| it.text.to_owned());
            }
            let is_container = words.last().is_some_and(|head| head.is(CONTAINERS))
                && self.tokens.get(end).is_some_and(|it| it.is(" of "));
            if !words.is_empty() && !is_container {
                let from = words.len().saturating_sub(3);
                let word =
                    |it: &&Token<'_>| if it.at == 0 { lower_word(it.text) } else { it.text.to_owned() };
                return Some(words[from..].iter().map(word).collect::<Vec<_>>().join(" "));
            }
            at = end.max(at + 1);
        }
        None
    }
}
