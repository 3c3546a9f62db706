//! The items of a long-term store, and their paths (LangGraph F71). Stores nothing; see `long_term.rs`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a label of a path, and of a key, in bytes.
pub const ITEM_NAME_MAX: usize = 512;

/// The path of items in a long-term store: one or more labels, written `users.ada.facts`. A label is not empty and has no dot.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() { show(async {
/// let path: ItemPath = "users.ada".parse()?;
/// assert!(path.is_below(&"users".parse()?));
/// assert_eq!(path.labels(), ["users", "ada"]);
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ItemPath(Vec<String>);

/// The reason why a path or a key is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemNameError {
    /// The path has no label, or an empty one.
    #[error("the path `{0}` has an empty label")]
    EmptyLabel(String),
    /// A label has a dot.
    #[error("the label `{0}` contains a dot, which separates labels")]
    Dot(String),
    /// The key is empty.
    #[error("a key cannot be empty")]
    EmptyKey,
    /// A label or key has more than [`ITEM_NAME_MAX`] bytes.
    #[error("a name of {0} bytes is too long, at most {ITEM_NAME_MAX} are allowed")]
    TooLong(usize),
}

impl ItemPath {
    /// Makes a path of these labels.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Result<Self, ItemNameError> {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        if labels.is_empty() || labels.iter().any(String::is_empty) {
            return Err(ItemNameError::EmptyLabel(labels.join(".")));
        }
        for label in &labels {
            if label.contains('.') {
                return Err(ItemNameError::Dot(label.clone()));
            }
            check_length(label)?;
        }
        Ok(Self(labels))
    }

    /// Returns the labels.
    pub fn labels(&self) -> &[String] {
        &self.0
    }

    /// Returns true for `prefix` itself and for paths below it. Labels are compared whole.
    pub fn is_below(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }
}

/// Checks a key: not empty, at most [`ITEM_NAME_MAX`] bytes. Returns it unchanged.
pub fn check_key(key: &str) -> Result<&str, ItemNameError> {
    if key.is_empty() { Err(ItemNameError::EmptyKey) } else { check_length(key) }
}

fn check_length(name: &str) -> Result<&str, ItemNameError> {
    if name.len() > ITEM_NAME_MAX { Err(ItemNameError::TooLong(name.len())) } else { Ok(name) }
}

impl FromStr for ItemPath {
    type Err = ItemNameError;
    fn from_str(path: &str) -> Result<Self, ItemNameError> {
        Self::new(path.split('.'))
    }
}

impl TryFrom<String> for ItemPath {
    type Error = ItemNameError;
    fn try_from(path: String) -> Result<Self, ItemNameError> {
        path.parse()
    }
}

impl From<ItemPath> for String {
    fn from(path: ItemPath) -> Self {
        path.0.join(".")
    }
}

impl fmt::Display for ItemPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// A value in a long-term store, with its path, its key and its times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The path.
    pub path: ItemPath,
    /// The key; unique below the path.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Time of the first put of the key, in milliseconds since 1970 (UTC).
    pub created_ms: u64,
    /// Time of the last put, in milliseconds since 1970 (UTC).
    pub updated_ms: u64,
    /// Expiry of the item; `None` when it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Expiry>,
}

/// The expiry of an item. Each put, and each read by key, starts the time to live again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expiry {
    /// Time to live after the last put or read, in milliseconds.
    pub ttl_ms: u64,
    /// Time at which the item expires, in milliseconds since 1970 (UTC).
    pub until_ms: u64,
}

impl Expiry {
    /// Makes an expiry at `ttl` after `now_ms`, in milliseconds since 1970 (UTC).
    pub fn after(now_ms: u64, ttl: Duration) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self { ttl_ms, until_ms: now_ms.saturating_add(ttl_ms) }
    }

    /// Returns the expiry with its time to live counted from `now_ms`.
    #[must_use]
    pub fn restart(self, now_ms: u64) -> Self {
        Self { until_ms: now_ms.saturating_add(self.ttl_ms), ..self }
    }
}

impl Item {
    /// Returns true when the item has expired.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.kept.is_some_and(|kept| kept.until_ms <= now_ms)
    }

    /// Makes the item to store for a put. It keeps the creation time of `before`, the item that it replaces,
    /// unless that has expired.
    #[must_use]
    pub fn from_put(before: Option<&Self>, put: PutItem, now_ms: u64) -> Self {
        let created_ms =
            before.filter(|item| !item.is_expired(now_ms)).map_or(now_ms, |item| item.created_ms);
        Self {
            path: put.path,
            key: put.key,
            value: put.value,
            created_ms,
            updated_ms: now_ms,
            kept: put.ttl.map(|ttl| Expiry::after(now_ms, ttl)),
        }
    }
}

/// A value to put under a path and a key.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use serde_json::json;
/// use stategraph_core::store::MemoryItems;
///
/// # fn main() { show(async {
/// let (items, path) = (MemoryItems::new(), "users.ada".parse()?);
/// items.put(PutItem::new(&path, "drink", json!("tea"))?).await?;
/// let kept = items.get(&path, "drink").await?.ok_or("it was put")?;
/// assert_eq!(kept.value, "tea");
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PutItem {
    /// The path.
    pub path: ItemPath,
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Time to live after the last put or read; `None` when the item does not expire.
    pub ttl: Option<Duration>,
}

impl PutItem {
    /// Makes an item that does not expire.
    ///
    /// # Errors
    /// Returns an [`ItemNameError`] for an empty or too long key.
    pub fn new(
        path: &ItemPath,
        key: impl Into<String>,
        value: impl Into<Value>,
    ) -> Result<Self, ItemNameError> {
        let key = key.into();
        check_key(&key)?;
        Ok(Self { path: path.clone(), key, value: value.into(), ttl: None })
    }

    /// Sets the time to live after the last put or read.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}
