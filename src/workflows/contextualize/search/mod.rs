//! The files and lines that a question is about: keywords, ranking, references. Asks no model.
//!
//! Reading order: `stem` and `related` (words of one meaning), `question` (a question as search terms), `scan` (terms in a text), `corpus`
//! (terms in all files), `definitions` and `passages` (the ranked parts of a file), `discover` (files and definitions that answer a question),
//! `code_references` (checked places), `imports`, `quote` (text of strangers made safe), `answer` (a document about the question).

mod related;
mod stem;

mod question;
mod scan;

mod corpus;
mod definitions;
mod passages;

mod discover;

mod code_references;
mod imports;

mod quote;

mod answer;

pub use answer::{ScopedText, TokenLimit, answer_by_rules};
pub use code_references::{CodeReference, check_references};
pub use discover::{Discovery, HitPlace, KeywordHit, RankedDefinition, RankedFile, discover};
pub use imports::follow_imports;
pub use question::topic;
