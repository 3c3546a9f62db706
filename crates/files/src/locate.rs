//! Maps a defect of the draft to its span in the file. Checks nothing.

use stategraph_core::{Defect, DefectKind, START, Site};

use super::diagnostic::Diagnostic;
use super::format::{EdgeFile, GotoFile, GraphFile, NodeFile, Sources};
use super::kind::Kind;
use super::source::{SourceText, Span};

/// Makes a diagnostic of a defect that the engine found: with its span in the file, its hint and labels at
/// related places.
pub(crate) fn locate_defect(source: &SourceText, file: &GraphFile, defect: &Defect) -> Diagnostic {
    let found =
        Diagnostic::new(source, find_span(file, defect), defect.kind.to_string()).hint(defect.kind.hint());
    related_spans(file, defect).into_iter().fold(found, |found, (span, text)| found.also(source, span, text))
}

/// Returns the span in the file that a defect is about, such as the name of an unknown target.
fn find_span(file: &GraphFile, defect: &Defect) -> Span {
    let label = matches!(defect.kind, DefectKind::UnknownLabel { .. } | DefectKind::DuplicateArm { .. });
    match defect.site {
        Site::Graph if defect.kind == DefectKind::NoEntry => file.edges_key.clone(),
        Site::Graph => file.name.span.clone(),
        Site::Node(at) => {
            let (name, node) = &file.nodes.0[at];
            named_target(file, node, &defect.kind).unwrap_or(&name.span).clone()
        }
        Site::Goto { node, target } => {
            let goto = file.nodes.0[node].1.keys.goto.as_ref();
            goto.expect("the draft's goto targets come from the file").targets()[target].span.clone()
        }
        Site::Edge(at) => match &file.edges[at] {
            EdgeFile::Choice { arms_key, .. } if matches!(defect.kind, DefectKind::UncoveredLabel { .. }) => {
                arms_key.clone()
            }
            EdgeFile::Choice { from, .. }
            | EdgeFile::Conditional { from, .. }
            | EdgeFile::FanOut { from, .. } => from.span.clone(),
            EdgeFile::Static { from, .. } if matches!(defect.kind, DefectKind::GotoAndEdge { .. }) => {
                from.all()[0].span.clone()
            }
            EdgeFile::Static { span, .. } => span.clone(),
            EdgeFile::Condition { to, .. } | EdgeFile::Else { to, .. } => to.span(),
        },
        Site::From { edge, source } => match &file.edges[edge] {
            EdgeFile::Static { from, .. } => from.all()[source].span.clone(),
            EdgeFile::Choice { from, .. }
            | EdgeFile::Conditional { from, .. }
            | EdgeFile::FanOut { from, .. }
            | EdgeFile::Condition { from, .. }
            | EdgeFile::Else { from, .. } => from.span.clone(),
        },
        Site::To(at) => match &file.edges[at] {
            EdgeFile::Static { to, .. } | EdgeFile::FanOut { to, .. } => to.span.clone(),
            EdgeFile::Condition { to, .. } | EdgeFile::Else { to, .. } => to.span(),
            EdgeFile::Choice { from, .. } | EdgeFile::Conditional { from, .. } => from.span.clone(),
        },
        Site::Arm { edge, arm } => match &file.edges[edge] {
            EdgeFile::Choice { arms, .. } if label => arms.0[arm].0.span.clone(),
            EdgeFile::Choice { arms, .. } => arms.0[arm].1.span.clone(),
            EdgeFile::Conditional { cases, otherwise, .. } => {
                let targets = cases.get(arm).map_or(otherwise, |case| &case.to);
                let wrong = wrong_name(&defect.kind);
                let meant = targets.0.iter().find(|target| Some(target.value.as_str()) == wrong);
                meant.map_or_else(|| targets.span(), |target| target.span.clone())
            }
            EdgeFile::FanOut { to, empty, .. } => empty.as_ref().unwrap_or(to).span.clone(),
            EdgeFile::Static { span, .. } => span.clone(),
            EdgeFile::Condition { to, .. } | EdgeFile::Else { to, .. } => to.span(),
        },
    }
}

/// Returns the name that a defect of this kind rejects as a target; `None` for kinds without one.
fn wrong_name(kind: &DefectKind) -> Option<&str> {
    match kind {
        DefectKind::UnknownNode { name, .. }
        | DefectKind::NeedsItem { name }
        | DefectKind::TakesNoItems { name } => Some(name),
        DefectKind::ToStart => Some(START),
        _ => None,
    }
}

/// Returns the span of the rejected target among those of the node's error handler, of its rules with `each`,
/// and of its sub-graph. `None` if it is none of these.
fn named_target<'a>(file: &'a GraphFile, node: &'a NodeFile, kind: &DefectKind) -> Option<&'a Span> {
    let wrong = wrong_name(kind)?;
    let handler = file.handler_of(node).into_iter().flat_map(|handler| &handler.goto);
    let sent = node.keys.goto.iter().flat_map(GotoFile::item_targets);
    let inner = match &node.action.kind {
        Some(Kind::Subgraph(graph)) => graph.goto.as_slice(),
        _ => &[],
    };
    let mut targets = handler.chain(sent).chain(inner);
    targets.find(|target| target.value == *wrong).map(|target| &target.span)
}

/// Returns the spans of other places that explain the defect, such as the first definition of a duplicate,
/// each with its label.
fn related_spans(file: &GraphFile, defect: &Defect) -> Vec<(Span, String)> {
    let node = |name: &str| file.nodes.0.iter().find(|(node, _)| node.value == name);
    let first = |span: &Span| vec![(span.clone(), "first here".to_owned())];
    match &defect.kind {
        DefectKind::DuplicateNode { name } => node(name).map_or_else(Vec::new, |(name, _)| first(&name.span)),
        DefectKind::GotoAndEdge { name } => {
            let goto = node(name).and_then(|(_, node)| node.keys.goto.as_ref()?.targets().first().copied());
            goto.map(|target| (target.span.clone(), "it uses goto here".to_owned())).into_iter().collect()
        }
        DefectKind::UncoveredLabel { .. } => match defect.site {
            Site::Edge(at) => match &file.edges[at] {
                EdgeFile::Choice { choose, .. } => vec![(choose.span.clone(), "this choice".to_owned())],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        DefectKind::DuplicateArm { label, .. } => match file.edges.get(edge_index(defect.site)) {
            Some(EdgeFile::Choice { arms, .. }) => {
                let arm = arms.0.iter().find(|(arm, _)| arm.value == *label);
                arm.map_or_else(Vec::new, |(label, _)| first(&label.span))
            }
            _ => Vec::new(),
        },
        DefectKind::DuplicateEdge { to: target, .. } => {
            let same = file.edges.iter().find_map(|edge| match edge {
                EdgeFile::Static { from, to, span } if to.value == *target => {
                    (sorted_sources(from) == sorted_sources_at(file, edge_index(defect.site))).then_some(span)
                }
                _ => None,
            });
            same.map_or_else(Vec::new, first)
        }
        _ => Vec::new(),
    }
}

/// Returns the index of the edge to which the site of a defect belongs; `usize::MAX` for a site outside the
/// edges.
fn edge_index(site: Site) -> usize {
    match site {
        Site::Edge(edge) | Site::To(edge) | Site::From { edge, .. } | Site::Arm { edge, .. } => edge,
        Site::Graph | Site::Node(_) | Site::Goto { .. } => usize::MAX,
    }
}

fn sorted_sources_at(file: &GraphFile, edge: usize) -> Vec<&str> {
    match file.edges.get(edge) {
        Some(EdgeFile::Static { from, .. }) => sorted_sources(from),
        _ => Vec::new(),
    }
}

fn sorted_sources(from: &Sources) -> Vec<&str> {
    let mut names: Vec<&str> = from.all().iter().map(|name| name.value.as_str()).collect();
    names.sort_unstable();
    names
}
