//! The pages, one file for each kind of document: facts to blocks. Pure.

mod architecture;
mod behaviour;
mod building;
mod calls;
mod component;
mod configuration;
mod contributing;
mod data_models;
mod definition_places;
mod interface;
mod notes;
mod quoted;
mod re_exports;
mod readme;
mod source_code;
mod traces;
mod usage;

pub(super) use architecture::architecture;
pub(super) use building::building;
pub(super) use component::component;
pub(super) use configuration::configuration;
pub(super) use contributing::contributing;
pub(super) use data_models::data_models;
pub(super) use interface::interface;
pub(super) use notes::notes;
pub(super) use readme::readme;
pub(super) use usage::usage;

use std::collections::BTreeSet;

use super::facts::{PageFact, PageFacts, component_page};
use super::page::{Block, Span, Target, Text, code, heading, link, plain, prose, source};
use super::stated::StatedPurpose;
use crate::facts::{FactKind, FactSubject, FactValue, ProjectShape, SourceLines, TargetKind};
use crate::repo::ProjectType;
use crate::workflows::doc_phases::memory::{ComponentSummary, OmittedCounts, Timestamp, WrittenBy};

/// Path of the system overview, without extension.
pub(super) const ARCHITECTURE: &str = "ARCHITECTURE";
/// Path of the page of commands, without extension.
pub(super) const BUILDING: &str = "BUILDING";
/// Path of the page of settings, without extension.
pub(super) const CONFIGURATION: &str = "CONFIGURATION";
/// Path of the page of entry points, without extension.
pub(super) const INTERFACE: &str = "INTERFACE";
/// Path of the page of topics, without extension.
pub(super) const USAGE: &str = "USAGE";
/// Path of the page of rules and recipes, without extension.
pub(super) const CONTRIBUTING_NOTES: &str = "CONTRIBUTING_NOTES";
/// Path of the page of all data models, without extension.
pub(super) const DATA_MODELS: &str = "DATA_MODELS";
/// Path of the page of notes, without extension.
pub(super) const NOTES: &str = "NOTES";
/// Path of the index page, without extension.
pub(super) const README: &str = "README";
/// Path of the component diagram.
pub(super) const DIAGRAM: &str = "diagrams/architecture.mmd";

/// Returns a heading followed by the blocks; empty without blocks.
fn section(level: u8, title: &str, blocks: impl IntoIterator<Item = Block>) -> Vec<Block> {
    let blocks: Vec<Block> = blocks.into_iter().collect();
    if blocks.is_empty() {
        return blocks;
    }
    std::iter::once(heading(level, title)).chain(blocks).collect()
}

/// Returns a sentence with the number of items that a list does not show (DOC-118); `None` if it shows all.
/// `what` is their name in the plural.
fn not_shown(all: usize, shown: usize, what: &str) -> Option<Block> {
    (all > shown).then(|| {
        let text = match all - shown {
            1 => format!("One more of the {what} is not in this list, which has {shown}."),
            hidden => format!("{hidden} more {what} are not in this list, which has {shown}."),
        };
        Block::Paragraph(vec![plain(text)])
    })
}

/// Returns a sentence with the number of items that the code has and the agent's memory does not (DOC-118);
/// `None` for 0.
fn not_in_memory(number: usize, what: &str) -> Option<Block> {
    let text = match number {
        0 => return None,
        1 => format!("One more of the {what} is not in this list."),
        number => format!("{number} more {what} are not in this list."),
    };
    Some(Block::Paragraph(vec![plain(text)]))
}

/// Returns a sentence that a list by rules is not complete; `None` if `number`, that of the omitted items, is 0. Rules read a part of a
/// large component, so that they do not know the number.
fn further_in_files(number: usize, what: &str) -> Option<Block> {
    (number > 0).then(|| Block::Paragraph(vec![plain(format!("Further {what} are in the files."))]))
}

/// Returns a table without the columns whose cells are all empty, except the first column; `None` without
/// rows.
fn filled_table(head: &[&'static str], rows: Vec<Vec<Text>>) -> Option<Block> {
    if rows.is_empty() {
        return None;
    }
    let is_filled = |column: usize| rows.iter().any(|row| row.get(column).is_some_and(says_something));
    let filled: Vec<bool> = (0..head.len()).map(|column| column == 0 || is_filled(column)).collect();
    let keep = |cells: Vec<Text>| {
        cells.into_iter().zip(&filled).filter_map(|(cell, filled)| filled.then_some(cell)).collect()
    };
    let head =
        head.iter().zip(&filled).filter_map(|(title, filled)| filled.then_some((*title).into())).collect();
    Some(Block::Table { head, rows: rows.into_iter().map(keep).collect() })
}

/// Returns true if a text has a link or a visible character.
fn says_something(text: &Text) -> bool {
    text.iter().any(|span| match span {
        Span::Plain(text) | Span::Code(text) | Span::Strong(text) => !text.trim().is_empty(),
        Span::Link { .. } => true,
    })
}

/// Returns `and N more` for the items that an entry omits from the list of this name; `None` if it omits
/// none.
fn and_more(more: &OmittedCounts, list: &str) -> Option<Span> {
    let number = more.get(list).copied().filter(|number| *number > 0)?;
    Some(plain(format!("and {number} more")))
}

/// Returns a list of the items, with `more` as the last one; `None` if it would be empty.
fn list_with_more(items: impl IntoIterator<Item = Text>, more: Option<Span>) -> Option<Block> {
    let mut items: Vec<Text> = items.into_iter().collect();
    items.extend(more.map(|more| vec![more]));
    (!items.is_empty()).then_some(Block::List(items))
}

/// The origin of facts that rules collected.
const BY_RULES: &str = "collected by fixed rules, without a language model. The links with numbers of lines lead to their sources.";

/// Returns a note that all or some facts of the page were collected by rules; `None` if rules are not among
/// the authors (DOC-120).
fn rules_note(authors: &BTreeSet<&WrittenBy>) -> Option<Block> {
    let rules = authors.contains(&WrittenBy::Rules);
    let whole = if authors.len() == 1 {
        "The facts on this page were"
    } else {
        "Some of the facts on this page were"
    };
    rules.then(|| Block::Note(vec![plain(format!("{whole} {BY_RULES}"))]))
}

/// Returns a note that all facts of the page were collected by rules.
fn facts_note() -> Block {
    Block::Note(vec![plain(format!("The facts on this page were {BY_RULES}"))])
}

/// Appends links to the first two sources in brackets to a text; unchanged without sources.
fn sourced(mut text: Text, sources: &[SourceLines]) -> Text {
    if !sources.is_empty() {
        text.push(plain(" ("));
        text.extend(places(sources));
        text.push(plain(")"));
    }
    text
}

/// Returns links to the first two sources, separated by a comma.
fn places(sources: &[SourceLines]) -> Text {
    comma_separated(sources.iter().take(2).map(source))
}

/// Returns the responsibility in a component's entry. If rules state only numbers, a sentence that names its
/// key files.
fn responsibility(fact: &PageFact<ComponentSummary>) -> String {
    const FILES: usize = 3;
    let component = &fact.entry;
    let is_amount = component.responsibility.starts_with(|c: char| c.is_ascii_digit());
    if fact.written_by != WrittenBy::Rules || !is_amount || component.key_files.is_empty() {
        return component.responsibility.clone();
    }
    let shown = component.key_files.iter().take(FILES).map(|path| format!("`{path}`"));
    let beyond = component.key_files.len().saturating_sub(FILES)
        + component.more.get("key_files").copied().unwrap_or_default();
    let more = if beyond > 0 { format!(" and {beyond} more") } else { String::new() };
    format!("Holds {}{more}.", shown.collect::<Vec<_>>().join(", "))
}

/// Returns the responsibility of a component, and apart from it the number of seen files that rules append to
/// it, such as `(60 files, 28 of them seen.)`.
fn split_amount(fact: &PageFact<ComponentSummary>) -> (String, Option<String>) {
    let said = responsibility(fact);
    if fact.written_by != WrittenBy::Rules {
        return (said, None);
    }
    match said.rsplit_once(" (") {
        Some((words, amount)) if amount.contains(" of them seen") && amount.ends_with(')') => {
            let seen = amount.split(" of them seen").next().unwrap_or(amount);
            (
                words.to_owned(),
                Some(format!(
                    "{seen} of them seen by the exploration. Quoted code may be of the others too."
                )),
            )
        }
        _ => (said, None),
    }
}

/// Returns a paragraph with the name, version, ecosystem and kind of the project in the root folder; `None`
/// if there is no such project or it has no name.
fn identity(facts: &PageFacts) -> Option<Block> {
    let mut products = facts.selected.of_product(FactKind::Project);
    let root = products.find(|fact| fact.subject == FactSubject::Project(String::new()))?;
    let FactValue::Project { ecosystem, name, version, shape } = &root.value else { return None };
    let mut text = vec![
        plain(format!("Its manifest ({}) names it ", ecosystem_name(*ecosystem))),
        code(name.as_deref()?),
    ];
    // The settings of Gradle have the name alone.
    let is_told =
        root.sources.len() > 1 || !root.sources.iter().any(|place| place.path.contains("settings.gradle"));
    if let Some(version) = version.as_ref().filter(|_| is_told) {
        text.extend([plain(", version "), code(version)]);
    }
    text = sourced(text, &root.sources);
    text.push(plain("."));
    if let Some(shape) = shape {
        // No line of a manifest says so.
        text.push(plain(format!(" It is {}", shape_name(Some(*shape)))));
        let begins = main_target(facts, *shape).map(|place| vec![place]).unwrap_or_default();
        text = sourced(text, &begins);
        text.push(plain("."));
    }
    Some(Block::Paragraph(text))
}

/// Returns the place that declares the only program or library of the root project; `None` if there are
/// several.
fn main_target(facts: &PageFacts, shape: ProjectShape) -> Option<SourceLines> {
    let wanted = match shape {
        ProjectShape::Program => TargetKind::Program,
        ProjectShape::Library => TargetKind::Library,
        _ => return None,
    };
    let root = FactSubject::Project(String::new());
    let mut targets = facts.selected.of_product(FactKind::Target).filter(|fact| {
        fact.subject == root && matches!(&fact.value, FactValue::Target { target, .. } if *target == wanted)
    });
    let only = targets.next()?;
    if targets.next().is_some() { None } else { only.sources.first().cloned() }
}

fn ecosystem_name(ecosystem: ProjectType) -> &'static str {
    match ecosystem {
        ProjectType::Rust => "Cargo",
        ProjectType::Node => "npm",
        ProjectType::Python => "Python",
        ProjectType::Go => "Go",
        ProjectType::Maven => "Maven",
        ProjectType::Gradle => "Gradle",
        ProjectType::Php => "Composer",
        ProjectType::Dotnet => ".NET",
        ProjectType::Ruby => "RubyGems",
        ProjectType::Cmake => "CMake",
        ProjectType::Meson => "Meson",
        ProjectType::Autotools => "Autotools",
        ProjectType::Unknown => "build files",
    }
}

fn shape_name(shape: Option<ProjectShape>) -> &'static str {
    match shape {
        Some(ProjectShape::Library) => "a library",
        Some(ProjectShape::Program) => "a program",
        Some(ProjectShape::Both) => "a library with programs",
        Some(ProjectShape::Workspace) => "a workspace",
        Some(ProjectShape::Framework) => "a framework",
        Some(ProjectShape::Website) => "a website",
        None => "a project",
    }
}

/// Returns the last paragraph of a page: the date of the last change of its facts, and the models that found
/// them.
fn colophon(date: Timestamp, authors: &BTreeSet<&WrittenBy>) -> Block {
    let mut text = vec![plain(format!("Last updated: {}.", date.date()))];
    let models = authors.iter().filter_map(|author| match author {
        WrittenBy::Model(name) => Some(name),
        WrittenBy::Rules => None,
    });
    for (at, name) in models.enumerate() {
        text.extend([plain(if at == 0 { " Found out by the language model " } else { ", " }), code(name)]);
    }
    if text.len() > 1 {
        text.push(plain("."));
    }
    Block::Paragraph(text)
}

/// Returns `said`, a part of a stated purpose, with its place. The name of the type or program that it is
/// about comes first if the text does not contain it.
fn quote_purpose(purpose: &StatedPurpose<'_>, said: &str) -> Text {
    let mut text = Text::new();
    if let Some(name) = purpose.about.filter(|name| !said.contains(name)) {
        text.extend([code(name), plain(": ")]);
    }
    text.extend(prose(said));
    sourced(text, std::slice::from_ref(purpose.source))
}

/// Maximum of fields or variants that describe a type.
const MEMBERS: usize = 6;

/// Describes a type without documentation by its kind and first fields (`` struct of `a`, `b` ``); `None` if
/// rules stored no data model of it.
fn definition(facts: &PageFacts, path: &str, name: &str) -> Option<Text> {
    let model = facts.models.iter().find(|fact| {
        fact.written_by == WrittenBy::Rules && fact.entry.file_path == path && fact.entry.model_name == name
    });
    let model = &model?.entry;
    let kind = model.model_type.trim();
    let all = model.fields.len() + model.more.get("fields").copied().unwrap_or_default();
    if all == 0 || kind.is_empty() {
        return None;
    }
    let mut text = vec![plain(format!("{kind} of "))];
    text.extend(comma_separated(model.fields.iter().take(MEMBERS).map(|field| code(&field.name))));
    if all > MEMBERS {
        text.push(plain(format!(" and {} more", all - MEMBERS)));
    }
    Some(text)
}

/// Returns a link to the document of a component, labelled with its name; the id as text if it has no entry.
fn component_link(facts: &PageFacts, id: &str) -> Span {
    match facts.component(id) {
        Some(component) => link(&component.component_name, Target::Page(component_page(id))),
        None => plain(id),
    }
}

fn component_links<'a>(facts: &PageFacts, ids: impl IntoIterator<Item = &'a str>) -> Option<Block> {
    let items: Vec<Text> = ids.into_iter().map(|id| vec![component_link(facts, id)]).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

/// Joins spans with commas into one text; empty for none.
fn comma_separated(spans: impl IntoIterator<Item = Span>) -> Text {
    let mut text = Text::new();
    for span in spans {
        if !text.is_empty() {
            text.push(plain(", "));
        }
        text.push(span);
    }
    text
}

/// Returns a path as code; `the whole repository` for `.`.
fn path_span(path: &str) -> Span {
    if path == "." { plain("the whole repository") } else { code(path) }
}
