//! The page of rules, recipes and limits, in the words of the repository.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, heading, prose};
use super::{CONTRIBUTING_NOTES, facts_note, section, sourced};
use crate::facts::{Fact, FactKind, FactValue};

/// Maximum of items of a list.
const ITEMS: usize = 40;

/// Returns the page `CONTRIBUTING_NOTES` with rules, recipes and known limits that the repository states;
/// `None` if it states none.
pub(in super::super) fn contributing(facts: &PageFacts) -> Option<DocumentPage> {
    let mut blocks = section(2, "Rules for contributors", quotes(facts, FactKind::Rule));
    blocks.extend(section(2, "How to", recipes(facts)));
    blocks.extend(section(2, "Known limits", quotes(facts, FactKind::Limit)));
    if blocks.is_empty() {
        return None;
    }
    blocks.insert(0, facts_note());
    Some(DocumentPage {
        path: CONTRIBUTING_NOTES.to_owned(),
        title: format!("Notes for contributors to {}", facts.system()),
        blocks,
    })
}

fn quotes(facts: &PageFacts, kind: FactKind) -> Option<Block> {
    let quote = |fact: &Fact| match &fact.value {
        FactValue::Rule { text } | FactValue::Limit { text } => Some(sourced(prose(text), &fact.sources)),
        _ => None,
    };
    let items: Vec<Text> = facts.selected.of_product(kind).filter_map(quote).take(ITEMS).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

fn recipes(facts: &PageFacts) -> Vec<Block> {
    let recipe = |fact: &Fact| match &fact.value {
        FactValue::Recipe { title, steps } => {
            let steps: Vec<Text> = steps.iter().map(|step| prose(step)).collect();
            let place = Block::Paragraph(sourced(prose("In the words of the repository"), &fact.sources));
            Some([heading(3, title), place, Block::Steps(steps)])
        }
        _ => None,
    };
    facts.selected.of_product(FactKind::Recipe).filter_map(recipe).flatten().collect()
}
