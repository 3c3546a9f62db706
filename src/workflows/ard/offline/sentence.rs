//! What one sentence says about parts: each clause becomes a finding with a name, a type and a purpose made of the
//! sentence's own words.

use std::ops::Range;

use super::{
    clauses::{Clause, ClauseRole, Voice, clauses},
    inflect::{is_plural, pascal, singular},
    lexicon::{META_VERBS, MOVING_VERBS, Small, is_person, is_system, part_kind},
    phrases::{name, named_parts, phrase},
    text::{lowered, quoted},
    whole::Whole,
    words::IdeaWord,
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
    /// A part out of a sentence without a verb the rules know: its first phrase that names no people. What "has"
    /// something is a record of it.
    pub(super) fn of_sentence(sentence: &str, words: &[IdeaWord<'_>]) -> Option<Self> {
        if let Some(name) = nouns(words) {
            return Some(Self::whole_sentence(name, sentence));
        }
        let first = phrase(words, 0..words.len())?;
        let people = is_person(&singular(&words[first.end - 1].lower));
        let record = words.get(first.end).is_some_and(|next| next.small == Some(Small::Have));
        let thing =
            if people && !record { phrase(words, first.end..words.len()).unwrap_or(first) } else { first };
        let ending = if record { "Record" } else { "" };
        let found = Self::whole_sentence(name(&words[thing], ending)?, sentence);
        Some(Self { kind: if record { ComponentKind::DataStore } else { found.kind }, ..found })
    }

    /// A part that stands for a sentence that could not be taken apart.
    pub(super) fn whole_sentence(name: String, sentence: &str) -> Self {
        let quote = quoted(sentence);
        let head =
            super::stems::humps(&name).last().map(|head| singular(&head.to_lowercase())).unwrap_or_default();
        let kind = part_kind(&head).unwrap_or(ComponentKind::Subsystem);
        Self { name, kind, purpose: format!("Covers “{quote}”."), quote, at: 0 }
    }
}

/// A name out of the nouns of a language that writes them with a capital; the first word has one in any case, and where there
/// are more of the little words of English, it is English.
fn nouns(words: &[IdeaWord<'_>]) -> Option<String> {
    const NAMED: usize = 2;
    let little = words.iter().filter(|word| word.small.is_some()).count();
    let rest =
        words.iter().skip(1).filter(|word| word.is_open() && word.text.starts_with(char::is_uppercase));
    let nouns: Vec<_> = rest.map(|word| word.text).collect();
    if nouns.is_empty() || nouns.len() < little {
        return None;
    }
    pascal(nouns.into_iter().take(NAMED))
}

/// The part through which the whole is used, if the idea calls the whole an app, a page, an API or the like.
pub(super) fn face(sentence: &str, words: &[IdeaWord<'_>], range: Range<usize>) -> Option<Finding> {
    let kind = part_kind(&singular(&words[range.end - 1].lower))?;
    let users = match kind {
        ComponentKind::UiComponent | ComponentKind::Agent => "people",
        ComponentKind::Api => "other programs",
        _ => return None,
    };
    let quote = quoted(sentence);
    let purpose = format!("Is how {users} reach the system: “{quote}”.");
    Some(Finding { name: name(&words[range.clone()], "")?, kind, purpose, quote, at: range.start })
}

/// Everything a sentence says about parts, in its order.
pub(super) fn findings(sentence: &str, words: &[IdeaWord<'_>], whole: Option<&Whole>) -> Vec<Finding> {
    let clauses = clauses(words);
    let mut reader = SentenceReader { sentence, words, clauses: &clauses, whole, found: Vec::new() };
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
pub(super) enum Subject {
    /// The system as a whole, or nobody.
    System,
    /// People.
    Person(String),
    /// A part of the system.
    Part(Range<usize>),
    /// A thing outside or an object of the domain.
    Thing,
}

/// What a part has to do with a clause that only mentions it.
fn side_purpose(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::DataStore => "Keeps the data for this",
        ComponentKind::UiComponent => "Is where this happens",
        ComponentKind::Api => "Is called for this",
        ComponentKind::Agent => "Decides in this",
        ComponentKind::Subsystem | ComponentKind::Utility => "Takes part in this",
    }
}

/// A sentence being read.
pub(super) struct SentenceReader<'s> {
    pub(super) sentence: &'s str,
    pub(super) words: &'s [IdeaWord<'s>],
    pub(super) clauses: &'s [Clause],
    pub(super) whole: Option<&'s Whole>,
    found: Vec<Finding>,
}

impl SentenceReader<'_> {
    fn subject(&self, index: usize, inherited: Subject) -> Subject {
        let clause = &self.clauses[index];
        let opener = self.words[clause.start].small;
        let own = if opener == Some(Small::Relative) {
            let from = if index == 0 { 0 } else { self.clauses[index - 1].at + 1 };
            self.last_phrase(from, clause.start)
        } else {
            phrase(self.words, clause.start..clause.at)
        };
        let asked =
            index.checked_sub(1).filter(|_| opener == Some(Small::To)).and_then(|before| self.asked(before));
        match own.or(asked) {
            Some(range) => self.kind_of(range),
            None => self.pronoun(clause).unwrap_or(inherited),
        }
    }

    /// The part that a clause asks or sets to do something.
    fn asked(&self, index: usize) -> Option<Range<usize>> {
        let object = self.own_object(&self.clauses[index])?;
        part_kind(&singular(&self.words[object.end - 1].lower)).map(|_| object)
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
        if self.is_whole(&range) {
            Subject::System
        } else if is_person(&head) {
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

    fn is_whole(&self, range: &Range<usize>) -> bool {
        self.whole.is_some_and(|whole| whole.is(&self.words[range.clone()]))
    }

    /// The parts named in a span, the whole aside.
    fn named(&self, span: Range<usize>) -> Vec<(Range<usize>, ComponentKind)> {
        let mut named = named_parts(self.words, span);
        named.retain(|(range, _)| !self.is_whole(range));
        named
    }

    pub(super) fn is_determiner(&self, at: usize) -> bool {
        self.words[at].small == Some(Small::Determiner)
    }

    fn pronoun(&self, clause: &Clause) -> Option<Subject> {
        let word =
            self.words[clause.start..clause.at].iter().find(|word| word.small == Some(Small::Pronoun))?;
        Some(match word.lower.as_str() {
            "it" | "there" | "what" | "itself" | "everything" | "anything" | "something" | "nothing" => {
                Subject::System
            }
            "i" => Subject::Person("me".to_owned()),
            "we" => Subject::Person("us".to_owned()),
            "they" => Subject::Person("them".to_owned()),
            other => Subject::Person(other.to_owned()),
        })
    }

    fn clause(&mut self, index: usize, subject: &Subject) {
        let clause = &self.clauses[index];
        match clause.role {
            ClauseRole::Circumstance => return,
            ClauseRole::Ban => return self.ban(index),
            ClauseRole::Deed => {}
        }
        let object = self.object(index);
        if self.is_meta(clause, object.as_ref(), subject) {
            return;
        }
        let purpose = self.purpose(index, subject);
        let quote = quoted(self.slice(self.content(clause.start), self.text_end(index)));
        let named = self.named(clause.at + 1..clause.end);
        let doer = if let Subject::Part(range) = subject {
            Some((range.clone(), self.part_kind(range)))
        } else {
            named.iter().find(|part| self.stands_in(clause, part)).cloned()
        };
        let own = match &doer {
            Some((range, kind)) => Some((name(&self.words[range.clone()], ""), *kind, range.start)),
            None => self.done(index, object, subject).map(|name| (Some(name), clause.verb.kind, clause.at)),
        };
        if let Some((Some(name), kind, at)) = own {
            self.found.push(Finding { name, kind, purpose, quote: quote.clone(), at });
        }
        for (range, kind) in named.into_iter().filter(|part| doer.as_ref() != Some(part)) {
            let Some(name) = name(&self.words[range.clone()], "") else { continue };
            let purpose = format!("{}: “{quote}”.", side_purpose(kind));
            self.found.push(Finding { name, kind, purpose, quote: quote.clone(), at: range.start });
        }
    }

    fn part_kind(&self, range: &Range<usize>) -> ComponentKind {
        part_kind(&singular(&self.words[range.end - 1].lower)).unwrap_or(ComponentKind::Subsystem)
    }

    /// Whether a part named in a clause is what does the deed: things are stored in a database, shown on a page.
    fn stands_in(&self, clause: &Clause, (range, kind): &(Range<usize>, ComponentKind)) -> bool {
        let keeps_or_shows = matches!(kind, ComponentKind::UiComponent | ComponentKind::DataStore);
        let same = self.words[range.end - 1].lower.eq_ignore_ascii_case(clause.verb.doer);
        let set_to_work = matches!(clause.verb.lemma, "ask" | "run" | "query" | "start" | "trigger");
        let direct = self.own_object(clause).is_some_and(|object| object == *range);
        (keeps_or_shows && *kind == clause.verb.kind) || same || (set_to_work && direct)
    }

    /// The name of the part that does the deed of a clause.
    fn done(&self, index: usize, object: Option<Range<usize>>, subject: &Subject) -> Option<String> {
        let clause = &self.clauses[index];
        if MOVING_VERBS.contains(&clause.verb.lemma) {
            let moved =
                phrase(self.words, clause.start..clause.at).filter(|_| matches!(subject, Subject::Thing))?;
            return name(&self.words[moved], clause.verb.doer);
        }
        let object = object.filter(|range| !self.is_person(range)).or_else(|| self.means(clause));
        name(object.map(|range| &self.words[range]).unwrap_or_default(), clause.verb.doer)
    }

    /// "by text message", "via e-mail".
    fn means(&self, clause: &Clause) -> Option<Range<usize>> {
        let by =
            (clause.at + 1..clause.end).find(|&i| matches!(self.words[i].lower.as_str(), "by" | "via"))?;
        phrase(self.words, by + 1..clause.end).filter(|range| range.start <= by + 2 && !self.is_person(range))
    }

    pub(super) fn is_person(&self, range: &Range<usize>) -> bool {
        is_person(&singular(&self.words[range.end - 1].lower))
    }

    /// The first word of a clause that is no joint.
    pub(super) fn content(&self, start: usize) -> usize {
        let joint = |word: &IdeaWord<'_>| {
            matches!(word.small, Some(Small::And | Small::Relative | Small::Adverb | Small::To))
                || word.lower == "so"
        };
        (start..self.words.len()).find(|&i| !joint(&self.words[i])).unwrap_or(start)
    }

    /// What must not happen becomes a safeguard.
    fn ban(&mut self, index: usize) {
        let clause = &self.clauses[index];
        let quote = quoted(self.slice(self.content(clause.start), self.text_end(index)));
        let object = self.object(index).map(|range| &self.words[range]).unwrap_or_default();
        if let Some(name) = name(object, "Safeguard") {
            let purpose = format!("Upholds “{quote}”.");
            self.found.push(Finding { name, kind: ComponentKind::Subsystem, purpose, quote, at: clause.at });
        }
    }

    /// "Build a system that …": about the whole.
    fn is_meta(&self, clause: &Clause, object: Option<&Range<usize>>, subject: &Subject) -> bool {
        let nobody =
            matches!(subject, Subject::System) || self.words[clause.start].small == Some(Small::Pronoun);
        let whole = object.is_none_or(|range| {
            let head = singular(&self.words[range.end - 1].lower);
            is_system(&head) || part_kind(&head).is_some() || clause.at == 0
        });
        META_VERBS.contains(&clause.verb.lemma) && nobody && whole
    }

    /// Words for parts that no clause claimed ("A REST API and a queue").
    fn unclaimed(&mut self) {
        let quote = quoted(self.sentence);
        for (range, kind) in self.named(0..self.words.len()) {
            let Some(name) = name(&self.words[range.clone()], "") else { continue };
            let verb = self.clauses.iter().any(|clause| range.contains(&clause.at));
            if !verb && self.found.iter().all(|finding| finding.name != name) {
                let purpose = format!("Covers “{quote}”.");
                self.found.push(Finding { name, kind, purpose, quote: quote.clone(), at: range.start });
            }
        }
    }

    /// What a clause acts on: its object, its subject if it is passive, or the object of the verb it is joined to.
    pub(super) fn object(&self, index: usize) -> Option<Range<usize>> {
        let clause = &self.clauses[index];
        let points_back =
            self.words[clause.at + 1..clause.end].iter().any(|word| word.small == Some(Small::Pronoun));
        let own = self.own_object(clause);
        if own.is_some() && !points_back {
            return own;
        }
        let earlier = || self.clauses[..index].iter().rev();
        if points_back {
            let many = self.words[clause.at + 1..clause.end].iter().any(|word| word.lower == "them");
            let are_many = |range: &Range<usize>| {
                is_plural(&self.words[range.end - 1].lower) || self.together(range) != *range
            };
            // "stores them in a database": what follows a pronoun is not what the verb acts on.
            let direct = self.words[clause.at + 1].small == Some(Small::Pronoun);
            return earlier()
                .filter_map(|clause| self.own_object(clause))
                .find(|range| are_many(range) == many)
                .or(own.filter(|_| !direct));
        }
        if clause.voice == Voice::Passive {
            return earlier()
                .take_while(|clause| clause.voice == Voice::Passive)
                .find_map(|clause| self.own_object(clause));
        }
        let mut joined = self.clauses[index..].iter().skip_while(|clause| clause.at + 1 == clause.end);
        joined.next().and_then(|later| self.own_object(later))
    }

    /// A thing with the one that "and" adds to it: "the supplier and the amount".
    pub(super) fn together(&self, range: &Range<usize>) -> Range<usize> {
        let joint = |at: usize| self.words.get(at).is_some_and(|word| word.small == Some(Small::And));
        let second = range.end + 1;
        let second = second + usize::from(second < self.words.len() && self.is_determiner(second));
        let limit = self.clauses.iter().map(|clause| clause.start).find(|start| *start > range.start);
        let added = phrase(self.words, second..limit.unwrap_or(self.words.len()).max(second))
            .filter(|added| joint(range.end) && added.start == second);
        range.start..added.map_or(range.end, |added| added.end)
    }

    fn own_object(&self, clause: &Clause) -> Option<Range<usize>> {
        let span =
            if clause.voice == Voice::Passive { clause.start..clause.at } else { clause.at + 1..clause.end };
        phrase(self.words, span)
    }
}
