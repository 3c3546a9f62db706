//! What one sentence says about parts: each clause becomes a finding with a name, a type and a purpose made of the
//! sentence's own words.

use std::ops::Range;

use super::{
    clauses::{Clause, Role, Voice, clauses},
    inflect::{singular, third_person},
    lexicon::{META_VERBS, Small, is_person, is_system, part_kind},
    phrases::{name, named_parts, phrase},
    text::{lowered, quoted, sentence as as_sentence},
    words::Word,
};
use crate::workflows::ard::exchange::ComponentKind;

/// A part that a clause speaks of.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    /// What it is called.
    pub(super) name: String,
    /// Its type.
    pub(super) kind: ComponentKind,
    /// What it does, as a sentence.
    pub(super) purpose: String,
    /// The words it was found in.
    pub(super) quote: String,
    /// Where its word stands in the sentence, for the order.
    at: usize,
}

impl Finding {
    /// A part that stands for a sentence that could not be taken apart.
    pub(super) fn whole_sentence(name: String, sentence: &str) -> Self {
        let quote = quoted(sentence);
        let head = super::stems::humps(&name).last().map(|head| singular(&head.to_lowercase())).unwrap_or_default();
        let kind = part_kind(&head).unwrap_or(ComponentKind::Subsystem);
        Self { name, kind, purpose: format!("Covers “{quote}”."), quote, at: 0 }
    }
}

/// Everything a sentence says about parts, in its order.
pub(super) fn findings(sentence: &str, words: &[Word<'_>]) -> Vec<Finding> {
    let clauses = clauses(words);
    let mut reader = Reader { sentence, words, clauses: &clauses, found: Vec::new() };
    let mut subject = Subject::System;
    for index in 0..clauses.len() {
        subject = reader.subject(index, subject);
        reader.clause(index, &subject);
    }
    reader.unclaimed();
    reader.found.sort_by_key(|finding| finding.at);
    reader.found
}

/// Who a clause speaks of.
#[derive(Debug, Clone)]
enum Subject {
    /// The system as a whole, or nobody.
    System,
    /// People.
    Person(String),
    /// A part of the system.
    Part(Range<usize>),
    /// A thing outside or an object of the domain.
    Thing,
}

struct Reader<'s> {
    sentence: &'s str,
    words: &'s [Word<'s>],
    clauses: &'s [Clause],
    found: Vec<Finding>,
}

impl Reader<'_> {
    fn subject(&self, index: usize, inherited: Subject) -> Subject {
        let clause = &self.clauses[index];
        let opener = self.words[clause.start].small;
        let own = if opener == Some(Small::Relative) {
            let from = if index == 0 { 0 } else { self.clauses[index - 1].at + 1 };
            self.last_phrase(from, clause.start)
        } else {
            phrase(self.words, clause.start..clause.at)
        };
        match own {
            Some(range) => self.kind_of(range),
            None => self.pronoun(clause).unwrap_or(inherited),
        }
    }

    fn last_phrase(&self, from: usize, to: usize) -> Option<Range<usize>> {
        let mut last = None;
        let mut at = from;
        while let Some(range) = phrase(self.words, at..to) {
            at = range.end;
            last = Some(range);
        }
        last
    }

    fn kind_of(&self, range: Range<usize>) -> Subject {
        let head = singular(&self.words[range.end - 1].lower);
        if is_person(&head) {
            let start = range.start - usize::from(range.start > 0 && self.is_determiner(range.start - 1));
            Subject::Person(lowered(self.slice(start, range.end)))
        } else if part_kind(&head).is_some() {
            Subject::Part(range)
        } else if is_system(&head) {
            Subject::System
        } else {
            Subject::Thing
        }
    }

    fn is_determiner(&self, at: usize) -> bool {
        self.words[at].small == Some(Small::Determiner)
    }

    fn pronoun(&self, clause: &Clause) -> Option<Subject> {
        let word = self.words[clause.start..clause.at].iter().find(|word| word.small == Some(Small::Pronoun))?;
        Some(match word.lower.as_str() {
            "it" | "there" | "what" | "itself" => Subject::System,
            "i" => Subject::Person("me".to_owned()),
            "we" => Subject::Person("us".to_owned()),
            "they" => Subject::Person("them".to_owned()),
            other => Subject::Person(other.to_owned()),
        })
    }

    fn clause(&mut self, index: usize, subject: &Subject) {
        let clause = &self.clauses[index];
        let object = self.object(index);
        match clause.role {
            Role::Circumstance => return,
            Role::Ban => return self.ban(index, object),
            Role::Deed => {}
        }
        if self.is_meta(clause, object.as_ref(), subject) {
            return;
        }
        let purpose = self.purpose(index, subject);
        let quote = quoted(self.slice(clause.start, self.text_end(index)));
        let mut push = |name: Option<String>, kind, at| {
            let Some(name) = name else { return };
            self.found.push(Finding { name, kind, purpose: purpose.clone(), quote: quote.clone(), at });
        };
        if let Subject::Part(range) = subject {
            let kind = part_kind(&singular(&self.words[range.end - 1].lower)).unwrap_or(ComponentKind::Subsystem);
            push(name(&self.words[range.clone()], ""), kind, range.start);
        }
        let named = named_parts(self.words, clause.at + 1..clause.end);
        let doer = clause.verb.doer.to_lowercase();
        let plays = |part: &&(Range<usize>, ComponentKind)| {
            let shown = matches!(part.1, ComponentKind::UiComponent | ComponentKind::DataStore);
            (shown && part.1 == clause.verb.kind) || self.words[part.0.end - 1].lower == doer
        };
        let stand_in = named.iter().find(plays).is_some();
        if !stand_in && !matches!(subject, Subject::Part(_)) {
            let object = object.map(|range| &self.words[range]).unwrap_or_default();
            let ending = clause.verb.doer;
            push(name(object, ending), clause.verb.kind, clause.at);
        }
        for (range, kind) in named {
            push(name(&self.words[range.clone()], ""), kind, range.start);
        }
    }

    /// What must not happen becomes a safeguard.
    fn ban(&mut self, index: usize, object: Option<Range<usize>>) {
        let clause = &self.clauses[index];
        let quote = quoted(self.slice(clause.start, self.text_end(index)));
        let object = object.map(|range| &self.words[range]).unwrap_or_default();
        if let Some(name) = name(object, "Safeguard") {
            let purpose = format!("Upholds “{quote}”.");
            self.found.push(Finding { name, kind: ComponentKind::Subsystem, purpose, quote, at: clause.at });
        }
    }

    /// "Build a system that …": about the whole.
    fn is_meta(&self, clause: &Clause, object: Option<&Range<usize>>, subject: &Subject) -> bool {
        let nobody = matches!(subject, Subject::System) || self.words[clause.start].small == Some(Small::Pronoun);
        let whole = object.is_none_or(|range| {
            let head = singular(&self.words[range.end - 1].lower);
            is_system(&head) || part_kind(&head).is_some() || clause.at == 0
        });
        META_VERBS.contains(&clause.verb.lemma) && nobody && whole
    }

    /// Words for parts that no clause claimed ("A REST API and a queue").
    fn unclaimed(&mut self) {
        let quote = quoted(self.sentence);
        for (range, kind) in named_parts(self.words, 0..self.words.len()) {
            let Some(name) = name(&self.words[range.clone()], "") else { continue };
            let verb = self.clauses.iter().any(|clause| range.contains(&clause.at));
            let whole = is_system(&singular(&self.words[range.end - 1].lower)) && kind == ComponentKind::Subsystem;
            if !verb && !whole && self.found.iter().all(|finding| finding.name != name) {
                let purpose = format!("Covers “{quote}”.");
                self.found.push(Finding { name, kind, purpose, quote: quote.clone(), at: range.start });
            }
        }
    }

    /// What a clause acts on: its object, its subject if it is passive, or the object of the verb it is joined to.
    fn object(&self, index: usize) -> Option<Range<usize>> {
        let clause = &self.clauses[index];
        if clause.voice == Voice::Passive {
            return phrase(self.words, clause.start..clause.at);
        }
        phrase(self.words, clause.at + 1..clause.end).or_else(|| {
            let joined = clause.at + 1 == clause.end && index + 1 < self.clauses.len();
            let points_back = self.words[clause.at + 1..clause.end].iter().any(|word| word.small == Some(Small::Pronoun));
            if joined {
                self.object(index + 1)
            } else if points_back && index > 0 {
                self.object(index - 1)
            } else {
                None
            }
        })
    }

    fn purpose(&self, index: usize, subject: &Subject) -> String {
        let clause = &self.clauses[index];
        let lemma = clause.verb.lemma;
        let rest = self.rest(index);
        let text = match (clause.voice, subject) {
            (Voice::Active, Subject::System | Subject::Part(_)) => format!("{} {rest}", third_person(lemma)),
            (Voice::Active, Subject::Person(person)) => format!("lets {person} {lemma} {rest}"),
            (Voice::Active, Subject::Thing) => return format!("Covers “{}”.", quoted(self.slice(clause.start, self.text_end(index)))),
            (Voice::Passive, _) => self.passive(index, lemma, &rest),
        };
        as_sentence(&quoted(&text))
    }

    /// "orders are stored in …" says that somebody stores orders in …
    fn passive(&self, index: usize, lemma: &str, rest: &str) -> String {
        let clause = &self.clauses[index];
        let object = phrase(self.words, clause.start..clause.at).map(|range| {
            let start = range.start - usize::from(range.start > clause.start && self.is_determiner(range.start - 1));
            lowered(self.slice(start, range.end))
        });
        let Some(object) = object.filter(|_| !rest.starts_with("by ")) else {
            return format!("covers “{}”", quoted(self.slice(clause.start, self.text_end(index))));
        };
        format!("{} {object} {rest}", third_person(lemma))
    }

    /// What follows the verb, with the circumstances before or after it.
    fn rest(&self, index: usize) -> String {
        let clause = &self.clauses[index];
        let joined = clause.at + 1 == clause.end && index + 1 < self.clauses.len();
        let own = if joined { self.rest(index + 1) } else { self.slice(clause.at + 1, self.text_end(index)).to_owned() };
        let before = index.checked_sub(1).map(|i| (&self.clauses[i], i)).filter(|(clause, _)| clause.role == Role::Circumstance);
        match before {
            Some((circumstance, 0)) if !joined => {
                format!("{own} {}", lowered(self.slice(circumstance.start, circumstance.end)))
            }
            _ => own,
        }
    }

    /// One past the last word of a clause and of the circumstances after it.
    fn text_end(&self, index: usize) -> usize {
        let later = self.clauses[index + 1..].iter().take_while(|clause| clause.role == Role::Circumstance);
        later.last().map_or(self.clauses[index].end, |clause| clause.end)
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        if from >= to {
            return "";
        }
        &self.sentence[self.words[from].start..self.words[to - 1].end()]
    }
}
