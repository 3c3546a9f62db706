//! The interface of a node that is itself a graph, and the types in which it describes itself. Runs nothing; see `inner_run.rs`.

use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::Record;
use super::error::RunError;
use super::id::{Namespace, Seq, TaskId, ThreadId};
use super::topology::Topology;

/// A node that is itself a graph, with its types erased.
pub trait InnerGraph: Send + Sync {
    /// Returns the shape of the graph.
    fn topology(&self) -> &Topology;

    /// Returns the lifetime of the log that the graph has in the thread around it.
    fn persistence(&self) -> Persistence;

    /// Returns the nodes of the outer graph that nodes of this graph may run next with `goto_parent`, sorted.
    fn parent_targets(&self) -> Vec<String>;

    /// Returns true when this graph wrote the log under `key` of its task. The log of a node that is a
    /// sub-graph has an empty key.
    fn owns(&self, key: &str) -> bool {
        key.is_empty()
    }

    /// Returns the state and the next nodes of the graph, read from its log; `None` when the log has no
    /// checkpoint. `at` is the place of the log.
    fn look(&self, log: &[Record], at: InnerPlace<'_>) -> Result<Option<InnerSnapshot>, RunError>;
}

/// The place of the log of a graph inside a task: thread, namespace of the outer graph, task, node and key.
/// The engine makes it for [`InnerGraph::look`].
#[derive(Clone, Copy)]
pub struct InnerPlace<'a> {
    pub(crate) thread: &'a ThreadId,
    pub(crate) namespace: &'a Namespace,
    pub(crate) task: TaskId,
    pub(crate) node: &'a str,
    pub(crate) key: &'a str,
}

/// The lifetime of a sub-graph's log (LangGraph F60).
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let inner = counter().compile()?;
/// let visits = Subgraph::mapped(&inner, |_: &Count| Count { n: 2 }, |inner: &Count| Count::update().n(inner.n));
/// let outer = StateGraph::<Count>::new("outer").node("visits", visits.persistence(Persistence::Off));
/// let outer = outer.sequence([START, "visits", END]).compile()?;
/// assert_eq!(outer.run(Count::default()).await?.state.n, 3);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Persistence {
    /// One task: a resume continues inside, another call starts anew.
    #[default]
    PerCall,
    /// One task, and another call on the thread starts with the state that the last one ended with.
    PerThread,
    /// No log: a resume starts the graph anew, and it cannot ask questions.
    Off,
}

/// The state of a graph inside a task, read from its log, for users that look into a thread.
#[derive(Debug, Clone, Serialize)]
pub struct InnerSnapshot {
    /// The place among nested graphs: `node:task` of each level, the outermost first.
    pub namespace: Namespace,
    /// The task that runs it.
    pub task: TaskId,
    /// The node of that task.
    pub node: String,
    /// Distinguishes several graphs inside one task; empty for a node that is a sub-graph.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Its newest checkpoint, counted in its own log from 1.
    pub checkpoint: Seq,
    /// The superstep: 0 for its input.
    pub step: u64,
    /// Its state; `None` for a graph that a node's own code runs, because its type is unknown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<RawValue>>,
    /// The nodes that run next.
    pub next: Vec<String>,
    /// The graphs inside its tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<InnerSnapshot>,
}
