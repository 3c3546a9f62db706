//! How deep graphs may run inside each other: the limit, the stack that deep graphs are polled on, and the form that their records have in
//! a log. Runs nothing itself; see `inner.rs`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::checkpoint::{Record, TaskEntry, TaskRecord};
use super::id::TaskId;

/// The most graphs that may run inside each other, not counting the outermost one.
pub const NESTING_MAX: usize = 40;

/// The stack that each level finds free, in bytes. A level of a debug build takes about 100 KiB, besides what its node takes.
const STACK_FREE: usize = 512 * 1024;

/// A piece of stack that is added where less is free, in bytes.
const STACK_ADDED: usize = 4 * 1024 * 1024;

/// A future that is polled on a larger stack where little of the thread's is left: a graph inside a task, since the poll of one level
/// stands on the polls of all levels around it, and worker threads have 2 MiB.
pub(crate) struct DeepFuture<'a, T>(pub(crate) BoxFuture<'a, T>);

impl<T> Future for DeepFuture<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        stacker::maybe_grow(STACK_FREE, STACK_ADDED, || self.0.as_mut().poll(cx))
    }
}

/// One graph on the way to the record of a deeper one: the task that it runs in, and its key there.
#[derive(Serialize, Deserialize)]
struct Step {
    task: TaskId,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    key: Arc<str>,
}

/// `TaskEntry::Inner` as it is stored: the record of the innermost graph with the way to it, so that the depth of the JSON does not rise
/// with that of the graphs. Without a way it is as it was before there was one, when each level was wrapped in the next.
#[derive(Deserialize)]
struct Stored {
    #[serde(default)]
    key: Arc<str>,
    #[serde(default)]
    path: Vec<Step>,
    record: Box<Record>,
}

#[derive(Serialize)]
struct StoredRef<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    key: &'a Arc<str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<Step>,
    record: &'a Record,
}

/// Writes a record of a graph inside a task.
pub(super) fn serialize<S: Serializer>(key: &Arc<str>, record: &Record, to: S) -> Result<S::Ok, S::Error> {
    let (mut path, mut innermost) = (Vec::new(), record);
    while let Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } }) = innermost {
        path.push(Step { task: *task, key: key.clone() });
        innermost = record;
    }
    StoredRef { key, path, record: innermost }.serialize(to)
}

/// Reads it back, in either form.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<(Arc<str>, Box<Record>), D::Error> {
    let Stored { key, path, record } = Stored::deserialize(from)?;
    if path.len() > NESTING_MAX {
        let depth = path.len();
        return Err(D::Error::custom(format!("a record inside {depth} graphs; the most is {NESTING_MAX}")));
    }
    let wrapped = path.into_iter().rev().fold(record, |record, Step { task, key }| {
        Box::new(Record::Task(TaskRecord { task, entry: TaskEntry::Inner { key, record } }))
    });
    Ok((key, wrapped))
}
