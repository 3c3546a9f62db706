//! The page of the documentation for users: what the repository explains, in its own words.

use super::super::facts::PageFacts;
use super::super::page::DocumentPage;
use super::quoted::sections;
use super::{USAGE, facts_note};

/// Returns the page USAGE with quoted sections of the user documentation; `None` if there are none.
pub(in super::super) fn usage(facts: &PageFacts) -> Option<DocumentPage> {
    let quoted = sections(&facts.selected.sections);
    if quoted.is_empty() {
        return None;
    }
    let title = format!("Using {}, in the words of its documentation", facts.system());
    let blocks = std::iter::once(facts_note()).chain(quoted).collect();
    Some(DocumentPage { path: USAGE.to_owned(), title, blocks })
}
