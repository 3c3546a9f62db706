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
    // A numbered list has no paragraph before it, and its numbers say the order.
    let is_numbered = |line: &String| number(line).is_some();
    let (paragraph, items) = match &text[..] {
        [first, items @ ..] if !is_numbered(first) => (prose(first), items),
        items => (Text::new(), items),
    };
    blocks.push(Block::Paragraph(sourced(paragraph, &fact.sources)));
    if !items.is_empty() {
        let is_list_of_steps = (1..).zip(items).all(|(at, item)| number(item) == Some(at));
        let words = |item: &String| {
            let rest =
                item.split_once(". ").filter(|_| is_list_of_steps).map_or(item.as_str(), |(_, rest)| rest);
            prose(rest)
        };
        let items = items.iter().map(words).collect();
        blocks.push(if is_list_of_steps { Block::Steps(items) } else { Block::List(items) });
    }
    blocks.extend(example.iter().map(|text| Block::Code { language: "", text: text.clone() }));
    blocks
}

/// Returns the number that a line of a numbered list begins with.
fn number(line: &str) -> Option<usize> {
    let (number, rest) = line.split_once(". ")?;
    if rest.trim().is_empty() { None } else { number.parse().ok() }
}
