//! The page of the documentation for users: what the repository explains, in its own words.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, code, plain, prose};
use super::quoted::sections;
use super::{USAGE, facts_note, section, sourced};
use crate::facts::FactSubject;

/// Maximum of files with examples in the list.
const EXAMPLES: usize = 40;

/// Returns the page USAGE with quoted sections of the user documentation, and the files with examples; `None` if there are none.
pub(in super::super) fn usage(facts: &PageFacts) -> Option<DocumentPage> {
    let mut quoted = sections(&facts.selected.sections);
    quoted.extend(section(2, "Files with examples", example_files(facts)));
    if quoted.is_empty() {
        return None;
    }
    let title = format!("Using {}, in the words of its documentation", facts.system());
    let blocks = std::iter::once(facts_note()).chain(quoted).collect();
    Some(DocumentPage { path: USAGE.to_owned(), title, blocks })
}

/// Lists the source files of examples with their documented purposes.
fn example_files(facts: &PageFacts) -> Option<Block> {
    let all = &facts.selected.example_files;
    let item = |path: &String| {
        let mut item = vec![code(path)];
        if let Some((text, place)) = facts.selected.purpose(&FactSubject::File(path.clone())) {
            item.push(plain(": "));
            item.extend(prose(text));
            item = sourced(item, std::slice::from_ref(place));
        }
        item
    };
    let mut items: Vec<Text> = all.iter().take(EXAMPLES).map(item).collect();
    let more = all.len().saturating_sub(EXAMPLES);
    items.extend((more > 0).then(|| vec![plain(format!("and {more} more"))]));
    (!items.is_empty()).then_some(Block::List(items))
}
