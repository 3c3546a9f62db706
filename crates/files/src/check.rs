//! Checks a graph file that could be read with the rules of the engine, and adds the positions in the file. It has
//! one rule of its own: a file with very many unknown names is not checked further.

use std::collections::BTreeSet;

use stategraph_core::{
    Defect, DefectKind, Draft, DraftEdge, DraftNode, END, NodeError, NodePolicy, RetryPolicy, START, Site,
    Timing, check, nearest,
};

use super::diagnostic::Diagnostic;
use super::format::{
    BreakpointNodes, ELSE, EdgeFile, GotoFile, GraphFile, ItemList, NodeFile, PolicyKeys, Sources,
};
use super::kind::Kind;
use super::locate::locate_defect;
use super::located::Located;
use super::read::Completeness;
use super::source::{SourceText, Span};

/// Maximum number of unknown node names before all other checks are skipped. The search for similar names takes time,
/// and such a file is probably not a graph file.
const UNKNOWN_MAX: usize = 10;

/// Default attempts of a node that sends requests, for transient failures only.
const REQUEST_ATTEMPTS: u32 = 3;

/// Returns the names of the nodes to which the key `goto` of a node can lead; empty without `goto`. `of`
/// selects the targets, such as those of the parent graph.
fn route_names(node: &NodeFile, of: fn(&GotoFile) -> Vec<&Located<String>>) -> Vec<String> {
    node.keys.goto.iter().flat_map(of).map(|name| name.value.clone()).collect()
}

/// Returns the nodes that can run after `node` instead of the targets of its edges: the `goto` targets of its
/// error handler and those of its sub-graph.
fn replaced_targets(file: &GraphFile, node: &NodeFile) -> Vec<String> {
    let handler = file.handler_of(node).into_iter().flat_map(|handler| &handler.goto);
    let handler = handler.map(|target| target.value.clone());
    let inner = match &node.action.kind {
        Some(Kind::Subgraph(graph)) => graph.goto.as_slice(),
        _ => &[],
    };
    handler.chain(inner.iter().map(|target| target.value.clone())).collect()
}

/// Builds the graph as names only (nodes and edges without code), which the rules of the engine check.
/// `labels` returns the labels of a registered choice by its name; if it returns `None`, the labels of the
/// arms in the file are used.
pub(crate) fn build_draft(file: &GraphFile, labels: &dyn Fn(&str) -> Option<Vec<String>>) -> Draft {
    let strings =
        |names: &[Located<String>]| -> Vec<String> { names.iter().map(|name| name.value.clone()).collect() };
    let nodes = file.nodes.0.iter().map(|(name, node)| DraftNode {
        name: name.value.clone(),
        about: node.keys.about.as_ref().map(|about| about.value.clone()).unwrap_or_default(),
        goto: route_names(node, GotoFile::targets),
        dispatch: route_names(node, GotoFile::item_targets),
        parent: route_names(node, GotoFile::parent_targets),
        instead: replaced_targets(file, node),
        timing: if node.keys.defer == Some(true) { Timing::Deferred } else { Timing::Next },
        takes: list_of_items(file, &name.value),
    });
    let edges = file.edges.iter().map(|edge| match edge {
        EdgeFile::Static { from: Sources::One(from), to, .. } => {
            DraftEdge::Static { from: from.value.clone(), to: to.value.clone() }
        }
        EdgeFile::Static { from: Sources::All(from), to, .. } => {
            DraftEdge::Join { from: strings(from), to: to.value.clone() }
        }
        EdgeFile::Choice { from, choose, arms, .. } => {
            let arms: Vec<_> =
                arms.0.iter().map(|(label, to)| (label.value.clone(), vec![to.value.clone()])).collect();
            let written = || arms.iter().map(|(label, _)| label.clone()).collect();
            DraftEdge::Branch {
                from: from.value.clone(),
                labels: labels(&choose.value).unwrap_or_else(written),
                arms,
            }
        }
        EdgeFile::FanOut { from, to, empty, .. } => DraftEdge::FanOut {
            from: from.value.clone(),
            to: to.value.clone(),
            empty: empty.as_ref().map(|empty| empty.value.clone()),
        },
        EdgeFile::Conditional { from, cases, otherwise } => {
            let otherwise = (ELSE.to_owned(), otherwise.names());
            let arms = cases.iter().map(|case| (case.when.text().to_owned(), case.to.names()));
            let arms: Vec<_> = arms.chain([otherwise]).collect();
            let labels = arms.iter().map(|(label, _)| label.clone()).collect();
            DraftEdge::Branch { from: from.value.clone(), labels, arms }
        }
        EdgeFile::Condition { .. } | EdgeFile::Else { .. } => {
            unreachable!("they were put together when they were read")
        }
    });
    Draft {
        name: file.name.value.clone(),
        about: file.about.as_ref().map(|about| about.value.clone()).unwrap_or_default(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

/// Returns the list for whose items `node` runs: the name or the expression in the fan-out edge to it, or
/// `items` if a `goto` sends it items. `None` if the node runs without an item.
pub(crate) fn list_of_items(file: &GraphFile, node: &str) -> Option<String> {
    let edge = file.edges.iter().find_map(|edge| match edge {
        EdgeFile::FanOut { each, to, .. } if to.value == node => Some(match each {
            ItemList::Registered(name) => name.value.clone(),
            ItemList::Computed(items) => items.text().to_owned(),
        }),
        _ => None,
    });
    let gotos = || file.nodes.0.iter().filter_map(|(_, sender)| sender.keys.goto.as_ref());
    let is_sent = || gotos().any(|goto| goto.item_targets().iter().any(|target| target.value == node));
    edge.or_else(|| is_sent().then(|| "items".to_owned()))
}

/// Returns the retries and time limits of a node, including those of `defaults`. A `map` gets the limits
/// only, because its items are retried one by one; see [`item_policy`].
pub(crate) fn node_policy(file: &GraphFile, node: &NodeFile) -> NodePolicy {
    let whole = if is_map(node) { NodePolicy::new() } else { retry_policy(file, node) };
    file.policy_of(node).limit(whole)
}

/// Returns the retries of each item of a `map`; one attempt for every other kind of node.
pub(crate) fn item_policy(file: &GraphFile, node: &NodeFile) -> NodePolicy {
    if is_map(node) { retry_policy(file, node) } else { NodePolicy::new() }
}

fn is_map(node: &NodeFile) -> bool {
    matches!(node.action.kind, Some(Kind::Map(_)))
}

/// Returns the declared retries of a node. Without any, kinds that send requests themselves get
/// [`REQUEST_ATTEMPTS`] for transient failures.
fn retry_policy(file: &GraphFile, node: &NodeFile) -> NodePolicy {
    if let Some(retries) = file.policy_of(node).retry {
        return retries.policies().fold(NodePolicy::new(), NodePolicy::retry);
    }
    if node.action.kind.as_ref().is_some_and(Kind::sends_requests) {
        let requests = RetryPolicy::attempts(REQUEST_ATTEMPTS).only_if(NodeError::is_temporary);
        return NodePolicy::new().retry(requests);
    }
    NodePolicy::new()
}

/// Returns every defect of the graph with its position in the file. `draft` is the same graph as names. If
/// the file could be read only in part (`completeness`), defects such as unreachable nodes are left out.
pub(crate) fn find_defects(
    source: &SourceText,
    file: &GraphFile,
    draft: &Draft,
    completeness: Completeness,
) -> Vec<Diagnostic> {
    let found = find_unknown_names(draft).unwrap_or_else(|| check(draft));
    let found = found
        .into_iter()
        .filter(|defect| completeness == Completeness::Complete || !requires_complete_graph(&defect.kind));
    let located = found.map(|defect| locate_defect(source, file, &defect));
    located
        .chain(check_breakpoints(source, file))
        .chain(check_policies(source, file))
        .chain(check_rust_edges(source, file))
        .collect()
}

/// Reports edges with `choose` in a file that declares its channels, because a choice is Rust code for a
/// registered state.
fn check_rust_edges<'a>(
    source: &'a SourceText,
    file: &'a GraphFile,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let edges = file.edges.iter().filter(|_| file.schema().is_some());
    edges.filter_map(move |edge| {
        let (name, key, instead) = match edge {
            EdgeFile::Choice { choose, .. } => (choose, "choose", "write edges with `when` and `else`"),
            _ => return None,
        };
        let message = format!("`{key}` names code of Rust, and that has a registered state");
        Some(Diagnostic::new(source, name.span.clone(), message).hint(instead))
    })
}

fn requires_complete_graph(kind: &DefectKind) -> bool {
    use DefectKind as Kind;
    matches!(
        kind,
        Kind::NoEntry | Kind::Unreachable { .. } | Kind::DeadEnd { .. } | Kind::EndlessCycle { .. }
    )
}

/// Returns a defect for each unknown node name in edges and `goto`, if there are more than [`UNKNOWN_MAX`];
/// otherwise `None`, and the caller makes all checks. Only the first [`UNKNOWN_MAX`] defects suggest a
/// similar name.
fn find_unknown_names(draft: &Draft) -> Option<Vec<Defect>> {
    let known: BTreeSet<&str> =
        draft.nodes.iter().map(|node| node.name.as_str()).chain([START, END]).collect();
    let edges = draft.edges.iter().enumerate().flat_map(|(at, edge)| {
        let from = edge.sources().iter().enumerate();
        let from = from.map(move |(source, name)| (Site::From { edge: at, source }, name.as_str()));
        from.chain(edge.targets(at))
    });
    let gotos = draft.nodes.iter().enumerate().flat_map(|(node, described)| {
        let names = described.goto.iter().enumerate();
        let names = names.map(move |(target, name)| (Site::Goto { node, target }, name.as_str()));
        names.chain(described.instead.iter().map(move |name| (Site::Node(node), name.as_str())))
    });
    let unknown: Vec<_> = edges.chain(gotos).filter(|(_, name)| !known.contains(name)).collect();
    let defect = |(at, (site, name)): (usize, (Site, &str))| {
        let meant = known.iter().copied().filter(|known| at < UNKNOWN_MAX && *known != START);
        Defect::new(DefectKind::UnknownNode { name: name.to_owned(), nearest: nearest(name, meant) }, site)
    };
    (unknown.len() > UNKNOWN_MAX).then(|| unknown.into_iter().enumerate().map(defect).collect())
}

/// Reports names in `interrupt_before` and `interrupt_after` that are not nodes.
fn check_breakpoints(source: &SourceText, file: &GraphFile) -> Vec<Diagnostic> {
    let is_node = |name: &str| file.nodes.0.iter().any(|(node, _)| node.value == name);
    let stops = file.interrupt_before.iter().chain(&file.interrupt_after).flat_map(BreakpointNodes::names);
    let unknown = stops.filter(|name| !is_node(&name.value)).enumerate().map(|(at, name)| {
        let nodes = file.nodes.0.iter().map(|(node, _)| node.value.as_str());
        let meant = nodes.filter(|_| at < UNKNOWN_MAX);
        let kind = DefectKind::UnknownNode { name: name.value.clone(), nearest: nearest(&name.value, meant) };
        Diagnostic::new(source, name.span.clone(), kind.to_string()).hint(kind.hint())
    });
    unknown.collect()
}

/// Reports invalid values in the retries and time limits of the nodes and of `defaults`, each at its own
/// position, and a `retry` of a node that never fails transiently.
fn check_policies(source: &SourceText, file: &GraphFile) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (name, node) in &file.nodes.0 {
        let policy = &node.keys.policy;
        let first = policy.retry.as_ref().and_then(|retries| retries.0.first());
        if let (Some(retry), Some(kind)) = (first, &node.action.kind) {
            // An attempt that timed out can be repeated for every kind.
            let may_end_late =
                matches!(kind, Kind::Sleep(_)) && (policy.timeout.is_some() || policy.idle_timeout.is_some());
            if !kind.can_fail_transiently() && !may_end_late {
                found.push(report_useless_retry(source, &name.value, kind, &retry.attempts.span));
            }
        }
        check_policy(source, &name.value, policy, &mut found);
    }
    if let Some(defaults) = &file.defaults {
        check_policy(source, "defaults", &defaults.policy, &mut found);
    }
    found
}

fn check_policy(source: &SourceText, name: &str, policy: &PolicyKeys, found: &mut Vec<Diagnostic>) {
    let mut check = |policy: NodePolicy, span: &Span, hint: &str| {
        let Some(reason) = policy.problem() else { return };
        let kind = DefectKind::BadPolicy { name: name.to_owned(), reason };
        found.push(Diagnostic::new(source, span.clone(), kind.to_string()).hint(hint));
    };
    for file in policy.retry.iter().flat_map(|retries| &retries.0) {
        let attempts = NodePolicy::new().retry(RetryPolicy::attempts(file.attempts.value));
        check(attempts, &file.attempts.span, "write 1, or more to try again");
        if let Some(Located { value, span }) = &file.factor {
            let factor = RetryPolicy::default().factor(*value);
            check(NodePolicy::new().retry(factor), span, "write 1 for equal waits, 2 to double each");
        }
    }
    if let Some(Located { value, span }) = &policy.timeout {
        check(NodePolicy::new().timeout(value.0), span, "write a longer time, or leave `timeout` out");
    }
    for Located { value, span } in policy.idle_timeout.iter().chain(&policy.heartbeat_timeout) {
        check(NodePolicy::new().idle_timeout(value.0), span, "write a longer time, or leave it out");
    }
}

/// Returns the diagnostic for a `retry` of a node whose kind never fails transiently. `name` is the node.
fn report_useless_retry(source: &SourceText, name: &str, kind: &Kind, span: &Span) -> Diagnostic {
    let what = match kind {
        Kind::Map(map) => format!("`map` of `{}`", map.body.name()),
        kind => format!("`{}`", kind.name()),
    };
    let message =
        format!("`{name}` has a `retry`, and a {what} is never tried again: what fails once, fails again");
    Diagnostic::new(source, span.clone(), message)
        .hint("remove `retry`; kinds that are tried again are `http`, `tool`, `model`, `agent`, `subgraph` and `map` of these")
}
