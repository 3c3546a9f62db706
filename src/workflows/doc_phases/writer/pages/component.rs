//! The page of one component (DOC-111, 116).

use std::collections::{BTreeMap, BTreeSet};

use super::super::facts::{FILES, PageFact, PageFacts, component_page, most_certain};
use super::super::page::{Block, DocumentPage, Span, Target, Text, code, heading, link, paragraphs, plain};
use super::{
    ARCHITECTURE, DATA_MODELS, and_more, colophon, comma_separated, component_links, list_with_more,
    not_in_memory, not_shown, path_span, rules_note, section,
};
use crate::workflows::doc_phases::memory::{
    ComponentSummary, FileRole, KeyClass, KeyFunction, PublicInterface, WrittenBy,
};

pub(in super::super) fn component(facts: &PageFacts, fact: &PageFact<ComponentSummary>) -> DocumentPage {
    let component = &fact.entry;
    let id = component.component_id.as_str();
    let own: Vec<PageFact<FileRole>> =
        facts.files.iter().filter(|file| file.entry.component == id).cloned().collect();
    let files = most_certain(&own, FILES);
    let authors: BTreeSet<&WrittenBy> =
        files.iter().map(|file| &file.written_by).chain([&fact.written_by]).collect();
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "Overview", overview(facts, component)));
    let more = |list: &str| and_more(&component.more, list);
    let beside = |list: &str| component.more.get(list).copied().unwrap_or_default();
    let key_files = component.key_files.iter().map(|path| vec![code(path)]);
    blocks.extend(section(2, "Key files", list_with_more(key_files, more("key_files"))));
    let interface = interface(&component.public_interfaces).into_iter();
    let hidden = not_in_memory(beside("public_interfaces"), "public interfaces");
    blocks.extend(section(2, "Public interface", interface.chain(hidden)));
    let used = component.dependencies.iter().map(String::as_str).filter(|used| *used != id);
    blocks.extend(section(2, "Dependencies", component_links(facts, used)));
    blocks.extend(section(2, "Used by", component_links(facts, facts.users_of(id))));
    let patterns = component.design_patterns_used.iter().map(|pattern| vec![plain(pattern)]);
    blocks.extend(section(2, "Design patterns", list_with_more(patterns, more("design_patterns_used"))));
    blocks.extend(section(
        2,
        "Files",
        files_by_layer(&files)
            .into_iter()
            .chain(not_shown(own.len(), files.len(), "files"))
            .chain(not_in_memory(beside("files"), "files")),
    ));
    blocks.extend(section(2, "Types", classes(&files)));
    blocks.extend(section(2, "Functions", functions(&files)));
    let models = models(facts, id).into_iter();
    blocks.extend(section(
        2,
        "Data models",
        models.chain(not_in_memory(beside("data_models"), "data models")),
    ));
    let date = files.iter().map(|file| file.updated_at).chain([fact.updated_at]).max().unwrap_or_default();
    blocks.push(colophon(date, Some(component.confidence), &authors));
    if facts.overview.is_some() {
        blocks.push(Block::Paragraph(vec![
            plain("Part of "),
            link(format!("the architecture of {}", facts.system()), Target::Page(ARCHITECTURE.to_owned())),
            plain("."),
        ]));
    }
    DocumentPage { path: component_page(id), title: component.component_name.clone(), blocks }
}

fn overview(facts: &PageFacts, component: &ComponentSummary) -> Vec<Block> {
    let mut blocks = paragraphs(&component.responsibility);
    let places: Vec<Span> = facts.places_of(component).iter().map(|path| path_span(path)).collect();
    if !places.is_empty() {
        let said = [Span::Strong("Location:".into()), plain(" ")];
        blocks.push(Block::Paragraph(said.into_iter().chain(comma_separated(places)).collect()));
    }
    blocks
}

fn interface(all: &[PublicInterface]) -> Option<Block> {
    let row = |one: &PublicInterface| {
        vec![
            vec![code(&one.name)],
            vec![plain(&one.kind)],
            vec![code(&one.signature)],
            vec![plain(&one.description)],
        ]
    };
    (!all.is_empty()).then(|| Block::Table {
        head: vec!["Name", "Type", "Signature", "Description"],
        rows: all.iter().map(row).collect(),
    })
}

/// Groups the files by layer; those without a layer come last.
fn files_by_layer(files: &[&PageFact<FileRole>]) -> Vec<Block> {
    let mut layers: BTreeMap<(bool, &str), Vec<Vec<Text>>> = BTreeMap::new();
    for file in files.iter().map(|file| &file.entry) {
        let layer = file.layer.trim();
        layers.entry((layer.is_empty(), layer)).or_default().push(vec![
            vec![code(&file.file_path)],
            vec![plain(&file.responsibility)],
            comma_separated(file.key_exports.iter().map(code).chain(and_more(&file.more, "key_exports"))),
        ]);
    }
    let single = layers.len() == 1 && layers.keys().all(|(nameless, _)| *nameless);
    let group = |((nameless, layer), rows): ((bool, &str), Vec<Vec<Text>>)| {
        let title = if nameless { "Other files" } else { layer };
        let table = Block::Table { head: vec!["File", "Responsibility", "Exports"], rows };
        if single { vec![table] } else { vec![heading(3, title), table] }
    };
    layers.into_iter().flat_map(group).collect()
}

fn classes(files: &[&PageFact<FileRole>]) -> Vec<Block> {
    let row = |file: &FileRole, class: &KeyClass| {
        vec![
            vec![code(&class.name)],
            vec![plain(&class.purpose)],
            comma_separated(
                class
                    .methods
                    .iter()
                    .map(code)
                    .chain(and_more(&file.more, &format!("{}.methods", class.name))),
            ),
            vec![code(&file.file_path)],
        ]
    };
    let of = |file: &FileRole| file.key_classes.iter().map(|class| row(file, class)).collect::<Vec<_>>();
    let rows = files.iter().flat_map(|file| of(&file.entry)).collect();
    table(&["Name", "Purpose", "Methods", "File"], rows, "types")
        .into_iter()
        .chain(not_in_memory(count_unlisted(files, "key_classes"), "types"))
        .collect()
}

fn functions(files: &[&PageFact<FileRole>]) -> Vec<Block> {
    let row = |file: &FileRole, function: &KeyFunction| {
        let said = if function.signature.trim().is_empty() { &function.name } else { &function.signature };
        vec![vec![code(said)], vec![plain(&function.purpose)], vec![code(&file.file_path)]]
    };
    let of =
        |file: &FileRole| file.key_functions.iter().map(|function| row(file, function)).collect::<Vec<_>>();
    let rows = files.iter().flat_map(|file| of(&file.entry)).collect();
    table(&["Function", "Purpose", "File"], rows, "functions")
        .into_iter()
        .chain(not_in_memory(count_unlisted(files, "key_functions"), "functions"))
        .collect()
}

/// Counts the items of a list that memory omits, over all files.
fn count_unlisted(files: &[&PageFact<FileRole>], list: &str) -> usize {
    files.iter().filter_map(|file| file.entry.more.get(list)).sum()
}

fn table(head: &[&'static str], mut rows: Vec<Vec<Text>>, what: &str) -> Vec<Block> {
    let all = rows.len();
    rows.truncate(FILES);
    let shown = rows.len();
    let table = (shown > 0).then(|| Block::Table { head: head.to_vec(), rows });
    table.into_iter().chain(not_shown(all, shown, what)).collect()
}

fn models(facts: &PageFacts, id: &str) -> Vec<Block> {
    let used =
        facts.models.iter().filter(|model| model.entry.used_by_components.iter().any(|user| user == id));
    let mut names: Vec<Span> = used.map(|model| code(&model.entry.model_name)).collect();
    let all = names.len();
    names.truncate(FILES);
    let shown = names.len();
    let to = || [plain(" ("), link("data models", Target::Page(DATA_MODELS.to_owned())), plain(")")];
    let said =
        (shown > 0).then(|| Block::Paragraph(comma_separated(names).into_iter().chain(to()).collect()));
    said.into_iter().chain(not_shown(all, shown, "data models")).collect()
}
