//! Texts between agents that rules write: the task and the context packet for a child, and the summary
//! for the parent.

use super::components;
use super::delegate::ScopePart;
use super::finding::{ENTRIES, FILES, FUNCTIONS, ROUTES, SUBCOMMANDS, TYPES};
use super::index::FindingIndex;
use super::select::findings_of;
use crate::workflows::explore::agents::{AgentEnd, AgentView};
use crate::workflows::survey::phrases::cut_at_word;
use crate::workflows::survey::quoted::path_span;

/// Maximum length of a summary, in characters; the result of `delegate` has room for 600.
const SUMMARY: usize = 600;
/// Maximum length of a context packet, in characters; a packet has room for 2,000.
const PACKET: usize = 1_800;
/// Maximum number of definitions or files that a summary names.
const NAMED: usize = 4;
/// Topics whose findings make up a summary if no purpose is stated.
const SUMMARISED: &[&str] = &[ENTRIES, FILES, TYPES, FUNCTIONS, ROUTES, SUBCOMMANDS];
/// Maximum number of needed parts that a packet names.
const NEEDS: usize = 6;

/// Returns the task for the child that explores `part`.
pub(super) fn purpose_of(view: &AgentView<'_>, part: &ScopePart) -> String {
    let name = part.span(view.findings);
    match view.findings.purposes.get(&part.path) {
        Some(stated) => format!("Explore {name}: {}", cut_at_word(&stated.said, SUMMARY)),
        None => {
            format!("Explore {name}: its purpose, its interface, its settings and its handling of errors.")
        }
    }
}

/// Returns the context packet for a child: the purposes of the repository and of the scope, and the
/// sibling parts that it needs or that need it.
pub(super) fn packet_of(view: &AgentView<'_>, part: &ScopePart, parts: &[ScopePart]) -> String {
    let mut lines = Vec::new();
    if let Some(stated) = view.findings.purposes.get("") {
        lines.push(format!("The repository: {}", stated.with_place()));
    }
    if let Some(stated) = view.findings.purposes.get(&view.scope.path).filter(|_| !view.scope.is_repository())
    {
        lines.push(format!("{}: {}", path_span(&format!("{}/", view.scope.path)), stated.with_place()));
    }
    let (needs, _) = components::needs(view, parts);
    let shown = |path: &str| {
        let part = parts.iter().find(|part| part.path == path);
        part.map_or_else(|| path_span(&format!("{path}/")), |part| part.span(view.findings))
    };
    let spans = |names: Vec<&str>| {
        let more = if names.len() > NEEDS { " and others" } else { "" };
        format!("{}{more}", names.into_iter().take(NEEDS).map(shown).collect::<Vec<_>>().join(", "))
    };
    if let Some(needed) = needs.get(part.path.as_str()) {
        lines.push(format!("It needs {}.", spans(needed.keys().copied().collect())));
    }
    let users: Vec<&str> = needs
        .iter()
        .filter(|(_, needed)| needed.contains_key(part.path.as_str()))
        .map(|(from, _)| from.as_str())
        .collect();
    if !users.is_empty() {
        lines.push(format!("It is needed by {}.", spans(users)));
    }
    cut_at_word(&lines.join("\n"), PACKET)
}

/// Returns the summary of an agent: the purpose of its scope, else its most important definitions, else
/// its first files; and the parts whose agents failed.
pub(super) fn summary(view: &AgentView<'_>) -> String {
    let scope = &view.scope.path;
    let stated = view.findings.purposes.get(scope);
    let mut text = match stated {
        Some(stated) => stated.with_place(),
        None => defined(view).unwrap_or_else(|| files(view.findings, scope)),
    };
    let failed: Vec<String> = view
        .children
        .iter()
        .filter(|child| matches!(child.end, AgentEnd::Failed(_)))
        .map(|child| path_span(&child.scope.path))
        .collect();
    if !failed.is_empty() {
        text.extend([format!(" Not explored to the end: {}.", failed.join(", "))]);
    }
    cut_at_word(&text, SUMMARY)
}

/// Returns the most important definitions of the agent's own files; `None` without findings.
fn defined(view: &AgentView<'_>) -> Option<String> {
    let found = findings_of(view, &super::delegate::parts_of(view));
    let named = found.iter().filter(|finding| SUMMARISED.contains(&finding.topic));
    let shown: Vec<&str> = named.take(NAMED).map(|finding| without_members(&finding.content)).collect();
    (!shown.is_empty()).then(|| format!("{}.", shown.join("; ")))
}

/// Returns the text of a finding about a definition without its fields or variants.
fn without_members(content: &str) -> &str {
    let end = [" Fields: ", " Variants: "].iter().filter_map(|start| content.find(start)).min();
    content[..end.unwrap_or(content.len())].trim_end_matches('.')
}

/// Returns a sentence with the first files of a scope, for code that states nothing about itself.
fn files(index: &FindingIndex, scope: &str) -> String {
    let readable = index.files_below(scope).filter(|(path, _)| !path.contains(".min."));
    let shown: Vec<String> = readable.take(NAMED).map(|(path, _)| format!("[{path}:1]")).collect();
    if shown.is_empty() {
        return "There is no source file of a known language.".to_owned();
    }
    format!("The rules found no stated purpose; the first files: {}", shown.join(", "))
}
