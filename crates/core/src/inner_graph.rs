//! The interface of a node that is itself a graph, and the types in which it describes itself. Runs nothing; see `inner_run.rs`.

use serde::Serialize;
use serde_json::value::RawValue;

use super::checkpoint::Record;
use super::error::RunError;
use super::id::{Namespace, Seq, TaskId, ThreadId};
use super::topology::Topology;

/// A graph that a node is, with its types erased.
pub trait InnerGraph: Send + Sync {
    /// Its shape.
    fn topology(&self) -> &Topology;

    /// How long its log counts.
    fn persistence(&self) -> Persistence;

    /// Where its nodes may send the graph around it, sorted.
    fn parent_targets(&self) -> Vec<String>;

    /// Whether the log under this key of its task is its own. That of a node that is a sub-graph has none.
    fn owns(&self, key: &str) -> bool {
        key.is_empty()
    }

    /// Where it stands according to its log.
    fn look(&self, log: &[Record], at: Place<'_>) -> Result<Option<InnerSnapshot>, RunError>;
}

/// Whose log it is.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub(crate) thread: &'a ThreadId,
    pub(crate) namespace: &'a Namespace,
    pub(crate) task: TaskId,
    pub(crate) node: &'a str,
    pub(crate) key: &'a str,
}

/// Where the log of a sub-graph is, and how long it counts (LangGraph F60).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Persistence {
    /// Under the task that runs it: a resume goes on inside, another call starts anew.
    #[default]
    PerCall,
    /// The same, and another call on the thread starts with the state that the last one ended with.
    PerThread,
    /// Nowhere: a resume starts it anew, and it cannot ask questions.
    Off,
}

/// Where a graph inside a task stands.
#[derive(Debug, Clone, Serialize)]
pub struct InnerSnapshot {
    /// Where in the nesting: `node:task`, outer ones first.
    pub namespace: Namespace,
    /// The task that runs it.
    pub task: TaskId,
    /// The node of that task.
    pub node: String,
    /// What tells it from others inside the same task; empty for a node that is a sub-graph.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Its newest checkpoint, counted in its own log from 1.
    pub checkpoint: Seq,
    /// The superstep: 0 for its input.
    pub step: u64,
    /// Its state, where its type is known: not of a graph that a node of Rust runs by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Box<RawValue>>,
    /// The nodes that run next.
    pub next: Vec<String>,
    /// The graphs inside its tasks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inner: Vec<InnerSnapshot>,
}
