//! Analysis of an idea (a text that describes software to build) by rules, without a model: numbered
//! statements, requirements, quantities, constraints, exclusions, actors, and the questions that the
//! idea leaves open. Each finding names its statement and uses the author's words. Pure: equal ideas
//! give equal results. `components.rs` proposes components from the requirements.

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

/// Maximum number of bytes of an idea that are read; the rest is counted in [`IdeaAnalysis::unread_bytes`].
pub const MAX_READ_BYTES: usize = 128 * 1024;
/// Number of words at the beginning of an idea that decide its language.
const LANGUAGE_WORDS: usize = 1_000;
/// Minimum number of words of an idea in which requirements are searched.
const MIN_WORDS: usize = 3;
/// Minimum share of known English words in an English idea, in percent.
const ENGLISH_PERCENT: usize = 60;

/// Findings of the rules about an idea. [`IdeaAnalysis::of`] makes it; the architect and the reviewer
/// by rules, the gates and the specification read it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdeaAnalysis {
    /// Statements (sentences, list items, table cells), in order.
    pub statements: Vec<Statement>,
    /// Texts of the code blocks in the idea; no statements are read from them.
    pub attachments: Vec<String>,
    /// Language of the idea; only English is read by the rules.
    pub language: IdeaLanguage,
    /// Noun phrase that the idea uses for the product, such as "a recipe website".
    pub product: Option<String>,
    /// Things that the system or its users do, and parts that the product has.
    pub requirements: Vec<Requirement>,
    /// Numbers with their units, as the idea states them.
    pub quantities: Vec<Quantity>,
    /// Sentences that limit how the system is built or behaves.
    pub constraints: Vec<IdeaPhrase>,
    /// Things that the idea says not to build.
    pub exclusions: Vec<IdeaPhrase>,
    /// Groups of people that use the system.
    pub actors: Vec<IdeaPhrase>,
    /// Numbers of the statements from which no rule made a finding.
    pub unread: Vec<usize>,
    /// Open questions, the most important first.
    pub questions: Vec<OpenQuestion>,
    /// Number of bytes behind `MAX_READ_BYTES` that were not read.
    pub unread_bytes: usize,
}

/// Language of an idea, as far as it decides whether the rules can read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdeaLanguage {
    /// English, or too short to tell.
    #[default]
    English,
    /// Another language, which the rules cannot read.
    Other,
}

/// Requirement that a rule found in a statement of the idea.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Number of the requirement, from 1; shown as `R1`.
    pub number: usize,
    /// Sentence of the requirement, made from whole phrases of the idea: "The system stores invoices."
    pub text: String,
    /// Number of the statement that it comes from.
    pub statement: usize,
    /// Base form of the verb, such as `store`; empty for a part of the product.
    pub(crate) verb: String,
    /// Noun phrase of the thing that the requirement is about, such as `invoices`; may be empty.
    pub(crate) topic: String,
    /// True if the topic is a part of the product, such as "an admin dashboard".
    pub(crate) is_part: bool,
}

/// Number with its unit in a statement of the idea.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The number and its unit, byte for byte.
    pub text: String,
    /// The words before it that make it a limit or an estimate, such as "about"; empty if there are none.
    pub bound: String,
    /// Number of the statement.
    pub statement: usize,
}

/// Phrase or sentence of the idea with the number of its statement: a constraint, an exclusion or an
/// actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdeaPhrase {
    /// The author's words.
    pub text: String,
    /// Number of the statement.
    pub statement: usize,
}

/// Question to the author of the idea that the rules ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The question.
    pub text: String,
    /// Statement that holds until the question is answered; empty if nothing can be assumed.
    pub assumption: String,
    /// Number of the statement; `None` if it is about the whole idea.
    pub statement: Option<usize>,
    /// Number of an earlier statement that `statement` contradicts, which keeps a draft from being verified; `None` for
    /// other questions.
    pub contradicts: Option<usize>,
    /// Importance from 1 (about looks) over 4 (blocks a component) to 5 (a contradiction).
    pub(crate) rank: u8,
}

impl Quantity {
    /// Returns the quantity with its bound: "about 20 hours a day".
    pub fn shown(&self) -> String {
        if self.bound.is_empty() { self.text.clone() } else { format!("{} {}", self.bound, self.text) }
    }
}

impl IdeaAnalysis {
    /// Analyses an idea. The last result is cached for the process, because each step of a run asks for
    /// it.
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

    /// Analyses an idea without the cache. Requirements and the like are read only from English ideas
    /// with at least `MIN_WORDS` words.
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

    /// Returns the questions about words without a measure ("fast") and about lists with an open end
    /// ("and so on").
    pub fn vague_words(&self) -> Vec<OpenQuestion> {
        questions::vague(self)
    }

    /// Returns true if a requirement only names the product: it has no verb, comes from the first
    /// statement, and other requirements say what the product does.
    pub fn is_product(&self, requirement: &Requirement) -> bool {
        requirement.verb.is_empty()
            && requirement.statement == 1
            && !requirement.text.starts_with("The system has ")
            && self.requirements.iter().any(|it| !it.verb.is_empty())
    }

    /// Returns true if the rules found at least one requirement.
    pub fn is_buildable(&self) -> bool {
        !self.requirements.is_empty()
    }

    /// Returns the statement with this number (from 1); `None` if there is none.
    pub fn statement(&self, number: usize) -> Option<&Statement> {
        self.statements.get(number.checked_sub(1)?)
    }
}

/// Returns the whole lines of a text within its first `limit` bytes. A single line that is longer is
/// cut inside.
fn cut_at(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    let end = (0..=limit).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text[..end].rfind('\n').map_or(&text[..end], |line| &text[..line])
}

/// Decides the language by the script and by the share of words that are in the table of English words.
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
