//! What documents say to contributors and users beside commands: rules, recipes and limits, quoted. Reading order: `documents` (which files
//! speak, as sections and blocks), then `rules`, `recipes` and `limits`.

mod documents;
mod limits;
mod recipes;
mod rules;

use crate::collect::Texts;
use crate::fact::Fact;

/// Returns the rules, recipes and limits of all documents.
pub(crate) fn facts(texts: &Texts) -> Vec<Fact> {
    let mut found = rules::facts(texts);
    found.extend(recipes::facts(texts));
    found.extend(limits::facts(texts));
    found
}
