//! The page of the ways into the product: programs, subcommands, routes, libraries.

use std::collections::BTreeMap;

use super::super::facts::PageFacts;
use super::super::page::{Block, DocumentPage, Text, code, plain, prose, source};
use super::{INTERFACE, facts_note, filled_table, not_shown, places, re_exports, section};
use crate::facts::{Fact, FactKind, FactSubject, FactValue, SourceLines, TargetKind};
use crate::workflows::doc_phases::selection::UsageText;

/// Maximum of rows of a table.
const ROWS: usize = 200;

/// Returns the page INTERFACE about entry points: programs, subcommands, routes and libraries; `None` if
/// there are none.
pub(in super::super) fn interface(facts: &PageFacts) -> Option<DocumentPage> {
    let mut blocks = section(2, "Programs", targets(facts, TargetKind::Program));
    blocks.extend(section(2, "What the programs print about their use", usage_texts(facts)));
    blocks.extend(section(2, "Subcommands", subcommands(facts)));
    blocks.extend(section(2, "Routes", routes(facts)));
    blocks.extend(section(2, "Libraries", targets(facts, TargetKind::Library)));
    if blocks.is_empty() {
        return None;
    }
    blocks.extend(exported_names(facts));
    blocks.extend(section(2, "Examples", targets(facts, TargetKind::Example)));
    blocks.insert(0, facts_note());
    Some(DocumentPage {
        path: INTERFACE.to_owned(),
        title: format!("Entry points of {}", facts.system()),
        blocks,
    })
}

fn targets(facts: &PageFacts, wanted: TargetKind) -> Vec<Block> {
    let facts_of_kind: Vec<&Fact> = match wanted {
        TargetKind::Example => facts.selected.of_kind(FactKind::Target).collect(),
        _ => facts.selected.of_product(FactKind::Target).collect(),
    };
    let row = |fact: &&Fact| -> Option<Vec<Text>> {
        let FactValue::Target { target, name, entry } = &fact.value else { return None };
        let begins =
            if wanted == TargetKind::Library { vec![code(entry)] } else { entry_place(facts, entry) };
        (*target == wanted).then(|| vec![vec![code(name)], begins, places(&fact.sources)])
    };
    let rows: Vec<Vec<Text>> = facts_of_kind.iter().filter_map(row).collect();
    table(&["Name", "Begins in", "Source"], rows, "targets")
}

/// Returns a section for each library with the names that its entry file exports from other files.
fn exported_names(facts: &PageFacts) -> Vec<Block> {
    let entries: BTreeMap<&str, &str> = facts
        .selected
        .of_product(FactKind::Target)
        .filter_map(|fact| match &fact.value {
            FactValue::Target { target: TargetKind::Library, name, entry } => {
                Some((entry.as_str(), name.as_str()))
            }
            _ => None,
        })
        .collect();
    let of_library = |(entry, name): (&str, &str)| {
        let title = Block::Heading(2, vec![plain("Re-exported names of "), code(name)]);
        let names = re_exports::of_file(facts, entry);
        let title = (!names.is_empty()).then_some(title);
        title.into_iter().chain(names).collect::<Vec<_>>()
    };
    entries.into_iter().flat_map(of_library).collect()
}

/// Quotes the usage texts that the programs print, each with its place.
pub(super) fn usage_texts(facts: &PageFacts) -> Vec<Block> {
    let quote = |(name, usage): (&String, &UsageText)| {
        let words = super::sourced(vec![code(name)], std::slice::from_ref(&usage.source));
        [Block::Paragraph(words), Block::Code { language: "text".into(), text: usage.text.clone() }]
    };
    facts.selected.usage_texts.iter().flat_map(quote).collect()
}

/// Maximum of programs and libraries in a list.
const MAIN_TARGETS: usize = 20;

/// Returns a list item for each program and library of the product, with the file or function where it
/// begins; at most [`MAIN_TARGETS`] and a count of the others.
pub(super) fn main_targets(facts: &PageFacts) -> Vec<Text> {
    let item = |fact: &Fact| -> Option<Text> {
        let FactValue::Target { target, name, entry } = &fact.value else { return None };
        let words = match target {
            TargetKind::Program => "Program ",
            TargetKind::Library => "Library ",
            _ => return None,
        };
        let begins =
            if *target == TargetKind::Library { vec![code(entry)] } else { entry_place(facts, entry) };
        Some([plain(words), code(name), plain(" begins in ")].into_iter().chain(begins).collect())
    };
    let mut all: Vec<Text> = facts.selected.of_product(FactKind::Target).filter_map(item).collect();
    let more = all.len().saturating_sub(MAIN_TARGETS);
    all.truncate(MAIN_TARGETS);
    all.extend((more > 0).then(|| vec![plain(format!("and {more} more"))]));
    all
}

/// Returns a link to the function where a program begins, else the text of the entry as code. An entry is a
/// file, or `module:function`.
fn entry_place(facts: &PageFacts, entry: &str) -> Text {
    let of_module = || {
        let (module, function) = entry.split_once(':')?;
        let folder = module.replace('.', "/");
        let files = facts.selected.definitions.keys().filter(|path| path.contains(&folder));
        let mut found = files.filter_map(|path| facts.selected.definition(path, function));
        let first = found.next()?;
        // Several functions of the name, and imports decide: nothing is guessed.
        found.next().is_none().then_some(first)
    };
    match facts.selected.definition(entry, "main").or_else(of_module) {
        Some(SourceLines { path, start, .. }) => vec![source(&SourceLines { path, start, end: start })],
        None => vec![code(entry)],
    }
}

fn subcommands(facts: &PageFacts) -> Vec<Block> {
    let row = |fact: &Fact| -> Option<Vec<Text>> {
        let FactValue::Subcommand { name, text } = &fact.value else { return None };
        let text = text.as_deref().map(prose).unwrap_or_default();
        Some(vec![vec![code(name)], text, places(&fact.sources)])
    };
    let rows = facts.selected.of_product(FactKind::Subcommand).filter_map(row).collect();
    table(&["Subcommand", "Meaning", "Place"], rows, "subcommands")
}

fn routes(facts: &PageFacts) -> Vec<Block> {
    let mut groups: BTreeMap<String, Vec<Vec<Text>>> = BTreeMap::new();
    for fact in facts.selected.of_product(FactKind::Route) {
        let FactValue::Route { method, path, handler } = &fact.value else { continue };
        let method = method.as_ref().map_or_else(|| vec![plain("any")], |method| vec![code(method)]);
        let handler = handler.iter().map(code).collect();
        let row = vec![method, vec![code(path)], handler, places(&fact.sources)];
        groups.entry(group_of(&fact.subject)).or_default().push(row);
    }
    let rows = groups.into_values().flatten().collect();
    table(&["Method", "Path", "Handler", "Place"], rows, "routes")
}

fn group_of(subject: &FactSubject) -> String {
    subject.to_string()
}

fn table(head: &[&'static str], mut rows: Vec<Vec<Text>>, what: &str) -> Vec<Block> {
    let all = rows.len();
    rows.truncate(ROWS);
    let shown = rows.len();
    filled_table(head, rows).into_iter().chain(not_shown(all, shown, what)).collect()
}
