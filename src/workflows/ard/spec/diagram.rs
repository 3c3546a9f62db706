//! Section with the components as a Mermaid flowchart. Node ids are positions and labels are quoted, so
//! that no name breaks the syntax.

use crate::workflows::ard::exchange::{Component, ComponentKind, DesignDraft, mentions};
use crate::workflows::mermaid::label;

/// Renders the section. Edges are the relations of the draft or, without relations, the names of
/// components in purposes.
pub(super) fn render(draft: &DesignDraft) -> String {
    let mut lines = vec!["```mermaid".to_owned(), "flowchart LR".to_owned()];
    lines.extend(draft.components.iter().enumerate().map(|(index, component)| render_node(index, component)));
    let external = draft.external_systems.iter().enumerate();
    lines.extend(external.map(|(at, system)| format!("    x{at}[[\"{}\"]]", label(&system.name))));
    let (edges, about) = if draft.relations.is_empty() {
        let about = "An arrow points from a component to one that its purpose names; a line without a head connects two that \
                     name each other.";
        (edges_of_purposes(draft), about.to_owned())
    } else {
        (edges_of_relations(draft), "An arrow points from the side that calls or sends.".to_owned())
    };
    let about = format!("{about}{}", shapes(draft));
    lines.extend(edges);
    lines.push("```".to_owned());
    format!("## Component diagram\n\n{about}\n\n{}", lines.join("\n"))
}

/// Returns a legend of the shapes in the chart; empty if there is only one.
fn shapes(draft: &DesignDraft) -> String {
    let of_kind = |(kind, shape): &(ComponentKind, &'static str)| {
        draft.components.iter().any(|it| it.kind == *kind).then_some(*shape)
    };
    let mut drawn: Vec<&str> = SHAPES.iter().filter_map(of_kind).collect();
    drawn.extend((!draft.external_systems.is_empty()).then_some("box with double sides: external system"));
    if drawn.len() < 2 { String::new() } else { format!(" Shapes: {}.", drawn.join("; ")) }
}

const SHAPES: &[(ComponentKind, &str)] = &[
    (ComponentKind::Subsystem, "box: subsystem"),
    (ComponentKind::DataStore, "cylinder: data store"),
    (ComponentKind::Agent, "hexagon: agent"),
    (ComponentKind::Api, "stadium: API"),
    (ComponentKind::UiComponent, "round box: user interface"),
    (ComponentKind::Utility, "parallelogram: utility"),
];

/// Returns an edge from each component to those that its purpose names; a line without a head for two
/// that name each other.
fn edges_of_purposes(draft: &DesignDraft) -> Vec<String> {
    let components = &draft.components;
    let names = |from: usize, to: usize| mentions(&components[from].purpose, &components[to].name);
    let mut edges = Vec::new();
    for from in 0..components.len() {
        for to in (0..components.len()).filter(|to| *to != from && names(from, *to)) {
            match (names(to, from), from < to) {
                (true, true) => edges.push(format!("    c{from} --- c{to}")),
                // Drawn from the other side.
                (true, false) => {}
                (false, _) => edges.push(format!("    c{from} --> c{to}")),
            }
        }
    }
    edges
}

/// Returns one edge for each pair and direction, with the labels of all its relations. Relations with
/// unknown names are left out.
fn edges_of_relations(draft: &DesignDraft) -> Vec<String> {
    let id = |name: &str| {
        let component = draft.components.iter().position(|it| it.name == name).map(|at| format!("c{at}"));
        component.or_else(|| {
            draft.external_systems.iter().position(|it| it.name == name).map(|at| format!("x{at}"))
        })
    };
    let mut edges: Vec<(String, String, Vec<&str>)> = Vec::new();
    for relation in &draft.relations {
        // A gate has challenged a relation whose sides do not exist.
        let (Some(from), Some(to)) = (id(&relation.from), id(&relation.to)) else { continue };
        match edges.iter_mut().find(|(one, other, _)| *one == from && *other == to) {
            Some((.., labels)) => labels.push(&relation.label),
            None => edges.push((from, to, vec![&relation.label])),
        }
    }
    let line = |(from, to, labels): &(String, String, Vec<&str>)| {
        let labels: Vec<_> = labels.iter().map(|text| label(text)).filter(|text| !text.is_empty()).collect();
        match labels.as_slice() {
            [] => format!("    {from} --> {to}"),
            labels => format!("    {from} -->|\"{}\"| {to}", labels.join("<br>")),
        }
    };
    edges.iter().map(line).collect()
}

fn render_node(index: usize, component: &Component) -> String {
    let label = label(&component.name);
    let (open, close) = match component.kind {
        ComponentKind::Subsystem => ("[", "]"),
        ComponentKind::DataStore => ("[(", ")]"),
        ComponentKind::Agent => ("{{", "}}"),
        ComponentKind::Api => ("([", "])"),
        ComponentKind::UiComponent => ("(", ")"),
        ComponentKind::Utility => ("[/", "/]"),
    };
    format!("    c{index}{open}\"{label}\"{close}")
}
