//! The items of a long-term store, and the paths that they lie under (LangGraph F71). Stores nothing; see `long_term.rs`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest label of a path and the longest key, in bytes.
pub const ITEM_NAME_MAX: usize = 512;

/// Where items are: at least one label, `users.ada.facts` as text. A label is not empty and has no dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ItemPath(Vec<String>);

/// What is wrong with a path or a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemNameError {
    /// A path without a label, or an empty label.
    #[error("the path `{0}` has an empty label")]
    EmptyLabel(String),
    /// A label with a dot.
    #[error("the label `{0}` contains a dot, which separates labels")]
    Dot(String),
    /// An empty key.
    #[error("a key cannot be empty")]
    EmptyKey,
    /// A label or key of more than [`ITEM_NAME_MAX`] bytes.
    #[error("a name of {0} bytes is too long, at most {ITEM_NAME_MAX} are allowed")]
    TooLong(usize),
}

impl ItemPath {
    /// A path of these labels.
    pub fn new<L: Into<String>>(labels: impl IntoIterator<Item = L>) -> Result<Self, ItemNameError> {
        let labels: Vec<String> = labels.into_iter().map(Into::into).collect();
        if labels.is_empty() || labels.iter().any(String::is_empty) {
            return Err(ItemNameError::EmptyLabel(labels.join(".")));
        }
        for label in &labels {
            if label.contains('.') {
                return Err(ItemNameError::Dot(label.clone()));
            }
            short(label)?;
        }
        Ok(Self(labels))
    }

    /// The labels.
    pub fn labels(&self) -> &[String] {
        &self.0
    }

    /// Whether the path is `prefix` or below it. Only whole labels count.
    pub fn is_below(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }
}

/// Checks a key: not empty, at most [`ITEM_NAME_MAX`] bytes.
pub fn checked_key(key: &str) -> Result<&str, ItemNameError> {
    if key.is_empty() { Err(ItemNameError::EmptyKey) } else { short(key) }
}

fn short(name: &str) -> Result<&str, ItemNameError> {
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

/// A value in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Where it is.
    pub path: ItemPath,
    /// Under which key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// When the key was first put, in milliseconds since 1970 (UTC).
    pub created_ms: u64,
    /// When it was last put.
    pub updated_ms: u64,
    /// How long it is kept, if not for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptFor>,
}

/// The life of an item that is not kept for ever: counted anew whenever it is put or read by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptFor {
    /// How long after it was last put or read, in milliseconds.
    pub ttl_ms: u64,
    /// When it ends, in milliseconds since 1970 (UTC).
    pub until_ms: u64,
}

impl KeptFor {
    /// From now on.
    pub fn from(now_ms: u64, ttl: Duration) -> Self {
        let ttl_ms = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        Self { ttl_ms, until_ms: now_ms.saturating_add(ttl_ms) }
    }

    /// The same life, begun anew.
    #[must_use]
    pub fn again(self, now_ms: u64) -> Self {
        Self { until_ms: now_ms.saturating_add(self.ttl_ms), ..self }
    }
}

impl Item {
    /// Whether it is over.
    pub fn is_over(&self, now_ms: u64) -> bool {
        self.kept.is_some_and(|kept| kept.until_ms <= now_ms)
    }

    /// The item after a put in its place.
    #[must_use]
    pub fn replaced(before: Option<&Self>, put: PutItem, now_ms: u64) -> Self {
        let created_ms = before.filter(|item| !item.is_over(now_ms)).map_or(now_ms, |item| item.created_ms);
        Self {
            path: put.path,
            key: put.key,
            value: put.value,
            created_ms,
            updated_ms: now_ms,
            kept: put.ttl.map(|ttl| KeptFor::from(now_ms, ttl)),
        }
    }
}

/// What is put: a value under a path and a key.
#[derive(Debug, Clone, PartialEq)]
pub struct PutItem {
    /// Where.
    pub path: ItemPath,
    /// Under which key.
    pub key: String,
    /// What.
    pub value: Value,
    /// How long after it was last put or read; for ever when none.
    pub ttl: Option<Duration>,
}

impl PutItem {
    /// A value that is kept for ever.
    pub fn new(
        path: &ItemPath,
        key: impl Into<String>,
        value: impl Into<Value>,
    ) -> Result<Self, ItemNameError> {
        let key = key.into();
        checked_key(&key)?;
        Ok(Self { path: path.clone(), key, value: value.into(), ttl: None })
    }

    /// Keeps it only so long after it was last put or read.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}
