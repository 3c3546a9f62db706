//! Resolves an id that the user typed to its thread, its checkpoint, and the workflow that wrote it.

use super::declared::load_for_thread;
use super::failure::Failure;
use super::options::StoreArgs;
use super::session::Session;
use crate::engine::{
    Checkpoint, CheckpointId, CheckpointStore, HistoryQuery, RunError, Seq, SharedHost, Snapshot, ThreadId,
};
use crate::store::resolve;
use crate::workflows::{Declared, Setting, Workflow, unstored_options};
use serde_json::Value;
use serde_json::value::RawValue;
use stategraph_base::quote_for_shell;
use std::sync::Arc;

/// The thread or checkpoint whose id the user typed, with the workflow that wrote it.
pub(super) struct ThreadTarget<'a> {
    pub(super) thread: ThreadId,
    /// Number of the checkpoint; `None` if the user named only the thread.
    pub(super) seq: Option<Seq>,
    /// The named checkpoint, or the newest one of the thread.
    pub(super) checkpoint: Arc<Checkpoint>,
    pub(super) owner: ThreadOwner<'a>,
}

/// The workflow that wrote a thread: one of the program, or a graph file.
pub(super) enum ThreadOwner<'a> {
    /// A workflow of the program.
    Known(&'a dyn Workflow),
    /// A graph file of the user.
    Declared(Box<Declared>),
}

impl ThreadOwner<'_> {
    /// Returns the workflow that wrote the thread.
    pub(super) fn workflow(&self) -> &dyn Workflow {
        match self {
            Self::Known(workflow) => *workflow,
            Self::Declared(workflow) => workflow.as_ref(),
        }
    }
}

impl<'a> ThreadTarget<'a> {
    /// Finds the thread or checkpoint that `id` names (a thread id, an unambiguous prefix of one, or
    /// `THREAD@N`), and its workflow.
    pub(super) async fn find(
        session: &'a Session,
        store: &dyn CheckpointStore,
        id: &str,
    ) -> Result<Self, Failure> {
        let found = resolve(store, id).await?;
        let query = HistoryQuery::default().before(found.seq.map(Seq::next)).limit(1);
        let entries = store.history(&found.thread, &query).await?;
        let Some(entry) = entries.into_iter().next() else {
            return Err(Failure::new(
                format!("thread `{}` was removed a moment ago", found.thread),
                "`graph history` lists the threads",
            ));
        };
        let owner = match load_graph_file(session, store, &found.thread).await? {
            Some(workflow) => ThreadOwner::Declared(Box::new(workflow)),
            None => ThreadOwner::Known(workflow_of(session, &found.thread, &entry.checkpoint.name)?),
        };
        Ok(Self { thread: found.thread, seq: found.seq, checkpoint: entry.checkpoint, owner })
    }
}

/// Returns the option `--context` with the values that a graph file requires, each as a placeholder to fill
/// in; `None` if it requires none.
fn context_to_fill(workflow: &Declared) -> Option<String> {
    let required = workflow.definition().context().iter().filter(|value| value.default.is_none());
    let required: Vec<String> =
        required.map(|value| format!("{}: …", Value::from(value.name.as_str()))).collect();
    if required.is_empty() {
        return None;
    }
    let values = format!("{{{}}}", required.join(", "));
    Some(format!(" --context {}", quote_for_shell(values.as_ref())))
}

/// Loads the graph file that the thread came from. Returns `None` for a thread of a workflow, and always in
/// a program with fixed commands, which cannot run graph files.
async fn load_graph_file(
    session: &Session,
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Result<Option<Declared>, Failure> {
    match session.program.own_commands() {
        Some(_) => Ok(None),
        None => Ok(load_for_thread(session, store, thread).await?.map(|(_, workflow)| workflow)),
    }
}

/// Returns the workflow of the program whose graph a thread has. The error for another thread says how to
/// continue it.
fn workflow_of<'a>(
    session: &'a Session,
    thread: &ThreadId,
    graph: &str,
) -> Result<&'a dyn Workflow, Failure> {
    let foreign =
        |hint: String| Err(Failure::new(format!("thread `{thread}` belongs to the graph `{graph}`"), hint));
    match (session.program.runs(graph), session.workflow(graph)) {
        (false, _) => foreign(format!("continue it with `graph resume {thread}`")),
        (_, Ok(workflow)) => Ok(workflow),
        (_, Err(_)) => {
            foreign("this program has no workflow of that name; `graph list` lists its workflows".to_owned())
        }
    }
}

impl ThreadTarget<'_> {
    /// Returns the id of the named checkpoint; if only the thread was named, that of its newest one.
    pub(super) fn id(&self) -> CheckpointId {
        self.checkpoint.id(&self.thread)
    }

    /// Returns the workflow's graph as a host that can inspect, fork and prune the thread, but not run it.
    pub(super) fn viewer(&self, setting: &Setting) -> Result<SharedHost, Failure> {
        Ok(self.owner.workflow().viewer(setting)?)
    }

    /// Loads the state at the named checkpoint, or the newest one, without the entry that names its graph
    /// file.
    pub(super) async fn snapshot(&self, viewer: &SharedHost) -> Result<Snapshot<Box<RawValue>>, RunError> {
        let mut snapshot = viewer.state(&self.thread, self.seq).await?;
        if matches!(self.owner, ThreadOwner::Declared(_)) {
            snapshot.state = Declared::without_origin(&snapshot.state);
        }
        Ok(snapshot)
    }

    /// Prints the nodes that run next, the command that runs them, and the options to repeat with it.
    pub(super) fn print_next(&self, session: &Session, store: &StoreArgs, next: &[String]) {
        if next.is_empty() {
            return session.printer.progress("next: nothing, it is done");
        }
        session.printer.progress(format_args!("next: {}", next.join(", ")));
        let folder = store
            .checkpoints
            .as_ref()
            .map(|folder| format!(" --checkpoints {}", quote_for_shell(folder.as_os_str())));
        let context = match &self.owner {
            ThreadOwner::Declared(workflow) => context_to_fill(workflow),
            ThreadOwner::Known(_) => None,
        };
        let command = format!(
            "{} resume {}{}{}",
            session.program.name(),
            self.thread,
            folder.unwrap_or_default(),
            context.unwrap_or_default()
        );
        session.printer.command("to continue", &command);
        if let ThreadOwner::Declared(workflow) = &self.owner
            && let options @ [_, ..] = unstored_options(workflow.definition()).as_slice()
        {
            let options = options.join("`, `--");
            session.printer.progress(format_args!(
                "no checkpoint holds these options; repeat them as needed: `--{options}`"
            ));
        }
    }
}
