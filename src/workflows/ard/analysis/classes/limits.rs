//! Distinguishes limits, rules about things and background from behaviour.

use super::super::clauses::{Span, Subject, VerbPhrase};
use super::super::lexicon::{self, Tense};
use super::super::tokens::WordClass;
use super::StatementReader;

impl StatementReader<'_> {
    /// Returns true for an action that describes the authors themselves: "We run a bike rental".
    pub(super) fn is_background(&self, action: &VerbPhrase, verb: &str) -> bool {
        let before = action.auxiliary.start.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_ours = match &action.subject {
            Subject::Phrase(span) => {
                self.tokens[span.clone()].iter().take(3).any(|it| it.is(" our my "))
                    && lexicon::is_in(" have run be live retire work sell lie stand ", verb)
            }
            _ => false,
        };
        is_ours
            || action.subject == Subject::User
                && action.auxiliary.is_empty()
                && before.is_some_and(|it| it.is(" we i "))
                && (lexicon::is_in(" run have own operate work live lose spend use ", verb)
                    || (!lexicon::is_product_verb(verb) && action.form == Tense::Base))
    }

    /// Returns true for a rule about things that is no action: "the data must stay in Germany".
    pub(super) fn is_rule_of_things(&self, action: &VerbPhrase, verb: &str) -> bool {
        let lasts = lexicon::is_in(" stay remain ", verb);
        let Subject::Phrase(span) = &action.subject else {
            return lasts && action.subject == Subject::System;
        };
        if self.tokens[span.clone()].iter().any(|it| it.is(" nothing nobody none no ")) {
            return true;
        }
        if self.is_person(span) {
            return false;
        }
        let obliges = self.tokens[action.auxiliary.clone()].iter().any(|it| it.is(" must shall has "));
        let ends_in_only = self.tokens[action.object.clone()].last().is_some_and(|it| it.is(" only "));
        obliges || ends_in_only || lexicon::is_in(" stay remain run comply ", verb)
    }

    /// Returns true if the object begins with a number, apart from words such as "up to".
    pub(super) fn is_bare_limit(&self, object: &Span) -> bool {
        let mut words = self.tokens[object.clone()].iter().filter(|it| {
            !it.is(" up to at most least no more less fewer than under within over about around between in only roughly below above \
                 concurrent simultaneous ")
        });
        words.next().is_some_and(|first| first.speech == WordClass::Number)
    }

    /// Returns true if the words after a verb such as "run" or "use" name a platform or a technology.
    pub(super) fn tells_how(&self, action: &VerbPhrase) -> bool {
        let first = self.tokens[action.object.clone()]
            .iter()
            .find(|it| it.speech != WordClass::Adverb || it.is(" offline online locally "));
        let verb = self.tokens[action.verb].lower.as_str();
        match first {
            None => true,
            Some(first) if first.is(" it this ") => true,
            Some(first) if verb.starts_with("us") => {
                first.text.starts_with(char::is_uppercase)
                    || !action.auxiliary.is_empty()
                    || action.form == Tense::Base
                    || first.speech == WordClass::Noun
            }
            Some(first) => {
                matches!(first.speech, WordClass::Preposition | WordClass::Adverb | WordClass::Be)
                    || first.is(" only even offline online ")
                    || first.text.starts_with(char::is_uppercase)
            }
        }
    }
}
