//! The graph that a node of a file runs, for drawings, digests and inspection of threads. Runs nothing; see
//! `subgraph.rs`.

use std::sync::Arc;

use super::includes::IncludedGraph;
use super::node::FileContext;
use super::work::IN_HANDLER;
use stategraph_core::{InnerGraph, InnerPlace, InnerSnapshot, Persistence, Record, RunError, Topology};
use stategraph_files::kind::{Kind, SubgraphKeep, SubgraphKind};

/// The sub-graph of a node.
pub(super) struct NodeSubgraph {
    graph: Arc<IncludedGraph>,
    persistence: Persistence,
}

/// Returns the lifetime of the log of a sub-graph.
pub(super) fn persistence(kind: &SubgraphKind) -> Persistence {
    match kind.keep.unwrap_or_default() {
        SubgraphKeep::Call => Persistence::PerCall,
        SubgraphKeep::Thread => Persistence::PerThread,
        SubgraphKeep::Nothing => Persistence::Off,
    }
}

impl NodeSubgraph {
    /// Returns the sub-graph of a node of this kind; `None` if it runs no graph.
    pub(super) fn of(kind: &Kind, file: &FileContext) -> Option<Self> {
        let included = match kind {
            Kind::Subgraph(kind) => kind,
            Kind::Map(map) => match &map.body {
                Kind::Subgraph(kind) => kind,
                _ => return None,
            },
            _ => return None,
        };
        let graph = file.children.get(&included.file)?.clone();
        Some(Self { graph, persistence: persistence(included) })
    }
}

impl InnerGraph for NodeSubgraph {
    fn topology(&self) -> &Topology {
        self.graph.graph.topology()
    }

    fn persistence(&self) -> Persistence {
        self.persistence
    }

    /// Empty, because the file of the outer graph names these nodes itself, under `goto` of the `subgraph`.
    fn parent_targets(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true for journal keys of the node itself. Its error handler may run another graph.
    fn owns(&self, key: &str) -> bool {
        !key.starts_with(IN_HANDLER)
    }

    fn look(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        self.graph.graph.look_inside(log, at)
    }
}
