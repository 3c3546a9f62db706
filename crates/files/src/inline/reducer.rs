//! The reducers of graph files: LangGraph's reducers by name (F9-F13), on JSON. Pure.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::messages;
use super::value_type::BasicType;

/// The rule that folds a write into the value of a channel. A graph file names it with the key `reducer`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reducer {
    /// Replaces the value. Two writers in one superstep are an error.
    #[default]
    Last,
    /// Appends the write to a list as one element, or to a text.
    Append,
    /// Appends every element of the written list to a list.
    Extend,
    /// Adds numbers.
    Add,
    /// Keeps the larger value.
    Max,
    /// Keeps the smaller value.
    Min,
    /// Adds the entries of a map; later keys win.
    Merge,
    /// Adds messages to a conversation, replaces those with the same id, and removes messages. Every channel of type
    /// `messages` has this reducer.
    Messages,
    /// Gives the value that an expression of the file computes; see [`ChannelSpec::with_fold`](super::ChannelSpec::with_fold).
    Custom,
}

impl Reducer {
    /// All reducers that a file can name, with their names.
    pub const ALL: [(&'static str, Self); 8] = [
        ("last", Self::Last),
        ("append", Self::Append),
        ("extend", Self::Extend),
        ("add", Self::Add),
        ("max", Self::Max),
        ("min", Self::Min),
        ("merge", Self::Merge),
        ("messages", Self::Messages),
    ];

    /// Returns the reducer with this name in graph files; `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, reducer)| *reducer)
    }

    /// Returns the name of the reducer in graph files; `custom` for an expression.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, reducer)| *reducer == self).map_or("custom", |(name, _)| name)
    }

    /// Returns `None` if the reducer works on the type `basic`; otherwise the types it needs, in words, for a
    /// message.
    pub fn required_types(self, basic: BasicType) -> Option<&'static str> {
        let (is_suitable, required) = match self {
            Self::Last | Self::Custom => (basic != BasicType::Messages, "anything but messages"),
            Self::Messages => (basic == BasicType::Messages, "messages"),
            Self::Append => (matches!(basic, BasicType::List | BasicType::String), "a list or a string"),
            Self::Extend => (basic == BasicType::List, "a list"),
            Self::Add => (matches!(basic, BasicType::Integer | BasicType::Number), "an integer or a number"),
            Self::Max | Self::Min => (
                matches!(basic, BasicType::Integer | BasicType::Number | BasicType::String),
                "an integer, a number or a string",
            ),
            Self::Merge => (basic == BasicType::Object, "an object"),
        };
        (!is_suitable).then_some(required)
    }

    /// Returns the initial value of a channel of type `basic` without a declared default: an empty text, list
    /// or map, 0, or null.
    pub fn initial_value(self, basic: BasicType) -> Value {
        match (self, basic) {
            (Self::Append, BasicType::String) => Value::String(String::new()),
            (Self::Append | Self::Extend | Self::Messages, _) => Value::Array(Vec::new()),
            (Self::Add, _) => 0.into(),
            (Self::Merge, _) => Value::Object(Map::new()),
            (Self::Last | Self::Max | Self::Min | Self::Custom, _) => Value::Null,
        }
    }

    /// Folds one write into `value`. The caller checked `written` against the type. Fails if a sum overflows.
    pub(super) fn apply(self, value: &mut Value, written: Value) -> Result<(), String> {
        match (self, &mut *value, written) {
            (Self::Append, Value::Array(list), written) => list.push(written),
            (Self::Append, Value::String(text), Value::String(written)) => text.push_str(&written),
            (Self::Extend, Value::Array(list), Value::Array(written)) => list.extend(written),
            (Self::Merge, Value::Object(map), Value::Object(written)) => map.extend(written),
            (Self::Add, Value::Number(sum), Value::Number(written)) => *sum = add(sum, &written)?,
            (Self::Messages, value, written) => messages::fold(value, written)?,
            (Self::Max, value, written) => keep_extreme(value, written, Ordering::Greater),
            (Self::Min, value, written) => keep_extreme(value, written, Ordering::Less),
            // A channel without a value takes the first write.
            (_, value, written) => *value = written,
        }
        Ok(())
    }
}

fn add(sum: &Number, written: &Number) -> Result<Number, String> {
    if let (Some(a), Some(b)) = (sum.as_i64(), written.as_i64()) {
        let total = a.checked_add(b).map(Number::from);
        return total.ok_or_else(|| format!("{a} + {b} does not fit into 64 bits"));
    }
    let total = sum.as_f64().zip(written.as_f64()).and_then(|(a, b)| Number::from_f64(a + b));
    total.ok_or_else(|| format!("{sum} + {written} is no finite number"))
}

fn keep_extreme(value: &mut Value, written: Value, wanted: Ordering) {
    if value.is_null() || compare(&written, value) == Some(wanted) {
        *value = written;
    }
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
    }
}
