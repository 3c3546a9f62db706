//! The page of all data models (DOC-110, 117).

use std::collections::{BTreeMap, BTreeSet};

use super::super::facts::{MODELS, PageFact, PageFacts, most_certain};
use super::super::page::{Block, DocumentPage, Span, Text, code, heading, plain, prose, source};
use super::{
    DATA_MODELS, and_more, colophon, comma_separated, component_link, filled_table, not_shown, rules_note,
    sourced,
};
use crate::facts::{FactKind, SourceLines};
use crate::workflows::doc_phases::memory::{DataModel, WrittenBy};

/// Returns the page `DATA_MODELS` with the most certain data models, by kind; `None` without data models.
pub(in super::super) fn data_models(facts: &PageFacts) -> Option<DocumentPage> {
    let shown = most_certain(&facts.models, MODELS);
    let date = shown.iter().map(|model| model.updated_at).max()?;
    let authors: BTreeSet<&WrittenBy> = shown.iter().map(|model| &model.written_by).collect();
    let mut groups: BTreeMap<(bool, &str), Vec<&PageFact<DataModel>>> = BTreeMap::new();
    for model in &shown {
        let kind = model.entry.model_type.trim();
        groups.entry((kind.is_empty(), kind)).or_default().push(model);
    }
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    for ((nameless, kind), models) in groups {
        blocks.push(heading(2, if nameless { "Other" } else { kind }));
        blocks.extend(
            models
                .iter()
                .flat_map(|fact| self::model(facts, &fact.entry, fact.written_by == WrittenBy::Rules)),
        );
    }
    blocks.extend(not_shown(facts.models.len(), shown.len(), "data models"));
    blocks.push(colophon(date, &authors));
    Some(DocumentPage {
        path: DATA_MODELS.to_owned(),
        title: format!("Data models of {}", facts.system()),
        blocks,
    })
}

fn model(facts: &PageFacts, model: &DataModel, by_rules: bool) -> Vec<Block> {
    let mut blocks = vec![heading(3, &model.model_name)];
    let place = facts.selected.definition(&model.file_path, &model.model_name);
    let place = place.map_or_else(|| code(&model.file_path), |place| source(&place));
    let mut defined = vec![plain("Defined in "), place, plain(".")];
    if !model.used_by_components.is_empty() {
        // Rules see the names in the component's own files.
        defined.push(plain(if by_rules { " Part of " } else { " Used by " }));
        defined.extend(comma_separated(model.used_by_components.iter().map(|id| component_link(facts, id))));
        defined.push(plain("."));
    }
    blocks.push(Block::Paragraph(defined));
    let told = facts.selected.behaviour_of(&model.file_path, &model.model_name);
    let default = |name: &str| -> Text {
        let entry = told.and_then(|told| told.defaults.get(name));
        let Some((value, line)) = entry.and_then(|entry| Some((entry.value.as_ref()?, entry.line))) else {
            return Text::new();
        };
        let place = SourceLines { path: model.file_path.clone(), start: line, end: line };
        sourced(vec![code(value)], &[place])
    };
    let fields = model.fields.iter().map(|field| {
        let words = prose(&field.description);
        vec![vec![code(&field.name)], vec![code(&field.kind)], default(&field.name), words]
    });
    let rows: Vec<Vec<Text>> = fields.collect();
    blocks.extend(filled_table(&["Field", "Type", "Set at construction", "Description"], rows));
    blocks
        .extend(and_more(&model.more, "fields").map(|more| Block::Paragraph(vec![more, plain(" fields.")])));
    let ties = model.relationships.iter().map(|tie| {
        let kind = if tie.relation_type.trim().is_empty() { "refers to" } else { &tie.relation_type };
        vec![Span::Strong(kind.to_owned()), plain(" "), code(&tie.target_model)]
    });
    let stated = super::component::relations_of(facts, &model.file_path, &model.model_name);
    let ties: Vec<Text> = if by_rules && facts.selected.of_kind(FactKind::Relation).next().is_some() {
        stated
    } else {
        ties.collect()
    };
    if !ties.is_empty() {
        blocks.push(Block::List(ties));
    }
    blocks
}
