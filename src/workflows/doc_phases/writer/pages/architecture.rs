//! The system overview (DOC-109, 115).

use std::collections::BTreeSet;

use super::super::diagrams;
use super::super::facts::{CONCERNS, FLOWS, PageFact, PageFacts, most_certain};
use super::super::page::{
    Block, DocumentPage, Span, Target, Text, code, heading, link, list, paragraphs, plain, prose,
};
use super::super::stated::StatedPurpose;
use super::{
    ARCHITECTURE, DATA_MODELS, DIAGRAM, and_more, colophon, comma_separated, component_link, list_with_more,
    not_shown, path_span, rules_note, section, sourced, traces,
};
use crate::facts::ConcernKind;
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, CrossCuttingConcern, RuntimeFlow, WrittenBy,
};

pub(in super::super) fn architecture(facts: &PageFacts) -> Option<DocumentPage> {
    let PageFact { entry: overview, updated_at, .. } = facts.overview.as_ref()?;
    let authors = authors(facts);
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "Overview", purpose(facts)));
    blocks.extend(section(2, "Technology stack", list(&overview.tech_stack)));
    blocks.extend(section(2, "Dependencies", traces::dependencies(facts)));
    blocks.extend(section(2, "Architectural style", paragraphs(&overview.architectural_style)));
    blocks.extend(section(2, "Key abstractions", list(&overview.key_abstractions)));
    blocks.extend(section(2, "Components", components(facts, overview)));
    let entries = overview.entry_points.iter().map(|entry| vec![plain(entry)]);
    let entries = list_with_more(entries, and_more(&overview.more, "entry_points"));
    blocks.extend(section(2, "Entry points", entries));
    blocks.extend(section(2, "From an entry to the core", traces::traces(facts)));
    blocks.extend(section(2, "Flows", flows(facts)));
    blocks.extend(section(2, "Errors, logging and concurrency", traces::ways_of_working(facts)));
    blocks.extend(section(2, "Cross-cutting concerns", concerns(facts)));
    if !facts.models.is_empty() {
        let to = link("Data models", Target::Page(DATA_MODELS.to_owned()));
        blocks.extend(section(2, "Data", [Block::Paragraph(vec![to, plain(" have a page of their own.")])]));
    }
    blocks.push(colophon(*updated_at, &authors));
    Some(DocumentPage {
        path: ARCHITECTURE.to_owned(),
        title: format!("Architecture of {}", overview.system_name),
        blocks,
    })
}

/// Returns the purpose that a model found; from rules, the stated purposes of the repository with their places.
fn purpose(facts: &PageFacts) -> Vec<Block> {
    let Some(overview) = &facts.overview else { return Vec::new() };
    let stated = facts.repository_purposes();
    if overview.written_by != WrittenBy::Rules || stated.is_empty() {
        return paragraphs(&overview.entry.purpose);
    }
    let quote = |purpose: &StatedPurpose<'_>| {
        Block::Paragraph(sourced(prose(purpose.text), std::slice::from_ref(purpose.source)))
    };
    stated.iter().map(quote).collect()
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
        let drawn = match text.hidden {
            0 => "An arrow leads from a component to one that it uses (".to_owned(),
            hidden => format!(
                "An arrow leads from a component to one that it uses. The diagram shows the components with the most \
                 dependencies, and not {hidden} others ("
            ),
        };
        blocks.push(Block::Paragraph(vec![plain(drawn), file, plain("):")]));
        blocks.push(Block::Code { language: "mermaid", text: text.text });
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
            prose(&step.action),
            next,
        ]
    };
    let rows: Vec<Vec<Text>> = flow.steps.iter().enumerate().map(step).collect();
    if !rows.is_empty() {
        blocks.push(Block::Table { head: vec!["Step", "Component", "Action", "Next"], rows });
    }
    if !flow.steps.is_empty() {
        blocks.push(Block::Code { language: "mermaid", text: diagrams::flow(flow, facts) });
    }
    blocks
}

fn concerns(facts: &PageFacts) -> Vec<Block> {
    let shown = most_certain(&facts.concerns, CONCERNS);
    let told = shown.iter().filter(|fact| !is_told_by_facts(facts, fact));
    let mut blocks: Vec<Block> = told.flat_map(|fact| concern(facts, &fact.entry)).collect();
    blocks.extend(not_shown(facts.concerns.len(), shown.len(), "concerns"));
    blocks
}

/// Returns true for a concern that rules counted lines of, if facts name its constructs.
fn is_told_by_facts(facts: &PageFacts, fact: &PageFact<CrossCuttingConcern>) -> bool {
    let kind = match fact.entry.concern_id.as_str() {
        "error-handling" => ConcernKind::Errors,
        "logging" => ConcernKind::Logging,
        "concurrency" => ConcernKind::Concurrency,
        _ => return false,
    };
    fact.written_by == WrittenBy::Rules && traces::has_ways(facts, kind)
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
        said("Pattern", pattern.map(|text| prose(text)).unwrap_or_default()),
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
