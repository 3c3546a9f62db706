//! Takes parts of a system out of an idea: its nouns and verbs become components to be. Pure and bounded; what was not
//! read is told by [`Reading`].

use std::collections::BTreeSet;

use super::{
    inflect::{pascal, singular},
    lexicon::part_kind,
    sentence::{Finding, face, findings},
    sentences::sentences,
    stems::stem,
    stems::{humps, telling},
    whole::Whole,
    words::words,
};
use crate::workflows::ard::exchange::ComponentKind;

/// Parts taken out of one idea at most.
pub(super) const MAX_PARTS: usize = 40;
/// Sentences read at most.
pub(super) const MAX_SENTENCES: usize = 200;
/// Bytes read at most (64 KiB): enough for every part there can be, and quick whatever the text.
pub(super) const MAX_BYTES: usize = 64 << 10;
/// Words read of one sentence at most.
const MAX_WORDS: usize = 200;
/// Statements kept for one part at most.
const MAX_STATEMENTS: usize = 4;

/// A component to be.
#[derive(Debug, Clone)]
pub(super) struct IdeaPart {
    /// Its name, unique in the reading.
    pub(super) name: String,
    /// Its type.
    pub(super) kind: ComponentKind,
    /// What is said about it, at least one statement.
    pub(super) statements: Vec<Statement>,
    /// Whether a sentence is mainly about it.
    pub(super) rank: PartRank,
    /// Which sentence it was first found in, from 0.
    pub(super) sentence: usize,
}

/// Something the idea says about a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// As a purpose: a sentence made of the words of the idea.
    pub(super) purpose: String,
    /// The words of the idea.
    pub(super) quote: String,
}

/// What a part is to the sentence it was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartRank {
    /// The sentence is mainly about it.
    Main,
    /// The sentence mentions it on the side.
    Side,
}

impl IdeaPart {
    fn new(finding: Finding, rank: PartRank, sentence: usize) -> Self {
        let Finding { name, kind, purpose, quote, .. } = finding;
        Self { name, kind, statements: vec![Statement { purpose, quote }], rank, sentence }
    }

    /// The statements as one purpose.
    pub(super) fn purpose(&self) -> String {
        self.statements.iter().map(|statement| statement.purpose.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Whether the idea names the part itself ("a web portal") and not only what is done.
    pub(super) fn is_named(&self) -> bool {
        let head = humps(&self.name).last().map(|head| head.to_lowercase()).unwrap_or_default();
        part_kind(&head).is_some()
    }

    /// The stems that a component covering this part has to have.
    pub(super) fn key(&self) -> BTreeSet<String> {
        humps(&self.name).into_iter().map(stem).collect()
    }
}

/// What was read of an idea.
#[derive(Debug, Clone)]
pub(super) struct IdeaReading {
    /// Sentences read.
    sentences: usize,
    /// The parts, in the order of the idea.
    pub(super) parts: Vec<IdeaPart>,
    /// Sentences that yield no part but say something.
    pub(super) remarks: Vec<String>,
    /// Bytes of the idea that were read.
    pub(super) bytes_read: usize,
}

/// Reads an idea until [`MAX_PARTS`] parts, [`MAX_SENTENCES`] sentences or [`MAX_BYTES`] are there.
pub(super) fn read(idea: &str) -> IdeaReading {
    let mut reading = IdeaReading { sentences: 0, parts: Vec::new(), remarks: Vec::new(), bytes_read: 0 };
    let mut seen = BTreeSet::new();
    let mut whole = None;
    let readable = &idea[..idea.floor_char_boundary(MAX_BYTES)];
    for (sentence, end) in sentences(readable).take(MAX_SENTENCES) {
        if reading.parts.len() >= MAX_PARTS {
            break;
        }
        if seen.insert(sentence) {
            reading.take(sentence, &mut whole);
            reading.sentences += 1;
        }
        reading.bytes_read = end;
    }
    if !idea[reading.bytes_read..].chars().any(char::is_alphanumeric) {
        reading.bytes_read = idea.len();
    }
    if reading.parts.is_empty() {
        reading.parts.push(fallback(idea, whole.as_ref()));
        reading.remarks.clear();
    }
    reading
}

impl IdeaReading {
    fn take(&mut self, sentence: &str, whole: &mut Option<Whole>) {
        let words = words(sentence, MAX_WORDS);
        let mut found = Vec::new();
        let introduction = Whole::find(&words).filter(|_| self.bytes_read == 0);
        if let Some((name, range)) = introduction.clone() {
            *whole = Some(name);
            found.extend(face(sentence, &words, range));
        }
        found.extend(findings(sentence, &words, whole.as_ref()));
        if found.is_empty() && introduction.is_none() {
            found.extend(Finding::of_sentence(sentence, &words));
        }
        // Whom the whole is for is the title's matter; "a tool for our village" asks no component for anything.
        let says_whom = introduction
            .is_some_and(|(_, range)| words.get(range.end).is_some_and(|next| next.lower == "for"));
        if found.is_empty() && !says_whom && !telling(sentence).is_empty() {
            self.remarks.push(super::text::quoted(sentence));
        }
        for (position, finding) in found.into_iter().enumerate() {
            self.add(finding, if position == 0 { PartRank::Main } else { PartRank::Side });
        }
    }

    fn add(&mut self, finding: Finding, rank: PartRank) {
        if let Some(known) = self.parts.iter_mut().find(|part| refers(&finding.name, &part.name)) {
            let statement = Statement { purpose: finding.purpose, quote: finding.quote };
            if !known.statements.contains(&statement) && known.statements.len() < MAX_STATEMENTS {
                known.statements.push(statement);
            }
            if rank == PartRank::Main {
                known.rank = rank;
            }
        } else if self.parts.len() < MAX_PARTS {
            self.parts.push(IdeaPart::new(finding, rank, self.sentences));
        }
    }
}

/// Whether a name means a known part: the same, or the bare head of it ("the app" after "a mobile app").
fn refers(name: &str, known: &str) -> bool {
    let head = humps(known).last().copied().unwrap_or_default();
    name == known || (part_kind(&singular(&name.to_lowercase())).is_some() && name == head)
}

/// The one part of an idea that names no part: the whole.
fn fallback(idea: &str, whole: Option<&Whole>) -> IdeaPart {
    let words = words(idea, MAX_WORDS);
    let first = words.iter().take(3).map(|word| word.text);
    let name = whole.map(|whole| whole.name().to_owned()).or_else(|| pascal(first));
    let name = name.unwrap_or_else(|| "Idea".to_owned());
    IdeaPart::new(Finding::whole_sentence(name, idea), PartRank::Main, 0)
}
