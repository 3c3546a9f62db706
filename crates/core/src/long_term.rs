//! The trait of long-term stores: values that outlive threads, by path and key (LangGraph F71, `BaseStore`). The stores in memory are in
//! `crate::store`, queries in `item_query`.

use futures_util::future::BoxFuture;

use super::item::{Item, ItemPath, PutItem};
use super::item_query::{FoundItem, ItemQuery, PathQuery};
use super::store_error::StoreError;

/// A store for values that outlive threads, such as facts about a user. A value is identified by an [`ItemPath`] and a key; of two
/// concurrent puts of one key the last wins. Expired items count as absent everywhere.
///
/// [`MemoryItems`](crate::store::MemoryItems) keeps items for the life of the process. Implementations should pass the conformance suite in
/// the integration tests.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
///
/// use serde_json::json;
/// use stategraph_core::store::MemoryItems;
///
/// # fn main() { show(async {
/// async fn remember(_: &Count, cx: &Cx) -> NodeResult<()> {
///     let path = "counts".parse()?;
///     cx.store()?.put(PutItem::new(&path, "last", json!(7))?).await?;
///     Ok(())
/// }
/// let items = Arc::new(MemoryItems::new());
/// let graph = StateGraph::new("remember").node("remember", remember).sequence([START, "remember", END]).compile()?;
/// graph.with_long_term(items.clone()).run(Count::default()).await?;
/// assert!(items.get(&"counts".parse()?, "last").await?.is_some());
/// # Ok(()) }) }
/// ```
pub trait LongTermStore: Send + Sync + 'static {
    /// Puts a value, and replaces the one with the same path and key.
    fn put(&self, put: PutItem) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns the item with this key; `None` when there is none. A read starts the item's time to live again.
    fn get<'a>(&'a self, path: &'a ItemPath, key: &'a str)
    -> BoxFuture<'a, Result<Option<Item>, StoreError>>;

    /// Removes an item. An item that does not exist is no error.
    fn delete<'a>(&'a self, path: &'a ItemPath, key: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns all items at and below a path, or all items when `None`, sorted by path and key.
    fn all<'a>(&'a self, below: Option<&'a ItemPath>) -> BoxFuture<'a, Result<Vec<Item>, StoreError>>;

    /// Removes expired items. Returns their number.
    fn sweep(&self) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// Returns the items that match a query; see [`ItemQuery`] for their order.
    fn search<'a>(&'a self, query: &'a ItemQuery) -> BoxFuture<'a, Result<Vec<FoundItem>, StoreError>> {
        Box::pin(async move { Ok(query.select(self.all(query.below.as_ref()).await?)) })
    }

    /// Returns the paths that match a query, sorted.
    fn paths<'a>(&'a self, query: &'a PathQuery) -> BoxFuture<'a, Result<Vec<ItemPath>, StoreError>> {
        Box::pin(async move { Ok(query.select(self.all(None).await?.into_iter().map(|item| item.path))) })
    }
}
