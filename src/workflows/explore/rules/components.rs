//! The dependencies between the parts of a scope. They belong to the agent around the parts, because no part sees the others.

use std::collections::BTreeMap;

use super::delegate::ScopePart;
use super::finding::{COMPONENTS, Finding};
use super::index::{FileEdge, is_within};
use crate::workflows::explore::agents::AgentView;
use crate::workflows::survey::quoted::{path_span, place};

/// Maximum of needed parts that a finding names.
const NEEDS: usize = 8;

/// Returns a finding for each part of a scope that needs other parts. Without delegation there is none.
pub(super) fn dependencies(view: &AgentView<'_>, parts: &[ScopePart]) -> Vec<Finding> {
    let needs = needs(view, parts);
    let finding = |(from, needed): (&&str, &BTreeMap<&str, Vec<&FileEdge>>)| {
        let mut order: Vec<_> = needed.iter().collect();
        order.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(b.0)));
        let shown: Vec<String> = order.iter().take(NEEDS).map(|(to, edges)| need(to, edges)).collect();
        let more = if order.len() > NEEDS { ", …" } else { "" };
        let content = format!("{} needs {}{more}", path_span(from), shown.join(", "));
        #[allow(clippy::cast_precision_loss, reason = "counts of files are small")]
        Finding::new(COMPONENTS, from, needed.values().map(Vec::len).sum::<usize>() as f64, content)
    };
    let mut found: Vec<Finding> = needs.iter().map(finding).collect();
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.about.cmp(&b.about)));
    found.truncate(
        super::finding::TOPICS.iter().find(|(topic, _)| *topic == COMPONENTS).map_or(0, |(_, most)| *most),
    );
    found
}

/// The edges between parts: from a part to the needed part.
type PartEdges<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a FileEdge>>>;

/// Returns the edges of the files of a scope that lead from one part to another.
pub(super) fn needs<'a>(view: &AgentView<'a>, parts: &'a [ScopePart]) -> PartEdges<'a> {
    let mut found: PartEdges<'a> = BTreeMap::new();
    if parts.is_empty() {
        return found;
    }
    let part_of = |path: &str| parts.iter().map(|part| part.path.as_str()).find(|part| is_within(path, part));
    for edge in &view.findings.edges {
        if let (Some(from), Some(to)) = (part_of(&edge.from), part_of(&edge.to))
            && from != to
        {
            found.entry(from).or_default().entry(to).or_default().push(edge);
        }
    }
    found
}

/// Returns a needed part with the name and the place of a dependency.
fn need(to: &str, edges: &[&FileEdge]) -> String {
    let named = edges.iter().find(|edge| edge.name.is_some()).or(edges.first());
    let Some(edge) = named else { return path_span(to) };
    let name = edge.name.as_deref().map(|name| format!("{name} ")).unwrap_or_default();
    format!("{} ({name}{})", path_span(to), place(&edge.source))
}
