//! The context of a task as an owned handle, for closures that capture variables: those cannot borrow the context on stable Rust.

use std::future::{Future, poll_fn};
use std::ops::Deref;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::context::Cx;
use super::node_error::{NodeError, NodeResult};

/// An owned handle to the context of one attempt, for closures that capture variables. It derefs to [`Cx`].
///
/// After the attempt has ended, [`Cx::once`], [`Cx::interrupt`] and [`Cx::subgraph`] of a handle that the closure gave away fail with
/// [`AttemptEnded`].
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use stategraph_core::{Command, END, Frozen, NodeError, START, SharedCx, State, StateGraph};
///
/// #[derive(State, Clone, Default, Serialize, Deserialize)]
/// struct Draft {
///     text: String,
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let limit = 8;
/// let write = move |draft: Frozen<Draft>, cx: SharedCx| async move {
///     let more = cx.once("more", async { Ok::<_, NodeError>("more ".to_owned()) }).await?;
///     let goto = if draft.text.len() < limit { "write" } else { END };
///     Ok::<_, NodeError>(Command::update(Draft::update().text(format!("{}{more}", draft.text))).goto(goto))
/// };
/// let graph = StateGraph::new("draft").node("write", write).goto("write", ["write", END]).edge(START, "write").compile()?;
/// assert_eq!(graph.run(Draft::default()).await?.state.text, "more more more ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct SharedCx<D = ()>(Arc<Cx<D>>);

impl<D> Deref for SharedCx<D> {
    type Target = Cx<D>;
    fn deref(&self) -> &Cx<D> {
        &self.0
    }
}

/// The error of a node that uses its context after its attempt has ended, as in a task of the runtime that it spawned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the attempt that this context belongs to has ended")]
pub struct AttemptEnded;

impl<D> Cx<D> {
    /// Fails with [`AttemptEnded`] when the attempt has ended, because the task may be finished already or
    /// tried again.
    pub(super) fn check_running(&self) -> NodeResult<()> {
        if self.has_ended.load(Ordering::Acquire) {
            let error = NodeError::from(AttemptEnded).permanent();
            return Err(error.with_hint("await in the node everything that uses its context"));
        }
        Ok(())
    }

    /// Makes a second context of the same attempt. Both share the journal; each has flags of its own for a
    /// pause and for the end.
    fn share(&self) -> Self {
        Self {
            run: self.run.clone(),
            services: self.services.clone(),
            task: self.task,
            journal: OnceLock::from(self.journal.get_or_init(Arc::default).clone()),
            paused: AtomicBool::new(false),
            item: self.item.clone(),
            remembered: self.remembered.clone(),
            failure: self.failure.clone(),
            activity: self.activity.clone(),
            has_ended: AtomicBool::new(false),
        }
    }

    /// Calls `node` with an owned copy of this context and awaits it. A pause of the copy pauses this context
    /// too. When the node returns or is dropped, the copy is marked as ended, so that handles given away stop
    /// working.
    pub(super) async fn run_shared<T, Fut: Future<Output = T>>(
        &self,
        node: impl FnOnce(SharedCx<D>) -> Fut,
    ) -> T {
        let shared = Arc::new(self.share());
        let ended = EndOnDrop(&shared);
        let mut running = pin!(node(SharedCx(shared.clone())));
        let end = poll_fn(|waker| {
            let polled = running.as_mut().poll(waker);
            // The attempt looks at its own context after each poll.
            if polled.is_pending() && shared.paused.load(Ordering::Acquire) {
                self.paused.store(true, Ordering::Release);
            }
            polled
        });
        let end = end.await;
        drop(ended);
        end
    }
}

/// A guard that marks the attempt of a context as ended when it is dropped, also when the attempt itself is
/// dropped.
struct EndOnDrop<'a, D>(&'a Cx<D>);

impl<D> Drop for EndOnDrop<'_, D> {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Release);
    }
}
