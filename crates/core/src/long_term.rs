//! Long-term memory: values that outlive threads, under paths and keys (LangGraph F71, `BaseStore`). The contract only; the stores
//! are in `crate::store`, the pure part of searching in `item_query`.

use futures_util::future::BoxFuture;

use super::item::{Item, ItemPath, PutItem};
use super::item_query::{FoundItem, ItemQuery, PathQuery};
use super::store_error::StoreError;

/// Keeps items. Implementations pass the conformance suite in the integration tests. Of two writers of one key the last wins.
pub trait LongTermStore: Send + Sync + 'static {
    /// Puts a value in the place of what was there.
    fn put(&self, put: PutItem) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The item of this key, if there is one and it is not over. Reading begins its life anew.
    fn get<'a>(&'a self, path: &'a ItemPath, key: &'a str)
    -> BoxFuture<'a, Result<Option<Item>, StoreError>>;

    /// Removes an item; one that is not there is no error.
    fn delete<'a>(&'a self, path: &'a ItemPath, key: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// All items at and below a path (everywhere when none) that are not over, sorted by path and key.
    fn all<'a>(&'a self, below: Option<&'a ItemPath>) -> BoxFuture<'a, Result<Vec<Item>, StoreError>>;

    /// Removes what is over, and says how many items that were.
    fn sweep(&self) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// The items that fit a query; see [`ItemQuery`] for their order.
    fn search<'a>(&'a self, query: &'a ItemQuery) -> BoxFuture<'a, Result<Vec<FoundItem>, StoreError>> {
        Box::pin(async move { Ok(query.select(self.all(query.below.as_ref()).await?)) })
    }

    /// The paths that fit a query, sorted.
    fn paths<'a>(&'a self, query: &'a PathQuery) -> BoxFuture<'a, Result<Vec<ItemPath>, StoreError>> {
        Box::pin(async move { Ok(query.select(self.all(None).await?.into_iter().map(|item| item.path))) })
    }
}
