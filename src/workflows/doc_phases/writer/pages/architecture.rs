//! The system overview (DOC-109, 115).

use std::collections::BTreeSet;

use super::super::diagrams;
use super::super::facts::{CONCERNS, FLOWS, PageFact, PageFacts, flow_diagram, most_certain};
use super::super::page::{
    Block, DocumentPage, Span, Target, Text, code, heading, link, list, paragraphs, plain,
};
use super::{
    ARCHITECTURE, DATA_MODELS, DIAGRAM, and_more, colophon, comma_separated, component_link, list_with_more,
    not_shown, path_span, rules_note, section,
};
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, CrossCuttingConcern, RuntimeFlow, WrittenBy,
};

pub(in super::super) fn architecture(facts: &PageFacts) -> Option<DocumentPage> {
    let PageFact { entry: overview, updated_at, .. } = facts.overview.as_ref()?;
    let authors = authors(facts);
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "Overview", paragraphs(&overview.purpose)));
    blocks.extend(section(2, "Technology stack", list(&overview.tech_stack)));
    blocks.extend(section(2, "Architectural style", paragraphs(&overview.architectural_style)));
    blocks.extend(section(2, "Key abstractions", list(&overview.key_abstractions)));
    blocks.extend(section(2, "Components", components(facts, overview)));
    let entries = overview.entry_points.iter().map(|entry| vec![plain(entry)]);
    let entries = list_with_more(entries, and_more(&overview.more, "entry_points"));
    blocks.extend(section(2, "Entry points", entries));
    blocks.extend(section(2, "Flows", flows(facts)));
    blocks.extend(section(2, "Cross-cutting concerns", concerns(facts)));
    if !facts.models.is_empty() {
        let to = link("Data models", Target::Page(DATA_MODELS.to_owned()));
        blocks.extend(section(2, "Data", [Block::Paragraph(vec![to, plain(" have a page of their own.")])]));
    }
    blocks.push(colophon(*updated_at, Some(overview.confidence), &authors));
    Some(DocumentPage {
        path: ARCHITECTURE.to_owned(),
        title: format!("Architecture of {}", overview.system_name),
        blocks,
    })
}

fn authors(facts: &PageFacts) -> BTreeSet<&WrittenBy> {
    let overview = facts.overview.iter().map(|fact| &fact.written_by);
    let components = facts.listed_components().into_iter().map(|fact| &fact.written_by);
    let concerns = most_certain(&facts.concerns, CONCERNS).into_iter().map(|fact| &fact.written_by);
    let flows = most_certain(&facts.flows, FLOWS).into_iter().map(|fact| &fact.written_by);
    overview.chain(components).chain(concerns).chain(flows).collect()
}

/// Lists the components with their paths, those without an entry by id, and the diagram. The responsibility of a component is on
/// its own page and in the index, so an update of one component leaves this page unchanged (DOC-91).
fn components(facts: &PageFacts, overview: &ArchitectureOverview) -> Vec<Block> {
    let shown = facts.listed_components();
    let mut rows: Vec<Vec<Text>> = Vec::new();
    for component in shown.iter().map(|fact| &fact.entry) {
        let paths: Vec<Span> = facts.places_of(component).iter().map(|path| path_span(path)).collect();
        let name = component_link(facts, &component.component_id);
        rows.push(vec![vec![name], comma_separated(paths)]);
    }
    for (id, paths) in overview.component_boundaries.iter().filter(|(id, _)| facts.component(id).is_none()) {
        rows.push(vec![vec![plain(id)], comma_separated(paths.iter().map(|path| path_span(path)))]);
    }
    let mut blocks = Vec::new();
    if rows.is_empty() {
        // Falls back to the names in the overview if no component is known.
        blocks.extend(list(&overview.major_components));
    } else {
        blocks.push(Block::Table { head: vec!["Component", "Paths"], rows });
    }
    blocks.extend(not_shown(facts.components.len(), shown.len(), "components"));
    if let Some(text) = diagrams::architecture(facts) {
        let file = link(DIAGRAM, Target::File(DIAGRAM.to_owned()));
        blocks.push(Block::Paragraph(vec![
            plain("An arrow leads from a component to one that it uses ("),
            file,
            plain("):"),
        ]));
        blocks.push(Block::Code { language: "mermaid", text });
    }
    blocks
}

fn flows(facts: &PageFacts) -> Vec<Block> {
    let shown = most_certain(&facts.flows, FLOWS);
    let mut blocks: Vec<Block> = shown.iter().flat_map(|fact| flow(facts, &fact.entry)).collect();
    blocks.extend(not_shown(facts.flows.len(), shown.len(), "flows"));
    blocks
}

fn flow(facts: &PageFacts, flow: &RuntimeFlow) -> Vec<Block> {
    let mut blocks = vec![heading(3, &flow.flow_name)];
    blocks.extend(paragraphs(&flow.description));
    if !flow.trigger.trim().is_empty() {
        blocks.push(Block::Paragraph(vec![
            Span::Strong("Trigger:".into()),
            plain(" "),
            plain(&flow.trigger),
        ]));
    }
    let step = |(at, step): (usize, &crate::workflows::doc_phases::memory::FlowStep)| {
        let next = if step.next.is_empty() { Text::new() } else { vec![component_link(facts, &step.next)] };
        vec![
            vec![plain((at + 1).to_string())],
            vec![component_link(facts, &step.component)],
            vec![plain(&step.action)],
            next,
        ]
    };
    let rows: Vec<Vec<Text>> = flow.steps.iter().enumerate().map(step).collect();
    if !rows.is_empty() {
        blocks.push(Block::Table { head: vec!["Step", "Component", "Action", "Next"], rows });
    }
    let file = flow_diagram(&flow.flow_id);
    blocks.push(Block::Paragraph(vec![plain("Diagram: "), link(&file, Target::File(file.clone()))]));
    blocks
}

fn concerns(facts: &PageFacts) -> Vec<Block> {
    let shown = most_certain(&facts.concerns, CONCERNS);
    let mut blocks: Vec<Block> = shown.iter().flat_map(|fact| concern(facts, &fact.entry)).collect();
    blocks.extend(not_shown(facts.concerns.len(), shown.len(), "concerns"));
    blocks
}

fn concern(facts: &PageFacts, concern: &CrossCuttingConcern) -> Vec<Block> {
    let mut blocks = vec![heading(3, &concern.concern_name)];
    blocks.extend(paragraphs(&concern.description));
    let said = |what: &str, text: Text| {
        let label = [Span::Strong(format!("{what}:")), plain(" ")];
        (!text.is_empty()).then(|| label.into_iter().chain(text).collect::<Text>())
    };
    let more = |list: &str| and_more(&concern.more, list);
    let pattern = Some(&concern.implementation_pattern).filter(|text| !text.trim().is_empty());
    let affected = concern.components_affected.iter().map(|id| component_link(facts, id));
    let items = [
        said("Pattern", pattern.map(plain).into_iter().collect()),
        said("Components", comma_separated(affected)),
        said("Files", comma_separated(concern.files_involved.iter().map(code).chain(more("files_involved")))),
        said(
            "Abstractions",
            comma_separated(concern.key_abstractions.iter().map(code).chain(more("key_abstractions"))),
        ),
    ];
    let items: Vec<Text> = items.into_iter().flatten().collect();
    blocks.extend((!items.is_empty()).then_some(Block::List(items)));
    blocks
}
