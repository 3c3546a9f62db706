//! The node kind `store`: values that outlive threads. Each graph file sees only the values below its own
//! name, so that it does not read those of another by accident, and their number and size are bounded.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::node::{expression_error, too_large_error};
use super::services::Services;
use super::work::WorkContext;
use stategraph_agent::around::off_the_tape;
use stategraph_core::{
    Comparison, Cx, Filter, ItemNameError, ItemPath, ItemQuery, LongTermStore, NodeError, NodeResult,
    PutItem, check_key,
};
use stategraph_files::Entries;
use stategraph_files::expression::{EvalScope, Template};
use stategraph_files::inline::{LimitExceeded, json_size};
use stategraph_files::kind::{ItemAddress, PutAction, SearchAction, StoreKind};

/// Maximum number of values of one graph; a search reads all of them.
const ITEMS_MAX: u64 = 10_000;

/// Maximum bytes of all values of one graph: 64 MiB.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Path label below which the size of each graph's values is stored. No file can use it, because the graph's
/// name comes before the paths of a file.
const SIZES: &str = "$sizes";

/// The number of values of a graph in the long-term store, and the bytes of their JSON.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct StoredSize {
    items: u64,
    bytes: u64,
}

/// Runs the action of a `store` node (get, put, delete or search) once; afterwards its result comes from the
/// journal or the tape. Returns the value of a get (null if there is none), the list of items of a search, or
/// null.
pub(super) async fn run(
    kind: &StoreKind,
    scope: &EvalScope<'_>,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let store = cx.store()?;
    let graph = cx.graph();
    let key = work.journal_key("store");
    let (input, action): (Value, futures_util::future::BoxFuture<'_, NodeResult<Value>>) = match kind {
        StoreKind::Get(address) => {
            let (path, name) = locate(graph, address, scope)?;
            let input = json!({ "get": [path, name] });
            (input, Box::pin(async move { Ok(store.get(&path, &name).await?.map(|item| item.value).into()) }))
        }
        StoreKind::Put(put) => {
            let put = to_item(graph, put, scope)?;
            let input = json!({ "put": [put.path, put.key] });
            (input, Box::pin(put_bounded(store, put, work, cx)))
        }
        StoreKind::Delete(address) => {
            let (path, name) = locate(graph, address, scope)?;
            let input = json!({ "delete": [path, name] });
            (input, Box::pin(delete_counted(store, graph, path, name, cx)))
        }
        StoreKind::Search(search) => {
            let query = to_query(graph, search, scope)?;
            let input = json!({ "search": [query.below, query.text, query.limit] });
            (input, Box::pin(find(store, query, graph)))
        }
    };
    let effect = cx.services().tape.effect("store", input, off_the_tape, action);
    cx.once(&key, effect).await
}

/// Returns the path of a value: the label of the graph, then the labels of the rendered template, which dots
/// separate.
fn path_below(graph: &str, labels: &Template, scope: &EvalScope<'_>) -> NodeResult<ItemPath> {
    let text = labels.render(scope).map_err(expression_error)?;
    let labels = text.split('.').map(str::to_owned);
    ItemPath::new(std::iter::once(graph_label(graph)).chain(labels)).map_err(name_error)
}

/// Returns the path label of a graph: its name with `_` for each dot, because dots separate labels.
fn graph_label(graph: &str) -> String {
    graph.replace('.', "_")
}

/// Returns the path and the key of a value, as the node's templates give them.
fn locate(graph: &str, address: &ItemAddress, scope: &EvalScope<'_>) -> NodeResult<(ItemPath, String)> {
    let key = address.key.render(scope).map_err(expression_error)?;
    check_key(&key).map_err(name_error)?;
    Ok((path_below(graph, &address.path, scope)?, key))
}

/// Returns the item that a put action stores. Fails if its value is too large.
fn to_item(graph: &str, put: &PutAction, scope: &EvalScope<'_>) -> NodeResult<PutItem> {
    let (path, key) = locate(graph, &put.address, scope)?;
    let value = put.value.evaluate(scope).map_err(expression_error)?;
    let (bytes, most) = (json_size(&value), scope.state().limits().value);
    if bytes > most {
        let exceeded = LimitExceeded::new(format!("the value put as `{key}`"), bytes, most, "value");
        return Err(too_large_error(&exceeded.to_string(), &exceeded));
    }
    let item = PutItem::new(&path, key, value).map_err(name_error)?;
    Ok(match &put.ttl {
        Some(ttl) => item.ttl(ttl.0),
        None => item,
    })
}

/// Returns the query of a search action: below a path, with an optional text and fields that must be equal.
fn to_query(graph: &str, search: &SearchAction, scope: &EvalScope<'_>) -> NodeResult<ItemQuery> {
    let path = path_below(graph, &search.path, scope)?;
    let mut query = ItemQuery::below(&path).page(search.limit(), 0);
    if let Some(text) = &search.text {
        query = query.text(text.render(scope).map_err(expression_error)?);
    }
    for (field, value) in search.fields.iter().flat_map(Entries::iter) {
        let value = value.evaluate(scope).map_err(expression_error)?;
        query = query.filter(Filter::new(field, Comparison::Equal, value));
    }
    Ok(query)
}

/// Runs a query. Returns the found items as a list of `{ path, key, value }`, with paths relative to the
/// graph.
async fn find(store: &dyn LongTermStore, query: ItemQuery, graph: &str) -> NodeResult<Value> {
    let own = format!("{}.", graph_label(graph));
    let found = store.search(&query).await?.into_iter().map(|found| {
        let path = found.item.path.to_string();
        let path = path.strip_prefix(&own).unwrap_or(&path).to_owned();
        json!({ "path": path, "key": found.item.key, "value": found.item.value })
    });
    Ok(found.collect())
}

/// Puts a value and updates the size of the graph's values. Fails if they would become too many or too large.
async fn put_bounded(
    store: &dyn LongTermStore,
    put: PutItem,
    work: &WorkContext<'_>,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let graph = cx.graph();
    // One at a time, because each changes the size of all.
    let _changing = cx.services().store_changes.lock().await;
    let before = store.get(&put.path, &put.key).await?;
    let mut size = stored_size(store, graph).await?;
    if let Some(before) = &before {
        size.items = size.items.saturating_sub(1);
        size.bytes = size.bytes.saturating_sub(size_of(&before.value));
    }
    size.items += 1;
    size.bytes = size.bytes.saturating_add(size_of(&put.value));
    if size.items > ITEMS_MAX || size.bytes > BYTES_MAX {
        let StoredSize { items, bytes } = size;
        let error = NodeError::msg(format!(
            "the store would hold {items} values of {bytes} bytes for `{graph}`, the most is {ITEMS_MAX} and {BYTES_MAX} (a `store` of {})",
            work.file.name
        ));
        return Err(error.permanent().with_hint("delete values that are not needed, or put smaller ones"));
    }
    keep_size(store, graph, size).await?;
    store.put(put).await?;
    Ok(Value::Null)
}

/// Deletes a value, if it exists, and updates the size of the graph's values.
async fn delete_counted(
    store: &dyn LongTermStore,
    graph: &str,
    path: ItemPath,
    key: String,
    cx: &Cx<Services>,
) -> NodeResult<Value> {
    let _changing = cx.services().store_changes.lock().await;
    if let Some(before) = store.get(&path, &key).await? {
        store.delete(&path, &key).await?;
        let mut size = stored_size(store, graph).await?;
        size.items = size.items.saturating_sub(1);
        size.bytes = size.bytes.saturating_sub(size_of(&before.value));
        keep_size(store, graph, size).await?;
    }
    Ok(Value::Null)
}

/// Returns the length of a value as JSON, in bytes.
fn size_of(value: &Value) -> u64 {
    json_size(value) as u64
}

/// Returns the recorded size of the graph's values; zero if there is no record.
async fn stored_size(store: &dyn LongTermStore, graph: &str) -> NodeResult<StoredSize> {
    let found = store.get(&sizes()?, &graph_label(graph)).await?;
    Ok(found.and_then(|item| serde_json::from_value(item.value).ok()).unwrap_or_default())
}

/// Records the size of the graph's values.
async fn keep_size(store: &dyn LongTermStore, graph: &str, size: StoredSize) -> NodeResult<()> {
    let put = PutItem::new(&sizes()?, graph_label(graph), serde_json::to_value(size)?).map_err(name_error)?;
    Ok(store.put(put).await?)
}

/// Returns the path below which sizes are recorded.
fn sizes() -> NodeResult<ItemPath> {
    ItemPath::new([SIZES]).map_err(name_error)
}

fn name_error(error: ItemNameError) -> NodeError {
    NodeError::from(error).permanent().with_hint("change `path` or `key`")
}
