//! Section of the specification with the components, grouped by type.

use super::escape::inline;
use crate::workflows::ard::exchange::{Component, ComponentKind, DesignDraft};

/// Renders the section: one table for each type that occurs.
pub(super) fn render(draft: &DesignDraft) -> String {
    let mut sections = vec!["## Components".to_owned()];
    for kind in ComponentKind::ALL {
        let of_kind: Vec<_> = draft.components.iter().filter(|component| component.kind == kind).collect();
        if !of_kind.is_empty() {
            let rows: Vec<_> = of_kind.iter().map(|component| render_row(component, draft)).collect();
            sections.push(format!(
                "### {}\n\n| Name | Purpose |\n| :--- | :--- |\n{}",
                heading(kind),
                rows.join("\n")
            ));
        }
    }
    sections.join("\n\n")
}

fn render_row(component: &Component, draft: &DesignDraft) -> String {
    format!("| **{}** | {} |", inline(&component.name), render_purpose(component, draft))
}

/// Renders a purpose with names of other components and external systems as code spans. A name that is
/// in backticks already gets none again.
fn render_purpose(component: &Component, draft: &DesignDraft) -> String {
    let names = draft.components.iter().map(|it| &it.name);
    let names = names.chain(draft.external_systems.iter().map(|it| &it.name));
    let names: Vec<&String> = names.filter(|name| **name != component.name).collect();
    let known = |word: &str| names.iter().any(|name| *name == word);
    let text = inline(&component.purpose);
    let mut marked = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let length = rest[start..].find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len() - start);
        let (before, word) = (&rest[..start], &rest[start..start + length]);
        let after = &rest[start + length..];
        let quoted = (before.ends_with("\\`"), after.starts_with("\\`"));
        // A word after `&` is an entity of the escaped text, such as `&amp;`, and not a name.
        let is_name = known(word) && !before.ends_with('&') && quoted.0 == quoted.1;
        rest = if is_name && quoted.0 { &after[2..] } else { after };
        marked.push_str(if is_name && quoted.0 { &before[..before.len() - 2] } else { before });
        if is_name { marked.extend(["`", word, "`"]) } else { marked.push_str(word) }
    }
    marked + rest
}

fn heading(kind: ComponentKind) -> &'static str {
    match kind {
        ComponentKind::Subsystem => "Subsystems",
        ComponentKind::DataStore => "Data stores",
        ComponentKind::Agent => "Agents",
        ComponentKind::Api => "APIs",
        ComponentKind::UiComponent => "User interface",
        ComponentKind::Utility => "Utilities",
    }
}
