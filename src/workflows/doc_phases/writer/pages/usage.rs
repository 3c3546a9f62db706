//! The page of topics: what the documentation of the repository explains to users, in its own words.

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, prose};
use super::{USAGE, facts_note, sourced};
use crate::facts::{Fact, FactKind, FactValue};

/// Returns the page; `None` if the repository explains nothing.
pub(in super::super) fn usage(facts: &PageFacts) -> Option<DocumentPage> {
    let topics: Vec<Block> = facts.selected.of_product(FactKind::Topic).flat_map(topic).collect();
    if topics.is_empty() {
        return None;
    }
    let title = format!("Using {}, in the words of its documentation", facts.system());
    let blocks = std::iter::once(facts_note()).chain(topics).collect();
    Some(DocumentPage { path: USAGE.to_owned(), title, blocks })
}

fn topic(fact: &Fact) -> Vec<Block> {
    let FactValue::Topic { title, text, example } = &fact.value else { return Vec::new() };
    let mut blocks = vec![Block::Heading(2, prose(title))];
    // The numbers of a whole list say its order.
    let is_list_of_steps = text.len() > 1 && (1..).zip(text).all(|(at, item)| number(item) == Some(at));
    let (paragraph, items) = match &text[..] {
        items if is_list_of_steps => (Text::new(), items),
        [first, items @ ..] => (prose(first), items),
        [] => (Text::new(), &[][..]),
    };
    blocks.push(Block::Paragraph(sourced(paragraph, &fact.sources)));
    let without_number = |item: &String| prose(item.split_once(". ").map_or(item.as_str(), |(_, rest)| rest));
    if is_list_of_steps {
        blocks.push(Block::Steps(items.iter().map(without_number).collect()));
    } else if !items.is_empty() {
        blocks.push(Block::List(items.iter().map(|item| prose(item)).collect()));
    }
    blocks.extend(example.iter().map(|text| Block::Code { language: "", text: text.clone() }));
    blocks
}

/// Returns the number that a line of a numbered list begins with.
fn number(line: &str) -> Option<usize> {
    let (number, rest) = line.split_once(". ")?;
    if rest.trim().is_empty() { None } else { number.parse().ok() }
}
