//! Renders the diagrams as Mermaid without fences (DOC-112 to 114). Ids are positions and labels are escaped, so no name breaks the
//! syntax. Mermaid's own limits are observed.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::PageFacts;
use super::page::{NAMELESS, one_line};
use crate::workflows::doc_phases::memory::{ComponentSummary, RuntimeFlow};
use crate::workflows::mermaid;

/// Maximum of edges; Mermaid draws at most 500.
const EDGES: usize = 480;
/// Maximum of characters; Mermaid reads at most 50,000.
const CHARS: usize = 45_000;
/// Maximum length of a label, in characters.
const LABEL: usize = 80;
/// Maximum length of a step's text, in characters.
const STEP: usize = 160;

/// Draws the components and their dependencies; `None` without components.
pub(super) fn architecture(facts: &PageFacts) -> Option<String> {
    let drawn = facts.listed_components();
    let bounds = facts.overview.iter().flat_map(|overview| overview.entry.component_boundaries.keys());
    let ids: BTreeMap<&str, &str> = match drawn.len() {
        0 => bounds.map(|id| (id.as_str(), id.as_str())).collect(),
        _ => drawn
            .iter()
            .map(|one| (one.entry.component_id.as_str(), one.entry.component_name.as_str()))
            .collect(),
    };
    if ids.is_empty() {
        return None;
    }
    let numbers: BTreeMap<&str, usize> = ids.keys().enumerate().map(|(number, id)| (*id, number)).collect();
    let mut lines = vec!["flowchart LR".to_owned()];
    lines.extend(ids.iter().map(|(id, name)| format!("    c{}[\"{}\"]", numbers[id], label(name, LABEL))));
    let edges = edges(drawn.iter().map(|one| &one.entry), &numbers);
    lines.extend(edges.iter().take(EDGES).map(|(from, to)| format!("    c{from} --> c{to}")));
    let beyond = facts.components.len().saturating_sub(drawn.len());
    if beyond > 0 {
        lines.push(format!("    %% {beyond} more components are not drawn"));
    }
    if edges.len() > EDGES {
        lines.push(format!("    %% {} more dependencies are not drawn", edges.len() - EDGES));
    }
    Some(format!("{}\n", lines.join("\n")))
}

/// Returns the dependencies as pairs of numbers (user, used), stated by either component.
fn edges<'a>(
    components: impl Iterator<Item = &'a ComponentSummary>,
    numbers: &BTreeMap<&str, usize>,
) -> BTreeSet<(usize, usize)> {
    let mut edges = BTreeSet::new();
    for component in components {
        let Some(&own) = numbers.get(component.component_id.as_str()) else { continue };
        let known = |ids: &[String]| {
            ids.iter().filter_map(|id| numbers.get(id.as_str()).copied()).collect::<Vec<_>>()
        };
        edges.extend(known(&component.dependencies).into_iter().map(|other| (own, other)));
        edges.extend(known(&component.dependents).into_iter().map(|other| (other, own)));
    }
    edges.retain(|(from, to)| from != to);
    edges
}

/// Draws a flow as a sequence diagram.
pub(super) fn flow(flow: &RuntimeFlow, facts: &PageFacts) -> String {
    let mut actors: Vec<&str> = Vec::new();
    let named = flow.steps.iter().flat_map(|step| [step.component.as_str(), step.next.as_str()]);
    for id in named.chain(flow.components_involved.iter().map(String::as_str)).filter(|id| !id.is_empty()) {
        if !actors.contains(&id) {
            actors.push(id);
        }
    }
    let number = |id: &str| actors.iter().position(|actor| *actor == id);
    let mut lines = vec!["sequenceDiagram".to_owned()];
    if actors.is_empty() {
        lines.push(format!("    participant p0 as {}", label(&flow.flow_name, LABEL)));
    }
    lines.extend(
        actors
            .iter()
            .enumerate()
            .map(|(at, id)| format!("    participant p{at} as {}", label(facts.name_of(id), LABEL))),
    );
    if !one_line(&flow.trigger).is_empty() {
        lines.push(format!("    Note over p0: {}", label(&flow.trigger, STEP)));
    }
    let mut chars: usize = lines.iter().map(String::len).sum();
    for (at, step) in flow.steps.iter().enumerate() {
        let from = number(&step.component).unwrap_or_default();
        let to = number(&step.next).unwrap_or(from);
        let line = format!("    p{from}->>p{to}: {}", label(&step.action, STEP));
        chars += line.len();
        if chars > CHARS {
            lines.push(format!("    %% {} more steps are not drawn", flow.steps.len() - at));
            break;
        }
        lines.push(line);
    }
    format!("{}\n", lines.join("\n"))
}

fn label(text: &str, longest: usize) -> String {
    let line = one_line(text);
    let cut: String = match line.char_indices().nth(longest) {
        Some((end, _)) => line[..end].chars().chain(['…']).collect(),
        None => line,
    };
    mermaid::label(if cut.is_empty() { NAMELESS } else { &cut })
}
