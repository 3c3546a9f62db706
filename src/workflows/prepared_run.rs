//! Runs that a workflow prepared, before the command line starts them.

use serde_json::Value;

use crate::engine::{Durability, SharedHost, ThreadId};

/// Run that is ready to start. [`Workflow::prepare`](super::Workflow::prepare) makes it, and the command line runs it.
pub struct PreparedRun {
    /// Compiled graph.
    pub host: SharedHost,
    /// The state to start from, as JSON.
    pub state: Value,
    /// Thread of the run; equal inputs have the same thread.
    pub thread: ThreadId,
    /// The start of the run.
    pub begin: RunStart,
    /// Messages to the user before the run, one line each.
    pub notes: Vec<String>,
    /// Durability of checkpoints unless the user sets one; lower than the default if nothing that may be lost
    /// costs money.
    pub durability: Durability,
}

/// Run that is ready to continue a thread with new inputs.
pub struct ContinuedRun {
    /// The graph.
    pub host: SharedHost,
    /// Inputs as an update of the thread's state, as JSON.
    pub update: Value,
}

/// Starting point of a prepared run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStart {
    /// From `state`. A thread that exists begins anew.
    Anew,
    /// From the newest checkpoint of the thread; from the state if the store has no such thread.
    WhereItStands,
    /// From the newest checkpoint of the thread with the update of [`Workflow::prepare_continuation`](super::Workflow::prepare_continuation); from the state if the store has no
    /// such thread.
    WithContinuation,
}

impl PreparedRun {
    /// Makes a run that begins from `state`, without notes and with the default durability.
    pub fn anew(host: SharedHost, state: Value, thread: ThreadId) -> Self {
        Self {
            host,
            state,
            thread,
            begin: RunStart::Anew,
            notes: Vec::new(),
            durability: Durability::default(),
        }
    }
}

/// Change of a stored state that is written before its thread is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReopenedState {
    /// The update.
    pub update: Value,
    /// Node that counts as the author of the update: its successors run next. With `None` the planned nodes
    /// stay planned.
    pub as_node: Option<&'static str>,
}
