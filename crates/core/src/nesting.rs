//! The limit of graphs inside each other, and the stack that deep graphs are polled on. Runs nothing itself; see `inner_run.rs`.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;

/// Maximum number of graphs inside each other, not counting the outermost one.
pub const NESTING_MAX: usize = 40;

/// Minimum free stack of each level, in bytes. A level of a debug build takes about 100 KiB, without its node.
const STACK_FREE: usize = 512 * 1024;

/// Size of the piece of stack that is added where less is free, in bytes.
const STACK_ADDED: usize = 4 * 1024 * 1024;

/// A future that is polled on a larger stack where little of the thread's stack is left. Graphs inside tasks need it, because the poll of a
/// level stands on the polls of all levels around it, and worker threads have 2 MiB.
pub(crate) struct DeepFuture<'a, T>(pub(crate) BoxFuture<'a, T>);

impl<T> Future for DeepFuture<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        stacker::maybe_grow(STACK_FREE, STACK_ADDED, || self.0.as_mut().poll(cx))
    }
}
