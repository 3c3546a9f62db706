//! A channel of an inline state: its type, its reducer and the lifetime of its value.

use serde_json::{Value, json};

use super::messages;
use super::reducer::Reducer;
use super::shape::{Basic, Shape};
use super::update::Writes;
use stategraph_core::{Fold, Kept};

/// A channel that a file declares.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpec {
    /// Name of the channel.
    pub name: String,
    /// Type of the value.
    pub shape: Shape,
    /// Reducer that folds writes into the value.
    pub reducer: Reducer,
    /// Lifetime of the value; every checkpoint holds it unless set.
    pub kept: Kept,
    /// Initial value; `None` uses that of the reducer.
    pub default: Option<Value>,
    /// Type of one write. It differs from `value_type` for `append` on a list, where one write is an element.
    written: Shape,
}

impl ChannelSpec {
    /// Creates a channel that every checkpoint holds, with the reducer `messages` for a conversation and `last` for
    /// every other type.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        let is_conversation = shape.basic() == Basic::Messages;
        Self {
            name: name.into(),
            written: shape.clone(),
            shape,
            reducer: if is_conversation { Reducer::Messages } else { Reducer::Last },
            kept: Kept::Always,
            default: None,
        }
    }

    /// Sets the reducer. Fails with the required type, in words, if the type of the channel does not suit it.
    pub fn reduced(mut self, reducer: Reducer) -> Result<Self, &'static str> {
        let basic = self.shape.basic();
        if let Some(wanted) = reducer.wants(basic) {
            return Err(wanted);
        }
        self.written = match reducer {
            Reducer::Append if basic == Basic::List => self.shape.item(),
            _ => self.shape.clone(),
        };
        self.reducer = reducer;
        Ok(self)
    }

    /// Returns the initial value.
    pub fn initial(&self) -> Value {
        match self.default.clone() {
            Some(default) => self.named(default),
            None => self.reducer.initial(self.shape.basic()),
        }
    }

    /// Encodes a value that a node writes, in the form that checkpoints store.
    pub(super) fn write(&self, value: Value) -> Result<Value, String> {
        match (self.reducer, value) {
            (Reducer::Last, value) => self.shape.take(value),
            (Reducer::Messages, value) => Ok(json!({ "++": messages::changes(value)? })),
            (Reducer::Extend, value) => match self.shape.take(value)? {
                Value::Array(items) => Ok(json!({ "++": items })),
                other => Err(format!("{other} is no list")),
            },
            (_, value) => Ok(json!({ "+": self.written.take(value)? })),
        }
    }

    /// Encodes an input of a run, in the form that checkpoints store. It is a whole value of the channel, which goes
    /// through the reducer.
    pub(super) fn input(&self, value: Value) -> Result<Value, String> {
        match (self.reducer, self.shape.basic()) {
            (Reducer::Append, Basic::List) => Ok(json!({ "++": self.shape.take(value)? })),
            _ => self.write(value),
        }
    }

    /// Encodes a write that replaces the whole value, in the form that checkpoints store.
    pub(super) fn overwrite(&self, value: Value) -> Result<Value, String> {
        let value = self.shape.take(value)?;
        Ok(if self.reducer == Reducer::Last { value } else { json!({ "=": value }) })
    }

    /// Checks a whole value against the type. The initial value always passes, because it may be null.
    pub(super) fn whole(&self, value: Value) -> Result<Value, String> {
        if value == self.initial() { Ok(value) } else { Ok(self.named(self.shape.take(value)?)) }
    }

    /// Gives each message of a conversation an id; other values stay.
    fn named(&self, value: Value) -> Value {
        if self.reducer == Reducer::Messages { messages::numbered(value) } else { value }
    }

    /// Folds a write, in the form that checkpoints store, into the value.
    pub(super) fn fold(&self, value: &mut Value, write: Value) -> Result<(), String> {
        if self.reducer == Reducer::Last {
            *value = self.whole(write)?;
            return Ok(());
        }
        let writes: Writes = serde_json::from_value(write).map_err(|_| {
            format!("`{}` takes writes as {{\"+\": …}}, {{\"++\": […]}} or {{\"=\": …}}", self.reducer.name())
        })?;
        match writes {
            Fold::Overwrite(whole) => *value = self.whole(whole)?,
            Fold::One(delta) => self.delta(value, delta)?,
            Fold::Many(all) => all.into_iter().try_for_each(|delta| self.delta(value, delta))?,
        }
        Ok(())
    }

    fn delta(&self, value: &mut Value, delta: Value) -> Result<(), String> {
        match self.reducer {
            // A checkpoint stores the elements as single deltas.
            Reducer::Extend => Reducer::Append.fold(value, delta),
            Reducer::Messages => messages::fold(value, delta),
            reducer => reducer.fold(value, self.written.take(delta)?),
        }
    }
}
