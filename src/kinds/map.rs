//! `map`: the same work for each item of a list, several at once, results in the order of the items. What an item cost is in the journal
//! under its number, so that after a failure or a kill only what is missing is done.

use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value;

use super::node::{permanent, too_large};
use super::services::Services;
use super::work::{Place, result as work};
use crate::definition::expression::Scope;
use crate::definition::inline::{Lease, weight};
use crate::definition::kind::MapKind;
use crate::engine::{Cx, NodeError, NodeResult};

/// The most items of one list; each is held with its result.
const ITEMS_MAX: usize = 100_000;

pub(super) async fn result(
    kind: &MapKind,
    scope: &Scope<'_>,
    place: &Place<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let items = match kind.over.evaluate(scope).map_err(permanent)? {
        Value::Array(items) => items,
        other => return Err(not_a_list(kind, &other)),
    };
    if items.len() > ITEMS_MAX {
        let error = NodeError::msg(format!("`over` gives {} items, the most is {ITEMS_MAX}", items.len()));
        return Err(error.permanent().with_hint("take a part of the list: `state.items[:1000]`"));
    }
    let one = |(index, item): (usize, Value)| async move {
        let scope = scope.clone().with(kind.named(), item).with("index", index.into());
        let place = place.within(index);
        let result = work(&kind.body, &scope, &place, cx).await?;
        // Held until all are there: a thousand items of some MiB each are done at once.
        let lease = scope.state().lease(weight(&result));
        let lease = lease.map_err(|exceeded| {
            too_large(&format!("{exceeded} (a `map` of {})", place.parts.file), &exceeded)
        })?;
        Ok::<_, NodeError>((result, lease))
    };
    let running: Vec<_> = items.into_iter().enumerate().map(one).collect();
    let results: Vec<(Value, Lease)> = stream::iter(running).buffered(kind.at_once()).try_collect().await?;
    Ok(results.into_iter().map(|(result, _)| result).collect())
}

fn not_a_list(kind: &MapKind, other: &Value) -> NodeError {
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
