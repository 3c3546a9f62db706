//! The index page, which lists all others.

use std::collections::BTreeSet;

use super::super::facts::{PageFacts, component_page, flow_diagram};
use super::super::page::{Block, DocumentPage, Target, Text, link, list, plain};
use super::{ARCHITECTURE, DATA_MODELS, DIAGRAM, README, colophon, rules_note, section};
use crate::workflows::doc_phases::memory::{Timestamp, WrittenBy};

pub(in super::super) fn readme(facts: &PageFacts) -> DocumentPage {
    let authors = authors(facts);
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "Documents", documents(facts)));
    blocks.extend(section(2, "Components", components(facts)));
    blocks.extend(section(2, "Diagrams", diagrams(facts)));
    blocks.extend(section(2, "Left out", list(&facts.left_out)));
    if blocks.is_empty() {
        blocks.push(Block::Paragraph(vec![plain("Nothing is known of this repository yet.")]));
    } else {
        blocks.push(colophon(last_change(facts), None, &authors));
    }
    DocumentPage { path: README.to_owned(), title: format!("Documentation of {}", facts.system()), blocks }
}

fn documents(facts: &PageFacts) -> Option<Block> {
    let line =
        |label: &str, to: &str, about: String| vec![link(label, Target::Page(to.to_owned())), plain(about)];
    let mut items: Vec<Text> = Vec::new();
    if facts.overview.is_some() {
        items.push(line("Architecture", ARCHITECTURE, ": the system as a whole".into()));
    }
    if !facts.models.is_empty() {
        items.push(line("Data models", DATA_MODELS, format!(": {} data structures", facts.models.len())));
    }
    (!items.is_empty()).then_some(Block::List(items))
}

fn components(facts: &PageFacts) -> Option<Block> {
    let rows = facts.components.iter().map(|fact| {
        let component = &fact.entry;
        vec![
            vec![link(&component.component_name, Target::Page(component_page(&component.component_id)))],
            vec![plain(&component.responsibility)],
        ]
    });
    let rows: Vec<Vec<Text>> = rows.collect();
    (!rows.is_empty()).then(|| Block::Table { head: vec!["Component", "Responsibility"], rows })
}

fn diagrams(facts: &PageFacts) -> Option<Block> {
    let mut items: Vec<Text> = Vec::new();
    if super::super::diagrams::architecture(facts).is_some() {
        items.push(vec![link("Components", Target::File(DIAGRAM.to_owned()))]);
    }
    items.extend(facts.flows.iter().map(|flow| {
        let to = Target::File(flow_diagram(&flow.entry.flow_id));
        vec![link(&flow.entry.flow_name, to), plain(": "), plain(&flow.entry.description)]
    }));
    (!items.is_empty()).then_some(Block::List(items))
}

fn authors(facts: &PageFacts) -> BTreeSet<&WrittenBy> {
    let overview = facts.overview.iter().map(|fact| &fact.written_by);
    let components = facts.components.iter().map(|fact| &fact.written_by);
    let models = facts.models.iter().map(|fact| &fact.written_by);
    let flows = facts.flows.iter().map(|fact| &fact.written_by);
    overview.chain(components).chain(models).chain(flows).collect()
}

/// Returns the last change of the facts on the page.
fn last_change(facts: &PageFacts) -> Timestamp {
    let overview = facts.overview.iter().map(|fact| fact.updated_at);
    let components = facts.components.iter().map(|fact| fact.updated_at);
    let models = facts.models.iter().map(|fact| fact.updated_at);
    let flows = facts.flows.iter().map(|fact| fact.updated_at);
    overview.chain(components).chain(models).chain(flows).max().unwrap_or_default()
}
