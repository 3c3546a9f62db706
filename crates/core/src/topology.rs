//! The shape of a compiled graph as data: the input of drawings, `--json` output and digests. It has no functions and no types.

use serde::Serialize;

use super::draft::{Draft, DraftEdge};
use super::id::Digest;

/// The label of the edge that a fan-out without items follows.
const EMPTY: &str = "none";

/// The shape of a compiled graph. Nodes are sorted by name, edges by source, then by order of declaration.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let graph = counter().compile()?;
/// let names: Vec<&str> = graph.topology().nodes.iter().map(|node| &*node.name).collect();
/// assert_eq!(names, ["add"]);
/// assert_eq!(graph.topology().edges.len(), 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The graph's name.
    pub name: String,
    /// The purpose of the graph in one line; empty when not described.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The nodes, without `START` and `END`.
    pub nodes: Vec<TopologyNode>,
    /// The edges. A join has one edge per source.
    pub edges: Vec<TopologyEdge>,
}

/// A node of a [`Topology`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopologyNode {
    /// The name.
    pub name: String,
    /// The purpose of the node in one line; empty when not described.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The graph inside a node that is a sub-graph.
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
    /// The kind of edge.
    #[serde(flatten)]
    pub kind: EdgeKind,
}

/// The kinds of [`TopologyEdge`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EdgeKind {
    /// An edge that is always followed.
    Static,
    /// An edge of a join. The target waits for all edges of the same join.
    Join {
        /// The position of the join among all edges of the draft, from 0: equal for all edges of one join.
        join: usize,
    },
    /// An edge that is followed for one label of a choice.
    Branch {
        /// The label.
        label: String,
    },
    /// An edge that the node may follow by `goto`, or its error handler.
    Goto,
    /// An edge that is followed once per item.
    Dispatch,
}

impl Topology {
    /// Returns the shape of a draft, without the graphs inside its nodes.
    pub fn of(draft: &Draft) -> Self {
        let mut nodes: Vec<TopologyNode> = draft
            .nodes
            .iter()
            .map(|node| TopologyNode { name: node.name.clone(), about: node.about.clone(), inner: None })
            .collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let mut edges = collect_edges(draft);
        let rank = |name: &str| nodes.iter().position(|node| node.name == name).map_or(0, |at| at + 1);
        edges.sort_by_key(|edge| rank(&edge.from));
        Self { name: draft.name.clone(), about: draft.about.clone(), nodes, edges }
    }

    /// Returns the number of levels of nested graphs below this one.
    pub(crate) fn depth(&self) -> usize {
        self.nodes.iter().filter_map(|node| Some(node.inner.as_ref()?.depth() + 1)).max().unwrap_or(0)
    }

    /// Returns the path of every node, also of those in sub-graphs: `outer`, `outer/inner`.
    pub(crate) fn paths(&self) -> Vec<String> {
        let inner = |node: &TopologyNode| node.inner.as_ref().map(|inner| inner.paths()).unwrap_or_default();
        let below = |node: &TopologyNode| {
            inner(node).into_iter().map(|path| format!("{}/{path}", node.name)).collect::<Vec<_>>()
        };
        self.nodes.iter().flat_map(|node| [node.name.clone()].into_iter().chain(below(node))).collect()
    }

    /// Sets the graph inside the node called `name`. Does nothing when there is no such node.
    pub(crate) fn set_inner(&mut self, name: &str, inner: Option<Box<Self>>) {
        if let Ok(at) = self.nodes.binary_search_by(|node| node.name.as_str().cmp(name)) {
            self.nodes[at].inner = inner;
        }
    }

    /// Returns a digest of the shape, including the sub-graphs. Descriptions do not change it.
    pub fn digest(&self) -> Digest {
        Digest::of(
            &serde_json::to_string(&self.without_descriptions()).expect("a topology is strings and numbers"),
        )
    }

    /// Returns the shape without descriptions.
    fn without_descriptions(&self) -> Self {
        let node = |node: &TopologyNode| TopologyNode {
            name: node.name.clone(),
            about: String::new(),
            inner: node.inner.as_ref().map(|inner| Box::new(inner.without_descriptions())),
        };
        Self { about: String::new(), nodes: self.nodes.iter().map(node).collect(), ..self.clone() }
    }
}

fn collect_edges(draft: &Draft) -> Vec<TopologyEdge> {
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
                for (label, targets) in arms {
                    targets.iter().for_each(|to| push(from, to, EdgeKind::Branch { label: label.clone() }));
                }
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
