//! Finds what is wrong with a graph whose file could be read, by the engine's rules, and says where in the file it stands.
//! Has no rules of its own but one: so many unknown names that the file cannot be meant are not all looked up.

use std::collections::BTreeSet;

use crate::engine::{
    Defect, DefectKind, Draft, DraftEdge, DraftNode, END, NodePolicy, RetryPolicy, START, Site, check,
    nearest,
};

use super::diagnostic::Diagnostic;
use super::format::{EdgeFile, GraphFile, NodeFile, Sources};
use super::read::Holes;
use super::source::{Source, Span};
use super::wait::Wait;

/// From so many names of nodes that do not exist, nothing else is checked: the search for what was meant takes time.
const UNKNOWN_MAX: usize = 50;

/// The graph as names. `labels` gives the labels of a choice; where it knows none, those of the arms are taken.
pub(crate) fn draft(file: &GraphFile, labels: &dyn Fn(&str) -> Option<Vec<String>>) -> Draft {
    let strings = |names: &[super::spot::Spot<String>]| names.iter().map(|name| name.value.clone()).collect();
    let nodes = file.nodes.0.iter().map(|(name, node)| DraftNode {
        name: name.value.clone(),
        about: node.about.as_ref().map(|about| about.value.clone()).unwrap_or_default(),
        goto: node.goto.as_deref().map(strings).unwrap_or_default(),
    });
    let edges = file.edges.iter().map(|edge| match edge {
        EdgeFile::Follows { from: Sources::One(from), to, .. } => {
            DraftEdge::Static { from: from.value.clone(), to: to.value.clone() }
        }
        EdgeFile::Follows { from: Sources::All(from), to, .. } => {
            DraftEdge::Join { from: strings(from), to: to.value.clone() }
        }
        EdgeFile::Chooses { from, choose, arms, .. } => {
            let arms: Vec<_> =
                arms.0.iter().map(|(label, to)| (label.value.clone(), to.value.clone())).collect();
            let written = || arms.iter().map(|(label, _)| label.clone()).collect();
            DraftEdge::Branch {
                from: from.value.clone(),
                labels: labels(&choose.value).unwrap_or_else(written),
                arms,
            }
        }
    });
    Draft {
        name: file.name.value.clone(),
        about: file.about.as_ref().map(|about| about.value.clone()).unwrap_or_default(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

/// How a node is run.
pub(crate) fn policy(node: &NodeFile) -> NodePolicy {
    let timeout = node.timeout.as_ref().map(|timeout| timeout.value.0);
    NodePolicy { retry: retry(node), timeout }
}

fn retry(node: &NodeFile) -> RetryPolicy {
    let Some(file) = &node.retry else { return RetryPolicy::default() };
    let mut retry = RetryPolicy::attempts(file.attempts.value);
    let set = |field: &mut _, wait: &Option<super::spot::Spot<Wait>>| {
        if let Some(wait) = wait {
            *field = wait.value.0;
        }
    };
    set(&mut retry.first_wait, &file.first_wait);
    set(&mut retry.longest_wait, &file.longest_wait);
    if let Some(factor) = &file.factor {
        retry.factor = factor.value;
    }
    retry
}

/// Every defect of the graph, with its place. With holes in it, only what does not depend on the whole is reported.
pub(crate) fn defects(source: &Source, file: &GraphFile, draft: &Draft, holes: Holes) -> Vec<Diagnostic> {
    let found = unknown_names(draft).unwrap_or_else(|| check(draft));
    let found = found.into_iter().filter(|defect| holes == Holes::None || !needs_the_whole(&defect.kind));
    let placed = found.map(|defect| placed(source, file, &defect));
    placed.chain(policies(source, file)).collect()
}

fn needs_the_whole(kind: &DefectKind) -> bool {
    use DefectKind as Kind;
    matches!(
        kind,
        Kind::EmptyName
            | Kind::NoEntry
            | Kind::Unreachable { .. }
            | Kind::DeadEnd { .. }
            | Kind::EndlessCycle { .. }
    )
}

/// The first unknown names, when there are more of them than are worth a look.
fn unknown_names(draft: &Draft) -> Option<Vec<Defect>> {
    let known: BTreeSet<&str> =
        draft.nodes.iter().map(|node| node.name.as_str()).chain([START, END]).collect();
    let edges = draft.edges.iter().enumerate().flat_map(|(at, edge)| {
        let from = edge.sources().iter().enumerate();
        let from = from.map(move |(source, name)| (Site::From { edge: at, source }, name.as_str()));
        from.chain(edge.targets(at))
    });
    let gotos = draft.nodes.iter().enumerate().flat_map(|(node, described)| {
        let names = described.goto.iter().enumerate();
        names.map(move |(target, name)| (Site::Goto { node, target }, name.as_str()))
    });
    let mut unknown = edges.chain(gotos).filter(|(_, name)| !known.contains(name)).peekable();
    let first: Vec<_> = unknown.by_ref().take(UNKNOWN_MAX).collect();
    unknown.peek()?;
    let defect = |(site, name): (Site, &str)| {
        let nearest = nearest(name, known.iter().copied().filter(|known| *known != START));
        Defect { kind: DefectKind::UnknownNode { name: name.to_owned(), nearest }, site }
    };
    Some(first.into_iter().map(defect).collect())
}

/// Policies are checked part by part, to point at the part.
fn policies(source: &Source, file: &GraphFile) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (name, node) in &file.nodes.0 {
        let whole = policy(node);
        let retry = NodePolicy { timeout: None, ..whole.clone() };
        let timeout = NodePolicy { timeout: whole.timeout, ..NodePolicy::default() };
        let retry_span = node.retry.as_ref().map(|retry| match &retry.factor {
            Some(factor) if retry.attempts.value > 0 => factor.span.clone(),
            _ => retry.attempts.span.clone(),
        });
        let timeout_span = node.timeout.as_ref().map(|timeout| timeout.span.clone());
        for (policy, span) in [(retry, retry_span), (timeout, timeout_span)] {
            let (Some(reason), Some(span)) = (policy.problem(), span) else { continue };
            let kind = DefectKind::BadPolicy { name: name.value.clone(), reason };
            found.push(Diagnostic::new(source, span, kind.to_string()).hint(kind.hint()));
        }
    }
    found
}

fn placed(source: &Source, file: &GraphFile, defect: &Defect) -> Diagnostic {
    let found =
        Diagnostic::new(source, place(file, defect), defect.kind.to_string()).hint(defect.kind.hint());
    related(file, defect).into_iter().fold(found, |found, (span, text)| found.also(source, span, text))
}

/// The bytes that a defect is about.
fn place(file: &GraphFile, defect: &Defect) -> Span {
    let label = matches!(defect.kind, DefectKind::UnknownLabel { .. } | DefectKind::DuplicateArm { .. });
    match defect.site {
        Site::Graph if defect.kind == DefectKind::NoEntry => file.edges_key.clone(),
        Site::Graph => file.name.span.clone(),
        Site::Node(at) => file.nodes.0[at].0.span.clone(),
        Site::Goto { node, target } => {
            let goto =
                file.nodes.0[node].1.goto.as_ref().expect("the draft's goto targets come from the file");
            goto[target].span.clone()
        }
        Site::Edge(at) => match &file.edges[at] {
            EdgeFile::Chooses { arms_key, .. }
                if matches!(defect.kind, DefectKind::UncoveredLabel { .. }) =>
            {
                arms_key.clone()
            }
            EdgeFile::Chooses { from, .. } => from.span.clone(),
            EdgeFile::Follows { from, .. } if matches!(defect.kind, DefectKind::GotoAndEdge { .. }) => {
                from.all()[0].span.clone()
            }
            EdgeFile::Follows { span, .. } => span.clone(),
        },
        Site::From { edge, source } => match &file.edges[edge] {
            EdgeFile::Follows { from, .. } => from.all()[source].span.clone(),
            EdgeFile::Chooses { from, .. } => from.span.clone(),
        },
        Site::To(at) => match &file.edges[at] {
            EdgeFile::Follows { to, .. } => to.span.clone(),
            EdgeFile::Chooses { from, .. } => from.span.clone(),
        },
        Site::Arm { edge, arm } => match &file.edges[edge] {
            EdgeFile::Chooses { arms, .. } if label => arms.0[arm].0.span.clone(),
            EdgeFile::Chooses { arms, .. } => arms.0[arm].1.span.clone(),
            EdgeFile::Follows { span, .. } => span.clone(),
        },
    }
}

/// Other places that belong to a defect, with what is said there.
fn related(file: &GraphFile, defect: &Defect) -> Vec<(Span, String)> {
    let node = |name: &str| file.nodes.0.iter().find(|(node, _)| node.value == name);
    let first = |span: &Span| vec![(span.clone(), "first here".to_owned())];
    match &defect.kind {
        DefectKind::DuplicateNode { name } => node(name).map_or_else(Vec::new, |(name, _)| first(&name.span)),
        DefectKind::GotoAndEdge { name } => {
            let goto = node(name).and_then(|(_, node)| node.goto.as_ref()?.first());
            goto.map(|target| (target.span.clone(), "it uses goto here".to_owned())).into_iter().collect()
        }
        DefectKind::UncoveredLabel { .. } => match defect.site {
            Site::Edge(at) => match &file.edges[at] {
                EdgeFile::Chooses { choose, .. } => vec![(choose.span.clone(), "this choice".to_owned())],
                EdgeFile::Follows { .. } => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}
