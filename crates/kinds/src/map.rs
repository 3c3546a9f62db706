//! The node kind `map`: the same work for each item of a list, several concurrently, with the results in the
//! order of the items. The journal keys of an item contain its index, so that only missing items are done
//! after a failure or a kill. Items do not block each other: while some wait for an answer, others run.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt;
use futures_util::stream::{self, StreamExt};
use serde_json::Value;

use super::node::{expression_error, too_large_error};
use super::services::Services;
use super::work::{WorkContext, run_kind};
use stategraph_core::{Cx, NodeError, NodeFailure, NodeResult, Retryable, RunError};
use stategraph_files::ITEMS_MAX;
use stategraph_files::expression::EvalScope;
use stategraph_files::inline::{Lease, json_size};
use stategraph_files::kind::MapKind;

/// Runs the body of a `map` node for each item and returns the list of results. After a failed item no
/// further item starts; the running ones finish, and the first failure is returned.
pub(super) async fn run(
    kind: &MapKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let items = match kind.over.evaluate(scope).map_err(expression_error)? {
        Value::Array(items) => items,
        other => return Err(not_a_list_error(kind, &other)),
    };
    if items.len() > ITEMS_MAX {
        let error = NodeError::msg(format!("`over` gives {} items, the most is {ITEMS_MAX}", items.len()));
        return Err(error.permanent().with_hint("take a part of the list: `state.items[:1000]`"));
    }
    let any_failed = AtomicBool::new(false);
    let one = |(index, item): (usize, Value)| {
        let item = async move {
            let scope = scope.clone().with_local(kind.item_name(), item).with_local("index", index.into());
            let work = work.nested(index);
            let attempt = || run_kind(&kind.body, &scope, &work, cx);
            let result = cx.retried(&work.journal_key(""), work.item_policy, attempt).await?;
            // Reserved until all items are done: a thousand results of some MiB each add up.
            let lease = scope.state().reserve(json_size(&result));
            let lease = lease.map_err(|exceeded| {
                too_large_error(&format!("{exceeded} (a `map` of {})", work.file.name), &exceeded)
            })?;
            Ok::<_, NodeError>((result, lease))
        };
        let part = cx.part(item.boxed());
        let any_failed = &any_failed;
        async move {
            // As for tasks: after a failure no other item starts, and the running ones finish (D16).
            if any_failed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            part.await.map_err(|error| {
                any_failed.store(true, Ordering::Relaxed);
                item_error(index, error)
            })
        }
    };
    let at_once = kind.at_once().min(cx.services().tasks_at_once);
    let running: Vec<_> = items.into_iter().enumerate().map(one).collect();
    let ended: Vec<NodeResult<Option<(Value, Lease)>>> =
        stream::iter(running).buffered(at_once).collect().await;
    let results: Option<Vec<(Value, Lease)>> = ended.into_iter().collect::<NodeResult<_>>()?;
    match results {
        Some(results) => Ok(results.into_iter().map(|(result, _)| result).collect()),
        None => cx.wait().await,
    }
}

/// The failure of one item of a `map`, with its index.
#[derive(Debug)]
struct ItemError {
    /// Index of the item, from 0.
    index: usize,
    failure: NodeFailure,
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {}: {}", self.index, self.failure)
    }
}

impl Error for ItemError {
    /// Returns the cause of the failure, because `Display` already prints the failure itself.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.failure.source()
    }
}

/// Adds the index of an item to its error, and keeps the hint. An error of the store stays unchanged, because
/// it concerns the whole run.
fn item_error(index: usize, error: NodeError) -> NodeError {
    if matches!(error.downcast_ref(), Some(RunError::Store(_))) {
        return error;
    }
    let (retryable, hint) = (error.retryable(), error.hint().map(str::to_owned));
    let mut failed = NodeError::from(ItemError { index, failure: error.into() });
    if retryable == Retryable::Never {
        failed = failed.permanent();
    }
    match hint {
        Some(hint) => failed.with_hint(hint),
        None => failed,
    }
}

/// Makes the error for a value of `over` that is not a list.
fn not_a_list_error(kind: &MapKind, other: &Value) -> NodeError {
    let what = match other {
        Value::Null => "nothing",
        Value::Object(_) => "a map",
        Value::String(_) => "text",
        _ => "no list",
    };
    let error =
        NodeError::msg(format!("`over: {}` gives {what}, and `map` works on a list", kind.over.text()));
    error.permanent().with_hint("`state.text | lines` makes a list of a text, `state.map | items` of a map")
}
