//! Reads an idea without a model: numbered statements, requirements, quantities, constraints, exclusions, actors, and the
//! questions that it leaves open. Each finding names its statement and uses the author's words. Pure: equal ideas give
//! equal results. `components.rs` proposes components from the requirements.

mod classes;
mod clauses;
mod components;
mod exclusions;
mod lexicon;
mod quantities;
mod questions;
mod statements;
mod stems;
mod tokens;

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

pub use components::propose;
pub use statements::Statement;
pub use stems::{naming_stems, stem, stems};
pub(super) use tokens::is_small_word;

/// Maximum number of bytes that are read; the rest is counted in [`IdeaAnalysis::unread_bytes`].
pub const MAX_READ_BYTES: usize = 128 * 1024;
/// Number of words that tell the language.
const LANGUAGE_WORDS: usize = 1_000;
/// Minimum number of words that a requirement can be read from.
const MIN_WORDS: usize = 3;
/// Minimum share of known words in an English idea, in percent.
const ENGLISH_PERCENT: usize = 60;

/// The findings about an idea.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdeaAnalysis {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// Blocks of code or data that the idea holds.
    pub attachments: Vec<String>,
    /// The language, as far as it decides what can be read.
    pub language: IdeaLanguage,
    /// The noun phrase for the product, if the idea has one.
    pub product: Option<String>,
    /// Things that the system or its users do.
    pub requirements: Vec<Requirement>,
    /// Numbers with their units.
    pub quantities: Vec<Quantity>,
    /// Sentences that limit how the system is built or behaves.
    pub constraints: Vec<Remark>,
    /// Things that are not to be built.
    pub exclusions: Vec<Remark>,
    /// Groups of people that use the system.
    pub actors: Vec<Remark>,
    /// Statements that no rule could read.
    pub unread: Vec<usize>,
    /// Open questions, the most important first.
    pub questions: Vec<OpenQuestion>,
    /// Bytes at the end that were not read.
    pub unread_bytes: usize,
}

/// The language of an idea.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdeaLanguage {
    /// English, or too short to tell.
    #[default]
    English,
    /// Another language, which the rules cannot read.
    Other,
}

/// A requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Number, from 1.
    pub number: usize,
    /// The sentence: a template with whole phrases of the idea.
    pub text: String,
    /// Number of the statement it comes from.
    pub statement: usize,
    /// Base form of the verb; empty for a part of the product.
    pub(crate) verb: String,
    /// Noun phrase that the requirement is about.
    pub(crate) topic: String,
    /// True if the topic is a part of the product, such as "an admin dashboard".
    pub(crate) is_part: bool,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The number and its unit, byte for byte.
    pub text: String,
    /// The words before it that make it a limit or an estimate, such as "about"; empty if there are none.
    pub bound: String,
    /// Number of the statement.
    pub statement: usize,
}

/// A phrase or sentence of the idea with its statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The author's words.
    pub text: String,
    /// Number of the statement.
    pub statement: usize,
}

/// A question to the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The question.
    pub text: String,
    /// What holds until it is answered; empty if nothing can be assumed.
    pub assumption: String,
    /// Number of the statement; `None` if it is about the whole idea.
    pub statement: Option<usize>,
    /// Number of an earlier statement that `statement` contradicts, which keeps a draft from being verified; `None` for
    /// other questions.
    pub contradicts: Option<usize>,
    /// Importance: 5 contradicts, 4 blocks a component, 1 is about looks.
    pub(crate) rank: u8,
}

impl Quantity {
    /// Returns the quantity with its bound: "about 20 hours a day".
    pub fn shown(&self) -> String {
        if self.bound.is_empty() { self.text.clone() } else { format!("{} {}", self.bound, self.text) }
    }
}

impl IdeaAnalysis {
    /// Reads an idea. The last one is remembered, because each step of a run asks for it.
    pub fn of(idea: &str) -> Arc<Self> {
        static LAST: Mutex<Option<(String, Arc<IdeaAnalysis>)>> = Mutex::new(None);
        let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last().as_ref().filter(|(read, _)| read == idea).map(|(_, analysis)| analysis.clone());
        known.unwrap_or_else(|| {
            let analysis = Arc::new(Self::analyse(idea));
            *last() = Some((idea.to_owned(), analysis.clone()));
            analysis
        })
    }

    fn analyse(idea: &str) -> Self {
        let read = cut_at(idea, MAX_READ_BYTES);
        let split = statements::split(read);
        let mut analysis = Self {
            statements: split.statements,
            attachments: split.attachments,
            unread_bytes: idea.len() - read.len(),
            ..Self::default()
        };
        analysis.language = language(read);
        let words = read.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count();
        if analysis.language == IdeaLanguage::English && words >= MIN_WORDS {
            classes::classify(&mut analysis);
        }
        questions::ask(&mut analysis);
        analysis
    }

    /// Returns the questions about contradictions in the idea.
    pub fn contradictions(&self) -> impl Iterator<Item = &OpenQuestion> {
        self.questions.iter().filter(|question| question.contradicts.is_some())
    }

    /// Returns the questions about words without a measure, and about lists with an open end.
    pub fn vague_words(&self) -> Vec<OpenQuestion> {
        questions::vague(self)
    }

    /// Returns true for the sentence that names the product itself beside sentences that say what it does.
    pub fn is_product(&self, requirement: &Requirement) -> bool {
        requirement.verb.is_empty()
            && requirement.statement == 1
            && !requirement.text.starts_with("The system has ")
            && self.requirements.iter().any(|it| !it.verb.is_empty())
    }

    /// Returns true if the rules found something to build.
    pub fn is_buildable(&self) -> bool {
        !self.requirements.is_empty()
    }

    /// Returns the statements with this number.
    pub fn statement(&self, number: usize) -> Option<&Statement> {
        self.statements.get(number.checked_sub(1)?)
    }
}

/// Cuts a text at the last line that ends within `limit` bytes.
fn cut_at(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text[..end].rfind('\n').map_or(&text[..end], |line| &text[..line])
}

/// Tells English by the share of its words in the table.
fn language(idea: &str) -> IdeaLanguage {
    let letters = idea.chars().filter(|c| c.is_alphabetic()).count();
    let latin = idea.chars().filter(char::is_ascii_alphabetic).count();
    if latin * 2 < letters {
        return IdeaLanguage::Other;
    }
    let words: Vec<String> = idea
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| word.chars().all(|c| c.is_alphabetic() || c == '\''))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .map(str::to_lowercase)
        .take(LANGUAGE_WORDS)
        .collect();
    if words.len() < 3 {
        return if idea.is_ascii() { IdeaLanguage::English } else { IdeaLanguage::Other };
    }
    let known = words.iter().filter(|word| tokens::is_english(word)).count();
    let small = words.iter().filter(|word| tokens::is_small_word(word)).count();
    let is_english =
        known * 100 >= words.len() * ENGLISH_PERCENT && (words.len() < 8 || small * 20 >= words.len());
    if is_english { IdeaLanguage::English } else { IdeaLanguage::Other }
}
