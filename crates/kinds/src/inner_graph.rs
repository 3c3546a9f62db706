//! The graph that a node of a file runs, for drawings, digests and inspection of threads. Runs nothing; see
//! `subgraph.rs`.

use std::sync::Arc;

use super::includes::IncludedGraph;
use super::node::FileContext;
use super::work::IN_HANDLER;
use stategraph_core::{InnerGraph, InnerSnapshot, Persistence, Place, Record, RunError, Topology};
use stategraph_files::kind::Kind;

/// The sub-graph of a node.
pub(super) struct NodeSubgraph(Arc<IncludedGraph>);

impl NodeSubgraph {
    /// Returns the sub-graph of a node of this kind; `None` if it runs no graph.
    pub(super) fn of(kind: &Kind, file: &FileContext) -> Option<Self> {
        let included = match kind {
            Kind::Subgraph(kind) => &kind.file,
            Kind::Map(map) => match &map.body {
                Kind::Subgraph(kind) => &kind.file,
                _ => return None,
            },
            _ => return None,
        };
        file.children.get(included).cloned().map(Self)
    }
}

impl InnerGraph for NodeSubgraph {
    fn topology(&self) -> &Topology {
        self.0.graph.topology()
    }

    fn persistence(&self) -> Persistence {
        Persistence::PerCall
    }

    /// Empty, because a graph of a file can go only to its own `END`.
    fn parent_targets(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true for journal keys of the node itself. Its error handler may run another graph.
    fn owns(&self, key: &str) -> bool {
        !key.starts_with(IN_HANDLER)
    }

    fn look(&self, log: &[Record], at: Place<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        self.0.graph.look_inside(log, at)
    }
}
