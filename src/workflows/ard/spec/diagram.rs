//! The components as a Mermaid flowchart. Node ids are positions and labels are quoted, so that no name breaks the
//! syntax.

use crate::workflows::ard::exchange::{Component, ComponentKind, DesignDraft, mentions};
use crate::workflows::mermaid::label;

/// Renders the section with the chart.
pub(super) fn render(draft: &DesignDraft) -> String {
    let mut lines = vec!["```mermaid".to_owned(), "flowchart LR".to_owned()];
    lines.extend(draft.components.iter().enumerate().map(|(index, component)| render_node(index, component)));
    for (from, component) in draft.components.iter().enumerate() {
        let named = draft
            .components
            .iter()
            .enumerate()
            .filter(|(_, other)| mentions(&component.purpose, &other.name));
        lines.extend(named.filter(|(to, _)| *to != from).map(|(to, _)| format!("    c{from} --> c{to}")));
    }
    lines.push("```".to_owned());
    let about = "An arrow points from a component to one that its purpose names.";
    format!("## Component diagram\n\n{about}\n\n{}", lines.join("\n"))
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
