//! Which items of a long-term store fit: filters on fields, ranking by text, paths by pattern. Pure (LangGraph F71).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::item::{Item, ItemPath};
use super::rank;

/// How many items are given when nobody says.
const ITEMS: usize = 10;

/// How many paths are given when nobody says.
const PATHS: usize = 100;

/// Which items are wanted. With a text, those that hold a word of it, the best first; else all, by path and key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemQuery {
    /// At and below which path; everywhere when none.
    pub below: Option<ItemPath>,
    /// What their values must be. All must hold.
    pub filters: Vec<Filter>,
    /// What their values should speak of.
    pub text: Option<String>,
    /// At most so many; 10 unless said.
    pub limit: usize,
    /// After so many others.
    pub offset: usize,
}

impl Default for ItemQuery {
    fn default() -> Self {
        Self { below: None, filters: Vec::new(), text: None, limit: ITEMS, offset: 0 }
    }
}

/// An item that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundItem {
    /// The item.
    pub item: Item,
    /// How well it fits the text (BM25: above 0, more is better); none when the query has no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A condition on a field of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// The field; `a.b` is the field `b` of the object in the field `a`.
    pub field: String,
    /// How it compares.
    pub is: Is,
    /// With what.
    pub value: Value,
}

/// How a field compares. Order is that of numbers and of texts; a value of another kind, or none, is never more nor less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// The same; `1` and `1.0` are.
    Equal,
    /// Not the same. A field that is not there is not.
    NotEqual,
    /// More.
    More,
    /// More, or the same.
    AtLeast,
    /// Less.
    Less,
    /// Less, or the same.
    AtMost,
}

impl Filter {
    /// A condition.
    pub fn new(field: impl Into<String>, is: Is, value: impl Into<Value>) -> Self {
        Self { field: field.into(), is, value: value.into() }
    }

    fn holds(&self, value: &Value) -> bool {
        let found = self.field.split('.').try_fold(value, |value, field| value.get(field));
        let order = found.and_then(|found| compare(found, &self.value));
        let equal = found.is_some_and(|found| order.map_or(*found == self.value, Ordering::is_eq));
        match self.is {
            Is::Equal => equal,
            Is::NotEqual => !equal,
            Is::More => order.is_some_and(Ordering::is_gt),
            Is::AtLeast => order.is_some_and(Ordering::is_ge),
            Is::Less => order.is_some_and(Ordering::is_lt),
            Is::AtMost => order.is_some_and(Ordering::is_le),
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
    /// Everything at and below a path.
    pub fn below(path: &ItemPath) -> Self {
        Self { below: Some(path.clone()), ..Self::default() }
    }

    /// Only where a condition holds.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filters.push(filter);
        self
    }

    /// Only what speaks of this, the best first.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// A page: so many, after so many others.
    #[must_use]
    pub fn page(mut self, limit: usize, offset: usize) -> Self {
        (self.limit, self.offset) = (limit, offset);
        self
    }

    /// Those of the items that fit. For stores, which give them sorted by path and key.
    pub fn select(&self, items: Vec<Item>) -> Vec<FoundItem> {
        let fits = |item: &Item| {
            self.below.as_ref().is_none_or(|below| item.path.is_below(below))
                && self.filters.iter().all(|filter| filter.holds(&item.value))
        };
        let fitting: Vec<Item> = items.into_iter().filter(fits).collect();
        let found = match &self.text {
            None => fitting.into_iter().map(|item| FoundItem { item, score: None }).collect(),
            Some(text) => ranked(text, fitting),
        };
        found.into_iter().skip(self.offset).take(self.limit).collect()
    }
}

fn ranked(text: &str, items: Vec<Item>) -> Vec<FoundItem> {
    let texts: Vec<String> = items.iter().map(|item| spoken(&item.value)).collect();
    let mut found: Vec<FoundItem> = items
        .into_iter()
        .zip(rank(text, &texts))
        .filter(|(_, score)| *score > 0.0)
        .map(|(item, score)| FoundItem { item, score: Some(score) })
        .collect();
    // Stable: what fits equally well stays in the order of paths and keys.
    found.sort_by(|one, other| other.score.partial_cmp(&one.score).unwrap_or(Ordering::Equal));
    found
}

/// The texts in a value, one after the other; names of fields do not count.
fn spoken(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(spoken).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => fields.values().map(spoken).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Which paths are wanted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PathQuery {
    /// How they begin, label by label; `*` stands for any label.
    pub begins: Vec<String>,
    /// How they end.
    pub ends: Vec<String>,
    /// Cut after so many labels.
    pub depth: Option<usize>,
    /// At most so many; 100 unless said.
    pub limit: usize,
    /// After so many others.
    pub offset: usize,
}

impl Default for PathQuery {
    fn default() -> Self {
        Self { begins: Vec::new(), ends: Vec::new(), depth: None, limit: PATHS, offset: 0 }
    }
}

impl PathQuery {
    /// Lists only paths that begin with these labels; `*` stands for any label.
    #[must_use]
    pub fn begins<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.begins = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Lists only paths that end with these labels.
    #[must_use]
    pub fn ends<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.ends = labels.into_iter().map(Into::into).collect();
        self
    }

    /// Cuts paths after so many labels.
    #[must_use]
    pub fn depth(mut self, labels: usize) -> Self {
        self.depth = Some(labels);
        self
    }

    /// Lists at most `limit` paths, after `offset` others.
    #[must_use]
    pub fn page(mut self, limit: usize, offset: usize) -> Self {
        (self.limit, self.offset) = (limit, offset);
        self
    }

    /// Those of the paths that fit, cut, each once, sorted.
    pub fn select(&self, paths: impl IntoIterator<Item = ItemPath>) -> Vec<ItemPath> {
        let fit = |pattern: &[String], labels: &[String]| {
            pattern.iter().zip(labels).all(|(wanted, label)| wanted == "*" || wanted == label)
        };
        let fits = |path: &ItemPath| {
            let labels = path.labels();
            labels.len() >= self.begins.len().max(self.ends.len())
                && fit(&self.begins, labels)
                && fit(&self.ends, &labels[labels.len() - self.ends.len()..])
        };
        let cut = |path: ItemPath| {
            let depth = self.depth.unwrap_or(usize::MAX).max(1);
            ItemPath::new(path.labels().iter().take(depth).cloned()).expect("a beginning of a path is a path")
        };
        let all: BTreeSet<ItemPath> = paths.into_iter().filter(fits).map(cut).collect();
        all.into_iter().skip(self.offset).take(self.limit).collect()
    }
}
