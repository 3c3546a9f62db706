//! The parts of one task: futures that run concurrently and wait for answers separately. Spawns none; the node polls them.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::context::Cx;
use super::node_error::{NodeError, NodePanic, NodeResult};
use super::panicked::panic_message;
use super::policy::NodePolicy;

/// A part of a task: a future that a node polls beside others. [`Cx::part`] makes it. It ends with `None`
/// when it waits for an answer, so that the other parts go on.
pub struct Part<'a, T> {
    work: BoxFuture<'a, NodeResult<T>>,
    paused: &'a AtomicBool,
}

impl<D> Cx<D> {
    /// Makes a future a part of the task. A panic in it becomes an error. When a part ended with `None`, the
    /// node lets the other parts end and then calls [`wait`](Self::wait).
    pub fn part<'a, T: 'a>(&'a self, work: BoxFuture<'a, NodeResult<T>>) -> Part<'a, T> {
        let caught = AssertUnwindSafe(work).catch_unwind().map(|ended| {
            ended.unwrap_or_else(|panic| {
                Err(NodeError::from(NodePanic { message: panic_message(panic.as_ref()) }))
            })
        });
        Part { work: caught.boxed(), paused: &self.paused }
    }

    /// Runs a part of the task, with retries by `policy`: each part has attempts and waits of its own. `part`
    /// is the beginning of all keys that the part journals; a later attempt gets the journaled results of
    /// earlier ones.
    pub async fn retried<'a, T>(
        &self,
        part: &str,
        policy: &NodePolicy,
        mut attempt: impl FnMut() -> BoxFuture<'a, NodeResult<T>>,
    ) -> NodeResult<T> {
        let mut attempts = 1;
        loop {
            let error = match attempt().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(wait) = policy.wait(attempts, &error, self.jitter_seed_of(part)) else {
                return Err(error);
            };
            self.tell_retry(Some(part), attempts, &error, wait);
            tokio::time::sleep(wait).await;
            self.journal().begin_part(part);
            attempts += 1;
        }
    }

    /// Pauses the attempt because parts wait for answers, and never returns. The task runs again after a
    /// resume with answers.
    pub async fn wait<T>(&self) -> NodeResult<T> {
        self.pause().await
    }
}

impl<T> Future for Part<'_, T> {
    type Output = NodeResult<Option<T>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.work.as_mut().poll(cx) {
            Poll::Ready(ended) => Poll::Ready(ended.map(Some)),
            // The flag would end the whole attempt. It is reset here, because the poll of this part has just set it.
            Poll::Pending if self.paused.swap(false, Ordering::AcqRel) => Poll::Ready(Ok(None)),
            Poll::Pending => Poll::Pending,
        }
    }
}
