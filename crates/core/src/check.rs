//! Finds all defects of a draft. Pure; `defect.rs` has the kinds of defects.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};

use super::nearest;

use super::defect::{Defect, DefectKind as Kind};
use super::draft::{Draft, DraftEdge, DraftNode, END, START, Site};
use super::exclusive::{DeadJoin, dead_joins};

/// Returns all defects of the draft, sorted by their [`Site`]; empty for a correct graph.
pub fn check(draft: &Draft) -> Vec<Defect> {
    let mut found = Vec::new();
    check_names(draft, &mut found);
    check_ends(draft, &mut found);
    check_repeated_edges(draft, &mut found);
    check_labels(draft, &mut found);
    check_goto_and_edges(draft, &mut found);
    check_items(draft, &mut found);
    // Skipped when names are unknown or repeated, because the edges then do not show the shape that was meant.
    if !found.iter().any(|d| matches!(d.kind, Kind::UnknownNode { .. } | Kind::DuplicateNode { .. })) {
        check_shape(draft, &mut found);
        check_joins(draft, &mut found);
    }
    found.sort_by_key(|defect| defect.site);
    found
}

fn check_names(draft: &Draft, found: &mut Vec<Defect>) {
    if draft.name.trim().is_empty() {
        found.push(Defect { kind: Kind::EmptyName, site: Site::Graph });
    }
    let mut seen = BTreeSet::new();
    for (at, node) in draft.nodes.iter().enumerate() {
        let mut push = |kind| found.push(Defect { kind, site: Site::Node(at) });
        match name_problem(&node.name) {
            _ if node.name.trim().is_empty() => push(Kind::EmptyName),
            Some(reason) => push(Kind::BadName { name: node.name.clone(), reason }),
            None => {}
        }
        if !seen.insert(&node.name) {
            push(Kind::DuplicateNode { name: node.name.clone() });
        }
    }
}

fn name_problem(name: &str) -> Option<&'static str> {
    match name {
        START | END => Some("it is reserved"),
        _ if name.contains(['|', ':', '@']) => Some("`|`, `:` and `@` are used in namespaces and ids"),
        _ if name.chars().any(char::is_control) => Some("it contains a control character"),
        _ => None,
    }
}

fn check_ends(draft: &Draft, found: &mut Vec<Defect>) {
    let known: BTreeSet<&str> = draft.nodes.iter().map(|node| node.name.as_str()).collect();
    let unknown = |name: &str| Kind::UnknownNode {
        name: name.to_owned(),
        nearest: nearest(name, known.iter().copied().chain([END])),
    };
    for (at, node) in draft.nodes.iter().enumerate() {
        for (target, name) in node.goto.iter().enumerate() {
            let site = Site::Goto { node: at, target };
            found.extend(target_problem(name, &known, &unknown).map(|kind| Defect { kind, site }));
        }
        for name in &node.instead {
            found.extend(
                target_problem(name, &known, &unknown).map(|kind| Defect { kind, site: Site::Node(at) }),
            );
        }
        for name in node.dispatch.iter().filter(|name| !known.contains(name.as_str())) {
            found.push(Defect { kind: unknown(name), site: Site::Node(at) });
        }
    }
    for (at, edge) in draft.edges.iter().enumerate() {
        for (source, name) in edge.sources().iter().enumerate() {
            let kind = match name.as_str() {
                END => Some(Kind::FromEnd),
                START => None,
                name => (!known.contains(name)).then(|| unknown(name)),
            };
            found.extend(kind.map(|kind| Defect { kind, site: Site::From { edge: at, source } }));
        }
        for (site, name) in edge.targets(at) {
            let kind = match (edge, site) {
                // An error for `END` too, because a fan-out needs a node that takes its items.
                (DraftEdge::FanOut { .. }, Site::To(_)) if name == END => Some(unknown(name)),
                _ => target_problem(name, &known, &unknown),
            };
            found.extend(kind.map(|kind| Defect { kind, site }));
        }
        if let DraftEdge::Join { from, .. } = edge {
            let different: BTreeSet<_> = from.iter().collect();
            if different.len() < 2 || different.len() < from.len() || from.iter().any(|name| name == START) {
                found.push(Defect { kind: Kind::BadJoin, site: Site::Edge(at) });
            }
        }
    }
}

fn target_problem(name: &str, known: &BTreeSet<&str>, unknown: &dyn Fn(&str) -> Kind) -> Option<Kind> {
    match name {
        START => Some(Kind::ToStart),
        END => None,
        name => (!known.contains(name)).then(|| unknown(name)),
    }
}

fn check_repeated_edges(draft: &Draft, found: &mut Vec<Defect>) {
    let mut seen = BTreeSet::new();
    for (at, edge) in draft.edges.iter().enumerate() {
        let (DraftEdge::Static { to, .. } | DraftEdge::Join { to, .. }) = edge else { continue };
        let mut sources = edge.sources().to_vec();
        sources.sort();
        if !seen.insert((sources.clone(), to)) {
            let kind = Kind::DuplicateEdge { from: sources.join(", "), to: to.clone() };
            found.push(Defect { kind, site: Site::Edge(at) });
        }
    }
}

fn check_labels(draft: &Draft, found: &mut Vec<Defect>) {
    for (at, edge) in draft.edges.iter().enumerate() {
        let DraftEdge::Branch { from, labels, arms } = edge else { continue };
        let mut covered = BTreeSet::new();
        for (arm, (label, _)) in arms.iter().enumerate() {
            let site = Site::Arm { edge: at, arm };
            let (from, label) = (from.clone(), label.clone());
            if !labels.contains(&label) {
                let nearest = nearest(&label, labels.iter().map(String::as_str));
                found.push(Defect { kind: Kind::UnknownLabel { from, label, nearest }, site });
            } else if !covered.insert(label.clone()) {
                found.push(Defect { kind: Kind::DuplicateArm { from, label }, site });
            }
        }
        for label in labels.iter().filter(|label| !covered.contains(*label)) {
            let kind = Kind::UncoveredLabel { from: from.clone(), label: label.clone() };
            found.push(Defect { kind, site: Site::Edge(at) });
        }
    }
}

fn check_goto_and_edges(draft: &Draft, found: &mut Vec<Defect>) {
    let goes: BTreeMap<&str, &DraftNode> = draft
        .nodes
        .iter()
        .filter(|node| !(node.goto.is_empty() && node.dispatch.is_empty()))
        .map(|node| (node.name.as_str(), node))
        .collect();
    for (at, edge) in draft.edges.iter().enumerate() {
        for node in edge.sources().iter().filter_map(|name| goes.get(name.as_str())) {
            let name = node.name.clone();
            let kind = if node.goto.is_empty() {
                Kind::DispatchAndEdge { name }
            } else {
                Kind::GotoAndEdge { name }
            };
            found.push(Defect { kind, site: Site::Edge(at) });
        }
    }
}

/// Adds a defect for each dispatch or fan-out to a node that takes no items, and for each edge, arm or `goto`
/// without an item to a node that takes some.
fn check_items(draft: &Draft, found: &mut Vec<Defect>) {
    let known: BTreeSet<&str> = draft.nodes.iter().map(|node| node.name.as_str()).collect();
    let takes = draft.nodes.iter().filter(|node| node.takes.is_some());
    let takes: BTreeSet<&str> = takes.map(|node| node.name.as_str()).collect();
    let needs = |name: &str, site| {
        let kind = Kind::NeedsItem { name: name.to_owned() };
        takes.contains(name).then_some(Defect { kind, site })
    };
    let refuses = |name: &str, site| {
        let kind = Kind::TakesNoItems { name: name.to_owned() };
        (known.contains(name) && !takes.contains(name)).then_some(Defect { kind, site })
    };
    for (at, node) in draft.nodes.iter().enumerate() {
        let gotos = node.goto.iter().enumerate();
        found.extend(gotos.filter_map(|(target, name)| needs(name, Site::Goto { node: at, target })));
        found.extend(node.instead.iter().filter_map(|name| needs(name, Site::Node(at))));
        found.extend(node.dispatch.iter().filter_map(|name| refuses(name, Site::Node(at))));
    }
    for (at, edge) in draft.edges.iter().enumerate() {
        let sent = |site: Site| matches!((edge, site), (DraftEdge::FanOut { .. }, Site::To(_)));
        found.extend(
            edge.targets(at)
                .into_iter()
                .filter_map(|(site, name)| if sent(site) { refuses(name, site) } else { needs(name, site) }),
        );
    }
}

/// Adds a defect for a graph without an edge from `START`, for each node that no path from `START` reaches,
/// for each node that nothing follows, and for each cycle that no edge leaves.
fn check_shape(draft: &Draft, found: &mut Vec<Defect>) {
    let (graph, index) = to_digraph(draft);
    let (start, end) = (index[START], index[END]);
    if graph.neighbors(start).next().is_none() {
        return found.push(Defect { kind: Kind::NoEntry, site: Site::Graph });
    }
    let from_start = reachable_from(&graph, start);
    let to_end = reachable_from(Reversed(&graph), end);
    for (at, node) in draft.nodes.iter().enumerate() {
        let Some(here) = index.get(node.name.as_str()) else { continue };
        let name = node.name.clone();
        if graph.neighbors(*here).next().is_none() {
            found.push(Defect { kind: Kind::DeadEnd { name: name.clone() }, site: Site::Node(at) });
        }
        if !from_start.contains(here) {
            found.push(Defect { kind: Kind::Unreachable { name }, site: Site::Node(at) });
        }
    }
    for cycle in tarjan_scc(&graph) {
        let closes = cycle.len() > 1 || graph.contains_edge(cycle[0], cycle[0]);
        let leaves = cycle.iter().any(|n| graph.neighbors(*n).any(|next| !cycle.contains(&next)));
        if closes && !leaves && !cycle.iter().any(|n| to_end.contains(n)) {
            found.push(endless_cycle(draft, &graph, &cycle));
        }
    }
}

/// Adds a defect for each join that can never run, because two of its sources follow different arms of one
/// branch.
fn check_joins(draft: &Draft, found: &mut Vec<Defect>) {
    for DeadJoin { edge, sources: (first, second), branch } in dead_joins(draft) {
        let kind = Kind::DeadJoin { first, second, branch };
        found.push(Defect { kind, site: Site::Edge(edge) });
    }
}

fn endless_cycle(draft: &Draft, graph: &DiGraph<&str, ()>, cycle: &[NodeIndex]) -> Defect {
    let mut nodes: Vec<String> = cycle.iter().map(|n| graph[*n].to_owned()).collect();
    nodes.sort();
    let first = draft.nodes.iter().position(|node| nodes.contains(&node.name));
    Defect { kind: Kind::EndlessCycle { nodes }, site: first.map_or(Site::Graph, Site::Node) }
}

fn to_digraph(draft: &Draft) -> (DiGraph<&str, ()>, BTreeMap<&str, NodeIndex>) {
    let mut graph = DiGraph::new();
    let names = draft.nodes.iter().map(|node| node.name.as_str());
    let index: BTreeMap<&str, NodeIndex> =
        names.chain([START, END]).map(|name| (name, graph.add_node(name))).collect();
    let gotos = draft.nodes.iter().flat_map(|node| {
        let targets = node.goto.iter().chain(&node.dispatch).chain(&node.instead);
        let leaves = (!node.parent.is_empty()).then_some(END);
        targets.map(String::as_str).chain(leaves).map(move |to| (&node.name, to))
    });
    // A fan-out without items ends the path, so it counts as an edge to `END`.
    let ends = draft.edges.iter().filter_map(|edge| match edge {
        DraftEdge::FanOut { from, empty: None, .. } => Some((from, END)),
        _ => None,
    });
    let edges = draft.edges.iter().enumerate().flat_map(|(at, edge)| {
        let targets = edge.targets(at);
        edge.sources().iter().flat_map(move |from| targets.clone().into_iter().map(move |(_, to)| (from, to)))
    });
    for (from, to) in gotos.chain(ends).chain(edges) {
        if let (Some(from), Some(to)) = (index.get(from.as_str()), index.get(to)) {
            graph.update_edge(*from, *to, ());
        }
    }
    (graph, index)
}

fn reachable_from<G>(graph: G, from: NodeIndex) -> BTreeSet<NodeIndex>
where
    G: petgraph::visit::IntoNeighbors<NodeId = NodeIndex> + petgraph::visit::Visitable<NodeId = NodeIndex>,
{
    let mut dfs = Dfs::new(&graph, from);
    std::iter::from_fn(|| dfs.next(&graph)).collect()
}
