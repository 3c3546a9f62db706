//! A compiled graph as data: what the drawings show, what `--json` prints, what the digest is taken of. No functions, no types.

use serde::Serialize;

use super::draft::{Draft, DraftEdge};
use super::id::Digest;

/// The label of the edge that is taken when a fan-out has no items.
const EMPTY: &str = "none";

/// The shape of a compiled graph. Nodes are sorted by name, edges by source, then by order of declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The graph's name.
    pub name: String,
    /// What it is for, in a line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The nodes, without `START` and `END`.
    pub nodes: Vec<TopologyNode>,
    /// The edges. A join has one per source.
    pub edges: Vec<TopologyEdge>,
}

/// A node of a [`Topology`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopologyNode {
    /// Its name.
    pub name: String,
    /// What it does, in a line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The graph that runs inside it, when it is a sub-graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<Box<Topology>>,
}

/// An edge of a [`Topology`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopologyEdge {
    /// The source; may be `START`.
    pub from: String,
    /// The target; may be `END`.
    pub to: String,
    /// Its kind.
    #[serde(flatten)]
    pub kind: EdgeKind,
}

/// The kinds of [`TopologyEdge`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EdgeKind {
    /// Always taken.
    Static,
    /// The target waits for all edges with the same number.
    Join {
        /// The number of the join in the graph.
        join: usize,
    },
    /// Taken when the choice has this label.
    Branch {
        /// The label.
        label: String,
    },
    /// Taken when the node says so.
    Goto,
    /// Taken once for each item that the source hands out.
    Dispatch,
}

impl Topology {
    /// The shape of a draft that has no defects.
    pub fn of(draft: &Draft) -> Self {
        let mut nodes: Vec<TopologyNode> = draft
            .nodes
            .iter()
            .map(|node| TopologyNode { name: node.name.clone(), about: node.about.clone(), inner: None })
            .collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut edges = edges(draft);
        let rank = |name: &str| nodes.iter().position(|node| node.name == name).map_or(0, |at| at + 1);
        edges.sort_by_key(|edge| rank(&edge.from));
        Self { name: draft.name.clone(), about: draft.about.clone(), nodes, edges }
    }

    /// Returns the number of graphs that are inside each other, without this one.
    pub(crate) fn depth(&self) -> usize {
        self.nodes.iter().filter_map(|node| Some(node.inner.as_ref()?.depth() + 1)).max().unwrap_or(0)
    }

    /// Says what runs inside a node.
    pub(crate) fn set_inner(&mut self, name: &str, inner: Option<Box<Self>>) {
        if let Ok(at) = self.nodes.binary_search_by(|node| node.name.as_str().cmp(name)) {
            self.nodes[at].inner = inner;
        }
    }

    /// Equal for graphs of the same shape, inside their sub-graphs too. What is only said about nodes does not count.
    pub fn digest(&self) -> Digest {
        Digest::of(&serde_json::to_string(&self.silent()).expect("a topology is strings and numbers"))
    }

    /// The same without what is only said.
    fn silent(&self) -> Self {
        let node = |node: &TopologyNode| TopologyNode {
            name: node.name.clone(),
            about: String::new(),
            inner: node.inner.as_ref().map(|inner| Box::new(inner.silent())),
        };
        Self { about: String::new(), nodes: self.nodes.iter().map(node).collect(), ..self.clone() }
    }
}

fn edges(draft: &Draft) -> Vec<TopologyEdge> {
    let mut all = Vec::new();
    for (at, edge) in draft.edges.iter().enumerate() {
        let mut push = |from: &String, to: &String, kind| {
            all.push(TopologyEdge { from: from.clone(), to: to.clone(), kind });
        };
        match edge {
            DraftEdge::Static { from, to } => push(from, to, EdgeKind::Static),
            DraftEdge::Join { from, to } => {
                from.iter().for_each(|source| push(source, to, EdgeKind::Join { join: at }));
            }
            DraftEdge::FanOut { from, to, empty } => {
                push(from, to, EdgeKind::Dispatch);
                let label = EMPTY.to_owned();
                empty.iter().for_each(|to| push(from, to, EdgeKind::Branch { label: label.clone() }));
            }
            DraftEdge::Branch { from, arms, .. } => {
                arms.iter().for_each(|(label, to)| push(from, to, EdgeKind::Branch { label: label.clone() }));
            }
        }
    }
    for node in &draft.nodes {
        let edge = |to: &String, kind| TopologyEdge { from: node.name.clone(), to: to.clone(), kind };
        all.extend(node.goto.iter().chain(&node.instead).map(|to| edge(to, EdgeKind::Goto)));
        all.extend(node.dispatch.iter().map(|to| edge(to, EdgeKind::Dispatch)));
    }
    all
}
