//! Notes which graphs end inside a piece of work, so that the result of the work stands for their logs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;

use super::id::TaskId;
use super::run_config::RunConfig;

tokio::task_local! {
    static ENDED: RefCell<EndedGraphs>;
}

/// A list of the graphs that ended inside a piece of work of [`Cx::once`](super::context::Cx::once): for each
/// the run and task that called it, and its key.
#[derive(Default)]
pub(crate) struct EndedGraphs(BTreeSet<(usize, TaskId, Arc<str>)>);

impl EndedGraphs {
    /// Awaits `work`. Returns its result with the graphs that ended inside it, except those inside watched
    /// work within it.
    pub(crate) async fn watch<R>(work: impl Future<Output = R>) -> (R, Self) {
        let watched = async {
            let result = work.await;
            (result, ENDED.with(RefCell::take))
        };
        ENDED.scope(RefCell::default(), watched).await
    }

    /// Adds a graph that has ended to the list of the watched work in which this is called; does nothing
    /// outside of such work. `task` of `run` called the graph under `key`.
    pub(crate) fn note_end(run: &Arc<RunConfig>, task: TaskId, key: &str) {
        let call = (Arc::as_ptr(run).addr(), task, key.into());
        // Outside of such work there is nothing to note.
        let _ = ENDED.try_with(|ended| ended.borrow_mut().0.insert(call));
    }

    /// Returns the keys of those graphs that `task` of `run` called itself. Tasks of inner graphs may have
    /// been polled by the same work.
    pub(crate) fn of(self, run: &Arc<RunConfig>, task: TaskId) -> Vec<Arc<str>> {
        let caller = (Arc::as_ptr(run).addr(), task);
        let own = self.0.into_iter().filter(|(run, task, _)| (*run, *task) == caller);
        own.map(|(_, _, key)| key).collect()
    }
}
