//! The long-term store in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::lock;
use crate::{Clock, Item, ItemPath, LongTermStore, PutItem, StoreError};

/// A long-term store in memory. Clones share the items; they are gone with the last clone.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use serde_json::json;
/// use stategraph_core::store::MemoryItems;
///
/// # fn main() { show(async {
/// let items = MemoryItems::new();
/// let path = "users".parse()?;
/// items.put(PutItem::new(&path, "ada", json!({ "likes": "tea" }))?).await?;
/// assert_eq!(items.search(&ItemQuery::below(&path).text("tea")).await?.len(), 1);
/// # Ok(()) }) }
/// ```
#[derive(Clone)]
pub struct MemoryItems {
    items: Arc<Mutex<BTreeMap<(ItemPath, String), Item>>>,
    clock: Clock,
}

impl MemoryItems {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self::with_clock(Clock::SYSTEM)
    }

    /// Makes an empty store whose items expire by this clock.
    pub fn with_clock(clock: Clock) -> Self {
        Self { items: Arc::default(), clock }
    }
}

impl Default for MemoryItems {
    fn default() -> Self {
        Self::new()
    }
}

impl LongTermStore for MemoryItems {
    fn put(&self, put: PutItem) -> BoxFuture<'_, Result<(), StoreError>> {
        let (at, now) = ((put.path.clone(), put.key.clone()), self.clock.now_ms());
        let mut items = lock(&self.items);
        let item = Item::from_put(items.get(&at), put, now);
        items.insert(at, item);
        Box::pin(async { Ok(()) })
    }

    fn get<'a>(
        &'a self,
        path: &'a ItemPath,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Item>, StoreError>> {
        let now = self.clock.now_ms();
        let mut items = lock(&self.items);
        let found = items.get_mut(&(path.clone(), key.to_owned())).filter(|item| !item.is_expired(now));
        let found = found.map(|item| {
            item.kept = item.kept.map(|kept| kept.restart(now));
            item.clone()
        });
        Box::pin(async { Ok(found) })
    }

    fn delete<'a>(&'a self, path: &'a ItemPath, key: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        lock(&self.items).remove(&(path.clone(), key.to_owned()));
        Box::pin(async { Ok(()) })
    }

    fn all<'a>(&'a self, below: Option<&'a ItemPath>) -> BoxFuture<'a, Result<Vec<Item>, StoreError>> {
        let now = self.clock.now_ms();
        let wanted =
            |item: &&Item| !item.is_expired(now) && below.is_none_or(|below| item.path.is_below(below));
        let all = lock(&self.items).values().filter(wanted).cloned().collect();
        Box::pin(async { Ok(all) })
    }

    fn sweep(&self) -> BoxFuture<'_, Result<usize, StoreError>> {
        let now = self.clock.now_ms();
        let mut items = lock(&self.items);
        let before = items.len();
        items.retain(|_, item| !item.is_expired(now));
        let swept = before - items.len();
        Box::pin(async move { Ok(swept) })
    }
}
