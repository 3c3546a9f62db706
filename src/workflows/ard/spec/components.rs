//! The components, grouped by type.

use super::escape::inline;
use crate::workflows::ard::exchange::{Component, ComponentKind, Draft, mentions};

/// The section: a table for each type that occurs.
pub(super) fn render(draft: &Draft) -> String {
    let mut sections = vec!["## Components".to_owned()];
    for kind in ComponentKind::ALL {
        let of_kind: Vec<_> = draft.components.iter().filter(|component| component.kind == kind).collect();
        if !of_kind.is_empty() {
            let rows: Vec<_> = of_kind.iter().map(|component| row(component, draft)).collect();
            sections.push(format!(
                "### {}\n\n| Name | Purpose |\n| :--- | :--- |\n{}",
                plural(kind),
                rows.join("\n")
            ));
        }
    }
    sections.join("\n\n")
}

fn row(component: &Component, draft: &Draft) -> String {
    format!("| **{}** | {} |", inline(&component.name), purpose(component, draft))
}

/// The purpose, with the names of other components set as code.
fn purpose(component: &Component, draft: &Draft) -> String {
    let known =
        |word: &str| draft.components.iter().any(|other| other.name == word && other.name != component.name);
    let text = inline(&component.purpose);
    let mut marked = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let length = rest[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len() - start);
        let (before, word) = (&rest[..start], &rest[start..start + length]);
        let alone = mentions(&rest[..start + length], word) && !before.ends_with('&');
        marked.push_str(before);
        if alone && known(word) {
            marked.extend(["`", word, "`"])
        } else {
            marked.push_str(word)
        }
        rest = &rest[start + length..];
    }
    marked + rest
}

fn plural(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Subsystem => "Subsystems",
        ComponentKind::DataStore => "Data stores",
        ComponentKind::Agent => "Agents",
        ComponentKind::Api => "APIs",
        ComponentKind::UiComponent => "User interface",
        ComponentKind::Utility => "Utilities",
    }
}
