//! Parses YAML or JSON into a tree in which every value knows its span. Knows nothing of graphs.
//!
//! A typed deserialiser stops at the first value that does not fit; with a tree, `read.rs` can report all of them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::options::{AliasLimits, DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Budget, Location, Options, Spanned};

use super::located::Located;
use super::source::Span;

/// Maximum nesting depth of lists and maps; a graph file needs six.
pub const DEPTH_MAX: usize = 16;

/// Maximum number of values in a file; the largest graph needs about half of them.
const VALUES_MAX: usize = 100_000;

/// Maximum number of values that the aliases of a file may add, about a hundred times the use in a hand-written file.
const ALIAS_VALUES_MAX: usize = 10_000;

/// A node of the tree: a value with its span. Of a list or map only the start is known, because the parser gives no
/// end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tree {
    pub(crate) value: TreeValue,
    pub(crate) span: Span,
}

/// A value of YAML or JSON. Maps keep their order and their duplicate keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TreeValue {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Tree>),
    Map(Vec<(Located<String>, Tree)>),
}

impl TreeValue {
    /// Describes the value for messages.
    pub(crate) fn description(&self) -> String {
        match self {
            Self::Null => "empty".to_owned(),
            Self::Bool(value) => format!("the truth value {value}"),
            Self::Number(value) => format!("the number {value}"),
            Self::Text(_) => "text".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
        }
    }
}

/// Parses one document within the bounds of depth, size and alias expansion.
pub(crate) fn parse(text: &str) -> Result<Tree, serde_saphyr::Error> {
    serde_saphyr::from_str_with_options(text, options())
}

fn options() -> Options {
    let mut budget = Budget::default();
    budget.max_depth = DEPTH_MAX;
    budget.flow_nesting_limit = DEPTH_MAX;
    budget.max_nodes = VALUES_MAX;
    let mut alias_limits = AliasLimits::default();
    alias_limits.max_total_replayed_events = ALIAS_VALUES_MAX;
    let mut options = Options::default();
    options.budget = Some(budget);
    options.alias_limits = alias_limits;
    options.duplicate_keys = DuplicateKeyPolicy::PassThrough;
    options.non_finite_float_policy = NonFiniteFloatPolicy::PassThrough;
    // YAML 1.1 reads `no` as false, but it is a good name for a node.
    options.strict_booleans = true;
    options
}

/// Returns the byte range of a location; empty if the parser does not know it.
pub(crate) fn span_of(location: Location) -> Span {
    let span = location.span();
    let known = |n: Option<u64>| n.and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
    let start = known(span.byte_offset());
    start..start + known(span.byte_len())
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::deserialize(deserializer)?;
        Ok(Self { value, span: span_of(referenced) })
    }
}

impl<'de> Deserialize<'de> for TreeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = TreeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Null)
    }

    fn visit_none<E>(self) -> Result<TreeValue, E> {
        Ok(TreeValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<TreeValue, E> {
        Ok(TreeValue::Bool(value))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of a graph file are small; larger ones are refused"
    )]
    fn visit_i64<E>(self, value: i64) -> Result<TreeValue, E> {
        Ok(TreeValue::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of a graph file are small; larger ones are refused"
    )]
    fn visit_u64<E>(self, value: u64) -> Result<TreeValue, E> {
        Ok(TreeValue::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of a graph file are small; larger ones are refused"
    )]
    fn visit_i128<E>(self, value: i128) -> Result<TreeValue, E> {
        Ok(TreeValue::Number(value as f64))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of a graph file are small; larger ones are refused"
    )]
    fn visit_u128<E>(self, value: u128) -> Result<TreeValue, E> {
        Ok(TreeValue::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<TreeValue, E> {
        Ok(TreeValue::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<TreeValue, E> {
        Ok(TreeValue::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<TreeValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(TreeValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<TreeValue, A::Error> {
        let mut map = Vec::new();
        while let Some(Spanned { value, referenced, .. }) = entries.next_key::<Spanned<String>>()? {
            map.push((Located { value, span: span_of(referenced) }, entries.next_value()?));
        }
        Ok(TreeValue::Map(map))
    }
}
