//! Facts from documents for contributors and users, besides commands: rules, recipes, limits and topics,
//! all quoted. Reading order: `documents` (the files that are read, as sections and blocks), then `rules`,
//! `recipes`, `limits` (with `context`) and `topics` (with `crate_docs` and `asides`); `quotes` (whole sections, which are not facts).

mod asides;
mod context;
mod crate_docs;
mod documents;
mod limits;
mod quotes;
mod recipes;
mod rst;
mod rules;
mod topics;

use crate::collect::Texts;
use crate::fact::Fact;

pub use quotes::{QuotedBlock, QuotedSection, SectionUse};
pub(crate) use quotes::{contributor_sections, quoted_sections};

/// Returns the facts in all documents: rules and recipes (step-by-step instructions) for contributors,
/// limits of the product, and topics that are explained to users.
pub(crate) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut found = rules::facts(texts);
    found.extend(recipes::facts(texts));
    found.extend(limits::facts(texts));
    found.extend(topics::facts(texts));
    found
}
