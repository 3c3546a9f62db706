//! Words purposes: turns a clause of the idea into a sentence about the part that does it, in the idea's own words.

use std::ops::Range;

use super::{
    clauses::{ClauseRole, Voice},
    inflect::third_person,
    lexicon::Small,
    phrases::phrase,
    sentence::{SentenceReader, Subject},
    text::{lowered, quoted, sentence as as_sentence},
};

impl SentenceReader<'_> {
    pub(super) fn purpose(&self, index: usize, subject: &Subject) -> String {
        let clause = &self.clauses[index];
        let lemma = clause.verb.lemma;
        let rest = self.rest(index);
        let text = match (clause.voice, subject) {
            (Voice::Active, Subject::System | Subject::Part(_)) => {
                format!("{} {rest}", third_person(lemma))
            }
            (Voice::Active, Subject::Person(person)) => format!("lets {person} {lemma} {rest}"),
            (Voice::Active, Subject::Thing) => {
                return format!(
                    "Covers “{}”.",
                    quoted(self.slice(self.content(clause.start), self.text_end(index)))
                );
            }
            (Voice::Passive, _) => self.passive(index, lemma, &rest),
        };
        as_sentence(&quoted(&text))
    }

    /// "orders are stored in …" says that somebody stores orders in …
    fn passive(&self, index: usize, lemma: &str, rest: &str) -> String {
        let clause = &self.clauses[index];
        let object = self.object(index).map(|range| self.with_determiner(&range));
        let agent = rest.strip_prefix("by ").and_then(|_| phrase(self.words, clause.at + 2..clause.end));
        let agent = agent.filter(|range| self.is_person(range));
        match (object, agent) {
            (Some(object), None) => format!("{} {object} {rest}", third_person(lemma)),
            (Some(object), Some(agent)) => {
                let after = self.slice(agent.end, self.text_end(index)).to_owned();
                format!("lets {} {lemma} {object} {after}", lowered(self.slice(clause.at + 2, agent.end)))
            }
            (None, _) => format!("{} {rest}", third_person(lemma)),
        }
    }

    /// A phrase with the "the" or "their" before it.
    fn with_determiner(&self, range: &Range<usize>) -> String {
        let start = range.start - usize::from(range.start > 0 && self.is_determiner(range.start - 1));
        lowered(self.slice(start, range.end))
    }

    /// What follows the verb, with the circumstances before or after it.
    fn rest(&self, index: usize) -> String {
        let clause = &self.clauses[index];
        let bare = clause.at + 1 == clause.end && clause.voice == Voice::Active;
        let joined = bare && index + 1 < self.clauses.len();
        let own = if joined { self.rest(index + 1) } else { self.tail(index) };
        let before = index
            .checked_sub(1)
            .map(|i| (&self.clauses[i], i))
            .filter(|(clause, _)| clause.role == ClauseRole::Circumstance);
        match before {
            Some((circumstance, 0)) if !joined => {
                format!("{own} {}", lowered(self.slice(circumstance.start, circumstance.end)))
            }
            _ if index == 0 && clause.start > 0 && self.words[0].small == Some(Small::When) => {
                format!("{own} {}", lowered(self.slice(0, clause.start)))
            }
            _ => own,
        }
    }

    /// What follows the verb; a bare pronoun is replaced by what it stands for.
    fn tail(&self, index: usize) -> String {
        let clause = &self.clauses[index];
        let end = self.text_end(index);
        let pronoun = self
            .words
            .get(clause.at + 1)
            .filter(|word| clause.at + 1 < end && matches!(word.lower.as_str(), "them" | "it"));
        let object = pronoun.and_then(|_| self.object(index));
        match object {
            Some(object) => {
                let things = self.with_determiner(&self.together(&object));
                format!("{things} {}", self.slice(clause.at + 2, end))
            }
            None => self.slice(clause.at + 1, end).to_owned(),
        }
    }

    /// One past the last word of a clause and of the circumstances after it.
    pub(super) fn text_end(&self, index: usize) -> usize {
        let later =
            self.clauses[index + 1..].iter().take_while(|clause| clause.role == ClauseRole::Circumstance);
        later.last().map_or(self.clauses[index].end, |clause| clause.end)
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &str {
        if from >= to {
            return "";
        }
        &self.sentence[self.words[from].start..self.words[to - 1].end()]
    }
}
