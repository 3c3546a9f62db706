//! Check that a design can be built: its components exist, and none depend on one another in a circle
//! (ARD-70).

use petgraph::{algo::tarjan_scc, graph::DiGraph};

use super::reviewer::{join_names, links, relies_on_unknown};
use crate::workflows::ard::exchange::{Category, DesignDraft, Review};

/// Returns a challenge for each name that no component has, and for each circle of components; a
/// passing review without them.
pub(super) fn review(draft: &DesignDraft) -> Review {
    let mut found = relies_on_unknown(draft);
    found.extend(circles(draft).iter().map(|circle| {
        format!(
            "{} depend on one another in a circle, so none of them can be built first.",
            join_names(circle)
        )
    }));
    Review::from_challenges(found.into_iter().map(|description| (Category::Consistency, description)))
}

/// Returns the groups of two or more components whose purposes name one another, directly or through
/// others, in the order of the draft.
fn circles(draft: &DesignDraft) -> Vec<Vec<&str>> {
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<_> = (0..draft.components.len()).map(|index| graph.add_node(index)).collect();
    for (from, to) in links(draft) {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let mut circles: Vec<Vec<usize>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|group| group.len() > 1)
        .map(|group| {
            let mut members: Vec<_> = group.into_iter().map(|node| graph[node]).collect();
            members.sort_unstable();
            members
        })
        .collect();
    circles.sort_unstable();
    let names =
        |circle: Vec<usize>| circle.into_iter().map(|index| draft.components[index].name.as_str()).collect();
    circles.into_iter().map(names).collect()
}
