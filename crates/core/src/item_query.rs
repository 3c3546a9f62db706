//! Queries on the items of a long-term store: filters on fields, ranking by text, patterns of paths. Pure (LangGraph F71).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::item::{Item, ItemPath};
use super::rank;

/// Default number of items in a result.
const ITEMS: usize = 10;

/// Default number of paths in a result.
const PATHS: usize = 100;

/// A query for items. With a text, the result has the items that contain a word of it, the best first; otherwise all items, sorted by path
/// and key.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use serde_json::json;
/// use stategraph_core::store::MemoryItems;
///
/// # fn main() { show(async {
/// let (items, path) = (MemoryItems::new(), "users".parse()?);
/// items.put(PutItem::new(&path, "1", json!({ "name": "Ada", "age": 36 }))?).await?;
/// items.put(PutItem::new(&path, "2", json!({ "name": "Alan", "age": 41 }))?).await?;
/// let query = ItemQuery::below(&path).filter(Filter::new("age", Comparison::More, 40));
/// let found = items.search(&query).await?;
/// assert_eq!(found[0].item.value["name"], "Alan");
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemQuery {
    /// Path to search at and below; everywhere when `None`.
    pub below: Option<ItemPath>,
    /// Conditions on the value; all must hold.
    pub filters: Vec<Filter>,
    /// Words to search for in the value; `None` for no search by text.
    pub text: Option<String>,
    /// Maximum number of items; 10 by default.
    pub limit: usize,
    /// Number of items to skip; 0 by default.
    pub offset: usize,
}

impl Default for ItemQuery {
    fn default() -> Self {
        Self { below: None, filters: Vec::new(), text: None, limit: ITEMS, offset: 0 }
    }
}

/// An item that matches a query.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundItem {
    /// The item.
    pub item: Item,
    /// BM25 score of the item for the text, above 0; higher is better. `None` when the query has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A condition on a field of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Name of the field; `a.b` is the field `b` of the object in the field `a`.
    pub field: String,
    /// The comparison.
    pub comparison: Comparison,
    /// The value to compare with.
    pub value: Value,
}

/// A comparison of a field with a value. Numbers and texts have an order; a missing field, or one of another type than the value, is
/// neither more nor less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The values are equal; `1` equals `1.0`.
    Equal,
    /// The values differ, or the field is missing.
    NotEqual,
    /// The field is greater.
    More,
    /// The field is greater or equal.
    AtLeast,
    /// The field is less.
    Less,
    /// The field is less or equal.
    AtMost,
}

impl Filter {
    /// Makes a condition: the field, which may be a path `a.b`, compared with a value.
    pub fn new(field: impl Into<String>, comparison: Comparison, value: impl Into<Value>) -> Self {
        Self { field: field.into(), comparison, value: value.into() }
    }

    fn holds(&self, value: &Value) -> bool {
        let found = self.field.split('.').try_fold(value, |value, field| value.get(field));
        let order = found.and_then(|found| compare(found, &self.value));
        let equal = found.is_some_and(|found| order.map_or(*found == self.value, Ordering::is_eq));
        match self.comparison {
            Comparison::Equal => equal,
            Comparison::NotEqual => !equal,
            Comparison::More => order.is_some_and(Ordering::is_gt),
            Comparison::AtLeast => order.is_some_and(Ordering::is_ge),
            Comparison::Less => order.is_some_and(Ordering::is_lt),
            Comparison::AtMost => order.is_some_and(Ordering::is_le),
        }
    }
}

fn compare(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

impl ItemQuery {
    /// Makes a query for everything at and below a path.
    pub fn below(path: &ItemPath) -> Self {
        Self { below: Some(path.clone()), ..Self::default() }
    }

    /// Adds a condition on the value of an item; all conditions must hold.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Searches for the words of this text; the best items come first.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Returns at most `limit` items, after skipping `offset`.
    #[must_use]
    pub fn page(mut self, limit: usize, offset: usize) -> Self {
        (self.limit, self.offset) = (limit, offset);
        self
    }

    /// Returns the items that match. For stores, which pass all items sorted by path and key.
    pub fn select(&self, items: Vec<Item>) -> Vec<FoundItem> {
        let fits = |item: &Item| {
            self.below.as_ref().is_none_or(|below| item.path.is_below(below))
                && self.filters.iter().all(|filter| filter.holds(&item.value))
        };
        let fitting: Vec<Item> = items.into_iter().filter(fits).collect();
        let found = match &self.text {
            None => fitting.into_iter().map(|item| FoundItem { item, score: None }).collect(),
            Some(text) => rank_items(text, fitting),
        };
        found.into_iter().skip(self.offset).take(self.limit).collect()
    }
}

fn rank_items(text: &str, items: Vec<Item>) -> Vec<FoundItem> {
    let texts: Vec<String> = items.iter().map(|item| collect_text(&item.value)).collect();
    let mut found: Vec<FoundItem> = items
        .into_iter()
        .zip(rank(text, &texts))
        .filter(|(_, score)| *score > 0.0)
        .map(|(item, score)| FoundItem { item, score: Some(score) })
        .collect();
    // A stable sort, so that items of equal score keep the order of paths and keys.
    found.sort_by(|one, other| other.score.partial_cmp(&one.score).unwrap_or(Ordering::Equal));
    found
}

/// Returns all texts in a value, joined by spaces. Names of fields are left out.
fn collect_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(collect_text).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => fields.values().map(collect_text).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A query for the paths under which a store has items.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PathQuery {
    /// The first labels of the paths; `*` matches any label.
    pub prefix: Vec<String>,
    /// The last labels of the paths; `*` matches any label.
    pub suffix: Vec<String>,
    /// Number of labels that paths are cut to; not cut when `None`.
    pub depth: Option<usize>,
    /// Maximum number of paths; 100 by default.
    pub limit: usize,
    /// Number of paths to skip; 0 by default.
    pub offset: usize,
}

impl Default for PathQuery {
    fn default() -> Self {
        Self { prefix: Vec::new(), suffix: Vec::new(), depth: None, limit: PATHS, offset: 0 }
    }
}

impl PathQuery {
    /// Lists only paths that begin with these labels; `*` stands for any label.
    #[must_use]
    pub fn prefix<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.prefix = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Lists only paths that end with these labels; `*` stands for any label.
    #[must_use]
    pub fn suffix<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.suffix = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Cuts paths to their first labels, this many; equal results are listed once.
    #[must_use]
    pub fn depth(mut self, labels: usize) -> Self {
        self.depth = Some(labels);
        self
    }

    /// Returns at most `limit` paths, after skipping `offset`.
    #[must_use]
    pub fn page(mut self, limit: usize, offset: usize) -> Self {
        (self.limit, self.offset) = (limit, offset);
        self
    }

    /// Returns the paths that match, cut to [`depth`](Self::depth), sorted and without repetitions.
    pub fn select(&self, paths: impl IntoIterator<Item = ItemPath>) -> Vec<ItemPath> {
        let fit = |pattern: &[String], labels: &[String]| {
            pattern.iter().zip(labels).all(|(wanted, label)| wanted == "*" || wanted == label)
        };
        let fits = |path: &ItemPath| {
            let labels = path.labels();
            labels.len() >= self.prefix.len().max(self.suffix.len())
                && fit(&self.prefix, labels)
                && fit(&self.suffix, &labels[labels.len() - self.suffix.len()..])
        };
        let cut = |path: ItemPath| {
            let depth = self.depth.unwrap_or(usize::MAX).max(1);
            ItemPath::new(path.labels().iter().take(depth).cloned()).expect("a beginning of a path is a path")
        };
        let all: BTreeSet<ItemPath> = paths.into_iter().filter(fits).map(cut).collect();
        all.into_iter().skip(self.offset).take(self.limit).collect()
    }
}
