//! The sub-graph that a node of a file runs, as drawings, digests and the inspection of threads see it. Runs
//! nothing; see `subgraph.rs`.

use std::sync::Arc;

use super::includes::IncludedGraph;
use super::node::FileContext;
use super::work::IN_HANDLER;
use stategraph_core::{InnerGraph, InnerPlace, InnerSnapshot, Persistence, Record, RunError, Topology};
use stategraph_files::kind::{Kind, SubgraphKeep, SubgraphKind};

/// The sub-graph of a node, and the lifetime of its log.
pub(super) struct NodeSubgraph {
    graph: Arc<IncludedGraph>,
    persistence: Persistence,
}

/// Converts the key `keep` of a `subgraph` node to the lifetime of the sub-graph's log: per call, per thread,
/// or none.
pub(super) fn persistence(kind: &SubgraphKind) -> Persistence {
    match kind.keep.unwrap_or_default() {
        SubgraphKeep::Call => Persistence::PerCall,
        SubgraphKeep::Thread => Persistence::PerThread,
        SubgraphKeep::Nothing => Persistence::Off,
    }
}

impl NodeSubgraph {
    /// Returns the sub-graph that a node of this kind runs, directly or for each item of a `map`; `None` for
    /// other kinds.
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

    /// Returns nothing: the file of the outer graph names the nodes that the sub-graph may go to, under
    /// `goto`.
    fn parent_targets(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns true if a journal key belongs to the node itself, not to its error handler, which may run
    /// another graph.
    fn owns(&self, key: &str) -> bool {
        !key.starts_with(IN_HANDLER)
    }

    fn look(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        self.graph.graph.look_inside(log, at)
    }
}
