//! Findings about the dependencies between the parts of a scope. The agent that delegates the parts
//! writes them, because no child sees the other parts.

use std::collections::{BTreeMap, BTreeSet};

use super::delegate::ScopePart;
use super::finding::{COMPONENTS, RuleFinding, most};
use super::index::{FileEdge, is_within};
use crate::workflows::explore::agents::AgentView;
use crate::workflows::survey::quoted::{path_span, place};

/// Maximum number of needed parts that a finding names.
const NEEDS: usize = 8;

/// Maximum number of imported names that are shown for a dependency.
const NAMES: usize = 2;

/// Returns a finding for each delegated part, and for each own folder of the agent, that needs other
/// parts. Empty without delegation.
pub(super) fn dependencies(view: &AgentView<'_>, parts: &[ScopePart]) -> Vec<RuleFinding> {
    let (needs, partial) = needs(view, parts);
    let shown = |path: &str| {
        let part = parts.iter().find(|part| part.path == path);
        part.map_or_else(|| path_span(&format!("{path}/")), |part| part.span(view.findings))
    };
    let finding = |(from, needed): (&String, &BTreeMap<&str, Vec<&FileEdge>>)| {
        let mut order: Vec<_> = needed.iter().collect();
        order.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(b.0)));
        let all: Vec<String> = order.iter().take(NEEDS).map(|(to, edges)| need(&shown(to), edges)).collect();
        let more = if order.len() > NEEDS || partial.contains(from) { ", …" } else { "" };
        let content =
            format!("{} needs {}{more}", one_file(needed).unwrap_or_else(|| shown(from)), all.join(", "));
        #[allow(clippy::cast_precision_loss, reason = "counts of files are small")]
        let weight = needed.values().map(Vec::len).sum::<usize>() as f64;
        RuleFinding::new(COMPONENTS, from, weight, content)
    };
    let mut found: Vec<RuleFinding> = needs.iter().map(finding).collect();
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.about.cmp(&b.about)));
    found.truncate(most(COMPONENTS));
    found
}

/// Returns the file, as a code span, if all these dependencies come from a single one.
fn one_file(needed: &BTreeMap<&str, Vec<&FileEdge>>) -> Option<String> {
    let mut files = needed.values().flatten().map(|edge| edge.from.as_str());
    let first = files.next()?;
    files.all(|file| file == first).then(|| path_span(first))
}

/// File dependencies between parts: from a part, or a folder of the agent's own files, to the needed
/// part.
type PartEdges<'a> = BTreeMap<String, BTreeMap<&'a str, Vec<&'a FileEdge>>>;

/// Returns the dependencies of a scope's files on its parts, and the parts that also depend on files of
/// no part, so that their list is incomplete.
pub(super) fn needs<'a>(view: &AgentView<'a>, parts: &'a [ScopePart]) -> (PartEdges<'a>, BTreeSet<String>) {
    let mut found: PartEdges<'a> = BTreeMap::new();
    let mut partial = BTreeSet::new();
    if parts.is_empty() {
        return (found, partial);
    }
    let part_of = |path: &str| parts.iter().map(|part| part.path.as_str()).find(|part| is_within(path, part));
    let own_folder = |path: &'a str| {
        let (folder, _) = path.rsplit_once('/')?;
        Some(folder).filter(|_| is_within(path, &view.scope.path) && *folder != view.scope.path)
    };
    for edge in &view.findings.edges {
        let Some(from) = part_of(&edge.from).or_else(|| own_folder(&edge.from)) else { continue };
        match part_of(&edge.to) {
            // The files of a folder usually need the parts below it.
            Some(to) if from != to && !is_within(to, from) => {
                found.entry(from.to_owned()).or_default().entry(to).or_default().push(edge);
            }
            None if !is_within(&edge.to, from) => {
                partial.insert(from.to_owned());
            }
            _ => {}
        }
    }
    (found, partial)
}

/// Formats a needed part with up to `NAMES` imported names and their places; names of definitions come
/// first.
fn need(to: &str, edges: &[&FileEdge]) -> String {
    let mut names: Vec<(&str, String)> = Vec::new();
    let (defined, declared): (Vec<&FileEdge>, Vec<&FileEdge>) =
        edges.iter().copied().partition(|edge| edge.is_definition);
    for edge in defined.into_iter().chain(declared) {
        let name = edge.name.as_deref().unwrap_or_default();
        if !names.iter().any(|(known, _)| *known == name) {
            names.push((name, place(&edge.source)));
        }
        if names.len() > NAMES {
            break;
        }
    }
    let more = if names.len() > NAMES { ", …" } else { "" };
    let shown = names.into_iter().take(NAMES);
    let shown: Vec<String> =
        shown.map(|(name, place)| format!("{name} {place}").trim_start().to_owned()).collect();
    format!("{to} ({}{more})", shown.join(", "))
}
