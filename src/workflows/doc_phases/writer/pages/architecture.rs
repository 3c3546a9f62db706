//! The system overview (DOC-109, 115).

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::super::diagrams;
use super::super::facts::{CONCERNS, FLOWS, PageFact, PageFacts, most_certain};
use super::super::page::{
    Block, DocumentPage, Span, Target, Text, code, heading, link, list, paragraphs, plain, prose,
};
use super::super::stated::is_side;
use super::{
    ARCHITECTURE, DATA_MODELS, DIAGRAM, INTERFACE, and_more, colophon, comma_separated, component_link,
    definition, list_with_more, not_shown, path_span, quote_purpose, rules_note, section, sourced, traces,
};
use crate::facts::{FactKind, FactSubject, SourceLines};
use crate::workflows::doc_phases::memory::{
    ArchitectureOverview, ComponentSummary, CrossCuttingConcern, RuntimeFlow, WrittenBy,
};
use crate::workflows::survey::phrases::first_sentence;

/// Build systems as rules name them.
const BUILD_SYSTEMS: [&str; 12] = [
    "npm package (package.json)",
    "Python packaging",
    "Cargo",
    "Go modules",
    "Maven",
    "Gradle",
    "Composer",
    "MSBuild",
    "RubyGems",
    "CMake",
    "Meson",
    "Autotools",
];

pub(in super::super) fn architecture(facts: &PageFacts) -> Option<DocumentPage> {
    let PageFact { entry: overview, updated_at, .. } = facts.overview.as_ref()?;
    let authors = authors(facts);
    let mut blocks: Vec<Block> = rules_note(&authors).into_iter().collect();
    blocks.extend(section(2, "Overview", purpose(facts)));
    blocks.extend(section(2, "Technology stack", stack(facts, facts.overview.as_ref()?)));
    blocks.extend(section(2, "Dependencies", traces::dependencies(facts)));
    blocks.extend(section(2, "Architectural style", style(facts, facts.overview.as_ref()?)));
    blocks.extend(section(2, "Key abstractions", abstractions(facts, facts.overview.as_ref()?)));
    blocks.extend(section(2, "Components", components(facts, overview)));
    blocks.extend(section(2, "Main types and their relations", traces::type_relations(facts)));
    blocks.extend(section(2, "Entry points", entry_points(facts, facts.overview.as_ref()?)));
    blocks.extend(section(2, "From an entry to the core", traces::traces(facts)));
    blocks.extend(section(2, "Flows", flows(facts)));
    blocks.extend(traces::ways_of_working(facts));
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

/// Returns the paragraphs about the purpose of the system: the one that a model found; from rules, the
/// purpose that the repository states, with its place. Empty if rules have only numbers, or the purpose of
/// one of several projects.
fn purpose(facts: &PageFacts) -> Vec<Block> {
    let Some(overview) = &facts.overview else { return Vec::new() };
    match facts.repository_purpose() {
        Some(_) if overview.written_by == WrittenBy::Rules => super::readme::what_it_is(facts),
        // The description of one of several projects is none of the whole.
        None if overview.written_by == WrittenBy::Rules
            && facts.selected.of_product(FactKind::Project).count() > 1 =>
        {
            Vec::new()
        }
        // A number of files is no purpose.
        None if overview.written_by == WrittenBy::Rules
            && overview.entry.purpose.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            Vec::new()
        }
        _ => paragraphs(&overview.entry.purpose),
    }
}

/// Returns the paragraphs about the architectural style. Empty if rules found it and the manifests state the
/// kinds of the projects, which another page shows.
fn style(facts: &PageFacts, overview: &PageFact<ArchitectureOverview>) -> Vec<Block> {
    let is_told = overview.written_by == WrittenBy::Rules
        && facts.selected.of_product(FactKind::Project).next().is_some();
    if is_told { Vec::new() } else { paragraphs(&overview.entry.architectural_style) }
}

/// Lists the technologies of the overview. Of those that rules found, only languages of the product and build
/// systems, if facts name the dependencies in a section of their own.
fn stack(facts: &PageFacts, overview: &PageFact<ArchitectureOverview>) -> Option<Block> {
    let all = &overview.entry.tech_stack;
    if overview.written_by != WrittenBy::Rules || facts.selected.of_kind(FactKind::Project).next().is_none() {
        return list(all);
    }
    let languages = all.iter().filter_map(|item| item.split_once(" ("));
    // A language of scripts and tests alone is no part of the stack.
    let of_product = languages.filter(|(_, files)| files.contains(" file") && !files.contains(", 0 of them"));
    let systems = all.iter().map(String::as_str).filter(|item| BUILD_SYSTEMS.contains(item));
    list(&of_product.map(|(language, _)| language).chain(systems).map(str::to_owned).collect::<Vec<_>>())
}

/// Lists the key abstractions of the overview. For types that rules found, adds purpose and place, and leaves
/// out those of examples and those that the facts do not explain.
fn abstractions(facts: &PageFacts, overview: &PageFact<ArchitectureOverview>) -> Option<Block> {
    let all = &overview.entry.key_abstractions;
    if overview.written_by != WrittenBy::Rules || facts.selected.definitions.is_empty() {
        return list(all);
    }
    let names = all.iter().map(|said| said.split(':').next().unwrap_or(said));
    let items: Vec<Text> = names.filter_map(|name| abstraction(facts, name)).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

fn abstraction(facts: &PageFacts, name: &str) -> Option<Text> {
    let definitions = facts.selected.definitions.keys();
    // A type inside another one, such as `Builder.Item`, is another type.
    let is_inner = |place: &SourceLines| {
        let lines = format!("{}-{}", place.start, place.end);
        let end = format!(".{name}");
        let own = facts.selected.definitions.get(&place.path);
        own.is_some_and(|own| own.iter().any(|(known, at)| *at == lines && known.ends_with(&end)))
    };
    let mut places = definitions
        .filter(|path| !is_side(path))
        .filter_map(|path| facts.selected.definition(path, name))
        .filter(|place| !is_inner(place));
    let place = places.next()?;
    // A name with two definitions is not explained by one of them.
    let is_only = places.next().is_none();
    let subject = FactSubject::Symbol { path: place.path.clone(), name: name.to_owned() };
    let mut item = vec![code(name)];
    let stated = facts.selected.purpose(&subject).map(|(text, _)| prose(first_sentence(text)));
    let said = stated.or_else(|| definition(facts, &place.path, name));
    if let Some(said) = said.filter(|_| is_only) {
        item.push(plain(": "));
        item.extend(said);
    }
    // A name alone explains nothing.
    is_only.then(|| sourced(item, &[place]))
}

/// Lists the entry points of the product, and links to their page if it exists.
fn entry_points(facts: &PageFacts, overview: &PageFact<ArchitectureOverview>) -> Vec<Block> {
    let entries = match super::interface::main_targets(facts) {
        targets if overview.written_by == WrittenBy::Rules && !targets.is_empty() => {
            Some(Block::List(targets))
        }
        _ => {
            let overview = &overview.entry;
            let is_product = |entry: &&String| !is_side(entry.split(':').next().unwrap_or(entry));
            let entries = overview.entry_points.iter().filter(is_product).map(|entry| prose(entry));
            list_with_more(entries, and_more(&overview.more, "entry_points"))
        }
    };
    let page = super::interface(facts).map(|_| {
        let to = link("Entry points", Target::Page(INTERFACE.to_owned()));
        Block::Paragraph(vec![to, plain(" have a page of their own, with places.")])
    });
    entries.into_iter().chain(page).collect()
}

fn authors(facts: &PageFacts) -> BTreeSet<&WrittenBy> {
    let overview = facts.overview.iter().map(|fact| &fact.written_by);
    let components = facts.listed_components().into_iter().map(|fact| &fact.written_by);
    let concerns = most_certain(&facts.concerns, CONCERNS).into_iter().map(|fact| &fact.written_by);
    let flows = most_certain(&facts.flows, FLOWS).into_iter().map(|fact| &fact.written_by);
    overview.chain(components).chain(concerns).chain(flows).collect()
}

/// Lists all components in a table with paths and stated purposes, and draws their diagram. The
/// responsibility of a component is on other pages, so that an update of one component leaves this page
/// unchanged (DOC-91).
fn components(facts: &PageFacts, overview: &ArchitectureOverview) -> Vec<Block> {
    let mut shown = facts.listed_components();
    // Stable: the product comes first, then tests and examples.
    shown.sort_by_key(|fact| facts.is_side_component(&fact.entry));
    let mut rows: Vec<Vec<Text>> = Vec::new();
    for component in shown.iter().map(|fact| &fact.entry) {
        let paths: Vec<Span> = facts.places_of(component).iter().map(|path| path_span(path)).collect();
        let name = component_link(facts, &component.component_id);
        rows.push(vec![vec![name], comma_separated(paths), stated_purpose(facts, component)]);
    }
    for (id, paths) in overview.component_boundaries.iter().filter(|(id, _)| facts.component(id).is_none()) {
        let paths = comma_separated(paths.iter().map(|path| path_span(path)));
        rows.push(vec![vec![plain(id)], paths, Text::new()]);
    }
    let mut head: Vec<Cow<'static, str>> = vec!["Component".into(), "Paths".into(), "Purpose".into()];
    if rows.iter().all(|row| row[2].is_empty()) {
        head.pop();
        rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    let mut blocks = Vec::new();
    if rows.is_empty() {
        // Falls back to the names in the overview if no component is known.
        blocks.extend(list(&overview.major_components));
    } else {
        blocks.push(Block::Table { head, rows });
    }
    blocks.extend(not_shown(facts.components.len(), shown.len(), "components"));
    if let Some(text) = diagrams::architecture(facts).filter(|text| text.has_arrows) {
        let file = link(DIAGRAM, Target::File(DIAGRAM.to_owned()));
        let mut drawn =
            "An arrow leads from a component to one that it imports or names, as far as names resolve."
                .to_owned();
        if text.hidden > 0 {
            let hidden = match text.hidden {
                1 => " One component with as many dependencies or fewer is not drawn.".to_owned(),
                hidden => format!(" {hidden} components with as many dependencies or fewer are not drawn."),
            };
            drawn.push_str(&hidden);
        }
        if text.hidden_side > 0 {
            drawn += " Tests and examples are not drawn.";
        }
        blocks.push(Block::Paragraph(vec![plain(drawn), plain(" As a file: "), file, plain(".")]));
        blocks.push(Block::Code { language: "mermaid".into(), text: text.text });
    }
    blocks
}

/// Quotes the first sentence of the purpose that the repository states for a component, with its place; empty
/// without one.
fn stated_purpose(facts: &PageFacts, component: &ComponentSummary) -> Text {
    let purpose = facts.stated_purpose(component);
    purpose.map(|purpose| quote_purpose(&purpose, first_sentence(purpose.text))).unwrap_or_default()
}

fn flows(facts: &PageFacts) -> Vec<Block> {
    let told: Vec<PageFact<RuntimeFlow>> =
        facts.flows.iter().filter(|fact| !is_told_by_traces(facts, fact)).cloned().collect();
    let shown = most_certain(&told, FLOWS);
    let mut blocks: Vec<Block> = shown.iter().flat_map(|fact| flow(facts, &fact.entry)).collect();
    blocks.extend(not_shown(told.len(), shown.len(), "flows"));
    blocks
}

/// Returns true for a flow by rules that this page omits: it starts in tests or examples, or traces show the
/// calls with their places.
fn is_told_by_traces(facts: &PageFacts, fact: &PageFact<RuntimeFlow>) -> bool {
    if fact.written_by != WrittenBy::Rules {
        return false;
    }
    let first = fact.entry.steps.first().and_then(|step| facts.component(&step.component));
    first.is_some_and(|component| facts.is_side_component(component))
        || facts.selected.of_product(FactKind::Trace).next().is_some()
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
    let step = |(at, step): (usize, &crate::workflows::doc_phases::memory::RuntimeStep)| {
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
        blocks.push(Block::Table {
            head: vec!["Step".into(), "Component".into(), "Action".into(), "Next".into()],
            rows,
        });
    }
    if !flow.steps.is_empty() {
        blocks.push(Block::Code { language: "mermaid".into(), text: diagrams::flow(flow, facts) });
    }
    blocks
}

fn concerns(facts: &PageFacts) -> Vec<Block> {
    let told: Vec<PageFact<CrossCuttingConcern>> =
        facts.concerns.iter().filter(|fact| !is_told_by_facts(facts, fact)).cloned().collect();
    let shown = most_certain(&told, CONCERNS);
    let mut blocks: Vec<Block> = shown.iter().flat_map(|fact| concern(facts, &fact.entry)).collect();
    blocks.extend(not_shown(told.len(), shown.len(), "concerns"));
    blocks
}

/// Returns true for a concern by rules that this page omits, because facts name its constructs with their
/// places.
fn is_told_by_facts(facts: &PageFacts, fact: &PageFact<CrossCuttingConcern>) -> bool {
    fact.written_by == WrittenBy::Rules && facts.selected.of_kind(FactKind::Project).next().is_some()
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
