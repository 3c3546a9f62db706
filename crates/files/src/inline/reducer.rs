//! How writes become the value of a channel: LangGraph's reducers by name (F9-F13), on JSON. Pure.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

use super::messages;
use super::shape::Basic;

/// How a write becomes the value of a channel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reducer {
    /// The written value; two writers in one superstep are an error.
    #[default]
    Last,
    /// A list takes the written value as its next element, a text goes on with the written one.
    Append,
    /// A list takes every element of the written list.
    Extend,
    /// The sum.
    Add,
    /// The larger.
    Max,
    /// The smaller.
    Min,
    /// A map takes the entries of the written one; later keys win.
    Merge,
    /// A conversation takes messages: at its end, or in the place of the one with the same id; and removals. The reducer of every
    /// channel of the type `messages`.
    Messages,
}

impl Reducer {
    /// All of them, by name.
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

    /// The reducer of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, reducer)| *reducer)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, reducer)| *reducer == self).expect("the table holds all of them").0
    }

    /// What kind of channel it works on, in words; none when it works on this one.
    pub fn wants(self, basic: Basic) -> Option<&'static str> {
        let (works, wanted) = match self {
            Self::Last => (basic != Basic::Messages, "anything but messages"),
            Self::Messages => (basic == Basic::Messages, "messages"),
            Self::Append => (matches!(basic, Basic::List | Basic::String), "a list or a string"),
            Self::Extend => (basic == Basic::List, "a list"),
            Self::Add => (matches!(basic, Basic::Integer | Basic::Number), "an integer or a number"),
            Self::Max | Self::Min => (
                matches!(basic, Basic::Integer | Basic::Number | Basic::String),
                "an integer, a number or a string",
            ),
            Self::Merge => (basic == Basic::Object, "an object"),
        };
        (!works).then_some(wanted)
    }

    /// What a channel begins with when its file does not say.
    pub fn initial(self, basic: Basic) -> Value {
        match (self, basic) {
            (Self::Append, Basic::String) => Value::String(String::new()),
            (Self::Append | Self::Extend | Self::Messages, _) => Value::Array(Vec::new()),
            (Self::Add, _) => 0.into(),
            (Self::Merge, _) => Value::Object(Map::new()),
            (Self::Last | Self::Max | Self::Min, _) => Value::Null,
        }
    }

    /// Folds one written value, which has the right form, into the value.
    pub(super) fn fold(self, value: &mut Value, written: Value) -> Result<(), String> {
        match (self, &mut *value, written) {
            (Self::Append, Value::Array(list), written) => list.push(written),
            (Self::Append, Value::String(text), Value::String(written)) => text.push_str(&written),
            (Self::Extend, Value::Array(list), Value::Array(written)) => list.extend(written),
            (Self::Merge, Value::Object(map), Value::Object(written)) => map.extend(written),
            (Self::Add, Value::Number(sum), Value::Number(written)) => *sum = added(sum, &written)?,
            (Self::Messages, value, written) => messages::fold(value, written)?,
            (Self::Max, value, written) => keep(value, written, Ordering::Greater),
            (Self::Min, value, written) => keep(value, written, Ordering::Less),
            // What nothing was written to yet takes the first.
            (_, value, written) => *value = written,
        }
        Ok(())
    }
}

fn added(sum: &Number, written: &Number) -> Result<Number, String> {
    if let (Some(a), Some(b)) = (sum.as_i64(), written.as_i64()) {
        let total = a.checked_add(b).map(Number::from);
        return total.ok_or_else(|| format!("{a} + {b} does not fit into 64 bits"));
    }
    let total = sum.as_f64().zip(written.as_f64()).and_then(|(a, b)| Number::from_f64(a + b));
    total.ok_or_else(|| format!("{sum} + {written} is no finite number"))
}

fn keep(value: &mut Value, written: Value, wanted: Ordering) {
    if value.is_null() || compared(&written, value) == Some(wanted) {
        *value = written;
    }
}

fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
        },
    }
}
