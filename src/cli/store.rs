//! From an id that a user typed to the thread it means and the workflow that wrote it.

use super::declared::of_thread;
use super::failure::Failure;
use super::session::Session;
use crate::engine::{
    Checkpoint, CheckpointId, CheckpointStore, HistoryQuery, RunError, Seq, SharedHost, Snapshot, ThreadId,
};
use crate::store::resolve;
use crate::workflows::{Declared, Setting, Workflow};
use serde_json::value::RawValue;
use std::sync::Arc;

/// A thread of a store, or one of its checkpoints.
pub(super) struct Found<'a> {
    pub(super) thread: ThreadId,
    /// The checkpoint; the newest when none was named.
    pub(super) seq: Option<Seq>,
    /// The checkpoint itself, the newest when none was named.
    pub(super) checkpoint: Arc<Checkpoint>,
    pub(super) owner: Owner<'a>,
}

/// Whose a thread is.
pub(super) enum Owner<'a> {
    /// A workflow's of the program.
    Known(&'a dyn Workflow),
    /// A user's graph file's.
    Declared(Box<Declared>),
}

impl Owner<'_> {
    /// The workflow.
    pub(super) fn workflow(&self) -> &dyn Workflow {
        match self {
            Self::Known(workflow) => *workflow,
            Self::Declared(workflow) => workflow.as_ref(),
        }
    }
}

/// Finds what `id` means.
pub(super) async fn find<'a>(
    session: &'a Session,
    store: &dyn CheckpointStore,
    id: &str,
) -> Result<Found<'a>, Failure> {
    let found = resolve(store, id).await?;
    let query = HistoryQuery::default().before(found.seq.map(Seq::next)).limit(1);
    let entries = store.history(&found.thread, &query).await?;
    let Some(entry) = entries.into_iter().next() else {
        return Err(Failure::new(
            format!("thread `{}` was removed a moment ago", found.thread),
            "`graph history` lists the threads",
        ));
    };
    let owner = match declared(session, store, &found.thread).await? {
        Some(workflow) => Owner::Declared(Box::new(workflow)),
        None => Owner::Known(workflow_of(session, &found.thread, &entry.checkpoint.name)?),
    };
    Ok(Found { thread: found.thread, seq: found.seq, checkpoint: entry.checkpoint, owner })
}

/// The graph file that the thread came from; of no concern to a program with one workflow.
async fn declared(
    session: &Session,
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<Declared>, Failure> {
    match session.program.only() {
        Some(_) => Ok(None),
        None => Ok(of_thread(session, store, thread).await?.map(|(_, workflow)| workflow)),
    }
}

fn workflow_of<'a>(
    session: &'a Session,
    thread: &ThreadId,
    graph: &str,
) -> Result<&'a dyn Workflow, Failure> {
    let foreign =
        |hint: String| Err(Failure::new(format!("thread `{thread}` belongs to the graph `{graph}`"), hint));
    match (session.program.only(), session.workflow(graph)) {
        (Some(only), _) if only != graph => foreign(format!("continue it with `graph resume {thread}`")),
        (_, Ok(workflow)) => Ok(workflow),
        (_, Err(_)) => {
            foreign("this program has no such workflow; `graph list` shows what it has".to_owned())
        }
    }
}

impl Found<'_> {
    /// The checkpoint's id.
    pub(super) fn id(&self) -> CheckpointId {
        self.checkpoint.id(&self.thread)
    }

    /// The workflow's graph for looking at the thread.
    pub(super) fn viewer(&self, setting: &Setting) -> Result<SharedHost, Failure> {
        Ok(self.owner.workflow().viewer(setting)?)
    }

    /// The state there.
    pub(super) async fn snapshot(&self, viewer: &SharedHost) -> Result<Snapshot<Box<RawValue>>, RunError> {
        let mut snapshot = viewer.state(&self.thread, self.seq).await?;
        if matches!(self.owner, Owner::Declared(_)) {
            snapshot.state = Declared::without_origin(&snapshot.state);
        }
        Ok(snapshot)
    }
}
