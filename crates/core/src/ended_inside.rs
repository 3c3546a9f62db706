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

/// The graphs that ended inside a piece of work: the run and the task that called each, and its key.
#[derive(Default)]
pub(crate) struct EndedGraphs(BTreeSet<(usize, TaskId, Arc<str>)>);

impl EndedGraphs {
    /// Does the work. Returns its result with the graphs that ended inside it, but not inside other work within.
    pub(crate) async fn watch<R>(work: impl Future<Output = R>) -> (R, Self) {
        let watched = async {
            let result = work.await;
            (result, ENDED.with(RefCell::take))
        };
        ENDED.scope(RefCell::default(), watched).await
    }

    /// Notes the end of a graph that a task called under this key. Does nothing outside of watched work.
    pub(crate) fn note_end(run: &Arc<RunConfig>, task: TaskId, key: &str) {
        let call = (Arc::as_ptr(run).addr(), task, key.into());
        // Outside of such work there is nothing to note.
        let _ = ENDED.try_with(|ended| ended.borrow_mut().0.insert(call));
    }

    /// Returns the keys of the graphs that this task of this run called. The task of a graph inside may have been polled by the same work.
    pub(crate) fn of(self, run: &Arc<RunConfig>, task: TaskId) -> Vec<Arc<str>> {
        let caller = (Arc::as_ptr(run).addr(), task);
        let own = self.0.into_iter().filter(|(run, task, _)| (*run, *task) == caller);
        own.map(|(_, _, key)| key).collect()
    }
}
