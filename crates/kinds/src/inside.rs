//! The graph that a node of a file runs, for drawings, digests and whoever looks into a thread. Runs nothing; see `subgraph.rs`.

use std::sync::Arc;

use super::family::Child;
use super::node::Parts;
use super::work::IN_HANDLER;
use stategraph_core::{InnerGraph, InnerPlace, InnerSnapshot, Persistence, Record, RunError, Topology};
use stategraph_files::kind::Kind;

/// The graph inside a node.
pub(super) struct Inside(Arc<Child>);

impl Inside {
    /// Of a node of this kind; none when it runs no graph.
    pub(super) fn of(kind: &Kind, parts: &Parts) -> Option<Self> {
        let file = match kind {
            Kind::Subgraph(kind) => &kind.file,
            Kind::Map(map) => match &map.body {
                Kind::Subgraph(kind) => &kind.file,
                _ => return None,
            },
            _ => return None,
        };
        parts.children.get(file).cloned().map(Self)
    }
}

impl InnerGraph for Inside {
    fn topology(&self) -> &Topology {
        self.0.graph.topology()
    }

    fn persistence(&self) -> Persistence {
        Persistence::PerCall
    }

    /// A graph of a file goes nowhere but to its `END`.
    fn parent_targets(&self) -> Vec<String> {
        Vec::new()
    }

    /// The handler of a node may run another graph.
    fn owns(&self, key: &str) -> bool {
        !key.starts_with(IN_HANDLER)
    }

    fn look(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError> {
        self.0.graph.look_inside(log, at)
    }
}
