//! The index page: the purpose of the repository in its own words, and links to all other pages.

use std::collections::BTreeSet;

use super::super::facts::{PageFact, PageFacts, component_page, flow_diagram};
use super::super::page::{Block, DocumentPage, Span, Target, Text, code, link, plain, prose, source};
use super::super::stated::StatedPurpose;
use super::{
    ARCHITECTURE, BUILDING, CONFIGURATION, CONTRIBUTING_NOTES, DATA_MODELS, DIAGRAM, INTERFACE, NOTES,
    README, USAGE, colophon, identity, quote_purpose, rules_note, section, shape_name, sourced, split_amount,
};
use crate::facts::{CommandPurpose, Fact, FactKind, FactSubject, FactValue};
use crate::workflows::doc_phases::memory::{ComponentSummary, Timestamp, WrittenBy};
use crate::workflows::survey::phrases::first_sentence;

/// Purposes of the first commands, in the order in which a newcomer needs them.
const FROM_INSTALL: [CommandPurpose; 4] =
    [CommandPurpose::Install, CommandPurpose::Build, CommandPurpose::Run, CommandPurpose::Test];
/// The same if another section tells how to install.
const AFTER_INSTALL: [CommandPurpose; 3] = [CommandPurpose::Build, CommandPurpose::Run, CommandPurpose::Test];

/// Maximum of programs whose text about their use stands on the index.
const USAGE_TEXTS: usize = 2;

/// Maximum of projects in the table.
const PROJECTS: usize = 60;

/// Returns the index page README. `pages` are all other pages but those of components; it links to both.
pub(in super::super) fn readme(facts: &PageFacts, pages: &[DocumentPage]) -> DocumentPage {
    let authors = authors(facts);
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "What it is", what_it_is(facts)));
    let install = super::quoted::install(facts);
    let is_quoted = !install.is_empty();
    blocks.extend(section(2, "Install", install));
    blocks.extend(section(2, "First example", super::quoted::example(facts)));
    if facts.selected.usage_texts.len() <= USAGE_TEXTS {
        let texts = super::interface::usage_texts(facts);
        blocks.extend(section(2, "What the program prints about its use", texts));
    }
    let commands =
        super::building::first_commands(facts, if is_quoted { &AFTER_INSTALL } else { &FROM_INSTALL });
    blocks.extend(section(2, "First commands", commands));
    blocks.extend(section(2, "Documents", documents(facts, pages)));
    blocks.extend(section(2, "Projects", projects(facts)));
    blocks.extend(section(2, "Components", components(facts)));
    blocks.extend(section(2, "Diagrams as files", diagrams(facts)));
    if blocks.is_empty() {
        blocks.push(Block::Paragraph(vec![plain("Nothing is known of this repository yet.")]));
    } else {
        blocks.extend(section(2, "What was read", what_was_read(facts)));
        blocks.push(colophon(last_change(facts), &authors));
    }
    DocumentPage { path: README.to_owned(), title: format!("Documentation of {}", facts.system()), blocks }
}

/// Returns paragraphs with the purpose that the repository states and, if it says something else, the
/// description in its manifest, and the name of its project.
pub(super) fn what_it_is(facts: &PageFacts) -> Vec<Block> {
    let quote = |purpose: StatedPurpose<'_>| {
        Block::Paragraph(sourced(prose(purpose.text), std::slice::from_ref(purpose.source)))
    };
    let stated = facts.repository_purpose();
    // A manifest says what the product is; a README may go on from there.
    let described = stated.and_then(|stated| facts.described_otherwise(&stated));
    described.into_iter().chain(stated).map(quote).chain(identity(facts)).collect()
}

/// Lists links to the given pages, each with a short description.
fn documents(facts: &PageFacts, pages: &[DocumentPage]) -> Option<Block> {
    let items: Vec<Text> = pages
        .iter()
        .map(|page| {
            let (label, about) = match page.path.as_str() {
                ARCHITECTURE => ("Architecture", ": the system as a whole".to_owned()),
                USAGE => ("Using it", ": what its documentation explains, quoted".to_owned()),
                BUILDING => ("Build, run and test", sections_of(page)),
                CONFIGURATION => ("Configuration", sections_of(page)),
                INTERFACE => ("Entry points", sections_of(page)),
                CONTRIBUTING_NOTES => ("Notes for contributors", sections_of(page)),
                DATA_MODELS if facts.models.len() == 1 => ("Data models", ": one data structure".to_owned()),
                DATA_MODELS => ("Data models", format!(": {} data structures", facts.models.len())),
                NOTES => ("Notes on the code", sections_of(page)),
                other => (other, String::new()),
            };
            vec![link(label, Target::Page(page.path.clone())), plain(about)]
        })
        .collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// Maximum of sections that name the content of a page.
const SECTIONS: usize = 6;

/// Returns the titles of a page's sections as a description: `: programs, libraries`; at most [`SECTIONS`].
fn sections_of(page: &DocumentPage) -> String {
    let title = |block: &Block| match block {
        Block::Heading(2, text) => match &text[..] {
            [Span::Plain(title)] => Some(lower_first(title)),
            _ => None,
        },
        _ => None,
    };
    let titles: Vec<String> = page.blocks.iter().filter_map(title).collect();
    match titles.len() {
        0 => String::new(),
        all if all > SECTIONS => format!(": {} and others", titles[..SECTIONS].join(", ")),
        _ => format!(": {}", titles.join(", ")),
    }
}

fn lower_first(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// Returns the table of projects; empty for a repository with fewer than two.
fn projects(facts: &PageFacts) -> Vec<Block> {
    let all: Vec<&Fact> = facts.selected.of_product(FactKind::Project).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let row = |fact: &&Fact| -> Option<Vec<Text>> {
        let (FactSubject::Project(folder), FactValue::Project { name, shape, .. }) =
            (&fact.subject, &fact.value)
        else {
            return None;
        };
        let name = code(name.as_deref().unwrap_or(folder));
        let folder_span = if folder.is_empty() { plain("the root") } else { code(folder) };
        let purpose = facts.project_purpose(folder).map(|purpose| {
            sourced(prose(first_sentence(purpose.text)), std::slice::from_ref(purpose.source))
        });
        let purpose = purpose.unwrap_or_default();
        let shape = shape.map_or("", |shape| shape_name(Some(shape)).trim_start_matches("a "));
        let place = fact.sources.first().map(|place| vec![source(place)]).unwrap_or_default();
        Some(vec![vec![name], vec![folder_span], vec![plain(shape)], purpose, place])
    };
    let rows: Vec<Vec<Text>> = all.iter().take(PROJECTS).filter_map(row).collect();
    let shown = rows.len();
    let table = Block::Table {
        head: vec!["Project".into(), "Folder".into(), "Kind".into(), "Purpose".into(), "Manifest".into()],
        rows,
    };
    std::iter::once(table).chain(super::not_shown(all.len(), shown, "projects")).collect()
}

/// Returns the table of components; those of tests and examples have a table of their own below it.
fn components(facts: &PageFacts) -> Vec<Block> {
    let (side, product): (Vec<_>, Vec<_>) =
        facts.components.iter().partition(|fact| facts.is_side_component(&fact.entry));
    if product.is_empty() {
        return component_table(facts, &side).into_iter().collect();
    }
    let rest = component_table(facts, &side);
    component_table(facts, &product).into_iter().chain(section(3, "Tests and examples", rest)).collect()
}

fn component_table(facts: &PageFacts, components: &[&PageFact<ComponentSummary>]) -> Option<Block> {
    let rows = components.iter().map(|fact| {
        let component = &fact.entry;
        vec![
            vec![link(&component.component_name, Target::Page(component_page(&component.component_id)))],
            short_purpose(facts, fact),
        ]
    });
    let rows: Vec<Vec<Text>> = rows.collect();
    (!rows.is_empty()).then(|| Block::Table { head: vec!["Component".into(), "Purpose".into()], rows })
}

/// Returns the purpose of a component in one sentence: as a model found it; from rules, as the repository
/// states it, else as the entry does.
pub(super) fn short_purpose(facts: &PageFacts, fact: &PageFact<ComponentSummary>) -> Text {
    let own = || prose(first_sentence(&split_amount(fact).0));
    if fact.written_by != WrittenBy::Rules {
        return own();
    }
    let Some(purpose) = facts.stated_purpose(&fact.entry) else { return own() };
    quote_purpose(&purpose, first_sentence(purpose.text))
}

fn diagrams(facts: &PageFacts) -> Option<Block> {
    let mut items: Vec<Text> = Vec::new();
    if super::super::diagrams::architecture(facts).is_some() {
        items.push(vec![link("Components", Target::File(DIAGRAM.to_owned()))]);
    }
    items.extend(facts.flows.iter().map(|flow| {
        let to = Target::File(flow_diagram(&flow.entry.flow_id));
        vec![link(&flow.entry.flow_name, to)]
    }));
    (!items.is_empty()).then_some(Block::List(items))
}

/// Lists the number of files that were seen, the files and folders that were not read, and the numbers of
/// omitted facts.
fn what_was_read(facts: &PageFacts) -> Option<Block> {
    let mut items: Vec<Text> = Vec::new();
    if facts.seen_files > 0 {
        let noun = if facts.seen_files == 1 { "file" } else { "files" };
        items.push(vec![plain(format!(
            "{} {noun} were looked at, hidden ones not counted.",
            facts.seen_files
        ))]);
    }
    items.extend(facts.left_out.iter().map(|text| vec![plain("Not read: "), plain(text)]));
    items.extend(facts.selected.omitted.iter().map(|(kind, number)| match kind.as_str() {
        "behaviour" => {
            vec![plain(format!("The behaviour of {number} more definitions is not on these pages."))]
        }
        "code" => vec![plain(format!("The code of {number} more definitions is not on these pages."))],
        "branches" => vec![plain(format!("The branches of {number} more calls are not on these pages."))],
        _ => vec![plain(format!("{number} more facts of the kind {kind} are not on these pages."))],
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

/// Returns the time of the last change of the overview, the components, the data models and the flows.
fn last_change(facts: &PageFacts) -> Timestamp {
    let overview = facts.overview.iter().map(|fact| fact.updated_at);
    let components = facts.components.iter().map(|fact| fact.updated_at);
    let models = facts.models.iter().map(|fact| fact.updated_at);
    let flows = facts.flows.iter().map(|fact| fact.updated_at);
    overview.chain(components).chain(models).chain(flows).max().unwrap_or_default()
}
