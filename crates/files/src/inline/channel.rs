//! One channel of an inline state: what it holds, how it is written, how long it lives.

use serde_json::{Value, json};

use super::messages;
use super::reducer::Reducer;
use super::shape::{Basic, Shape};
use super::update::Writes;
use stategraph_core::{Fold, Kept};

/// A channel as its file declares it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpec {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub shape: Shape,
    /// How writes become its value.
    pub reducer: Reducer,
    /// How long its value lives.
    pub kept: Kept,
    /// What it begins with; where none is said, that of its reducer.
    pub default: Option<Value>,
    /// What one write is; see [`ChannelSpec::new`].
    written: Shape,
}

impl ChannelSpec {
    /// A channel with a last value, or a conversation, that every checkpoint holds.
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

    /// With a reducer; says what kind of channel it wants when this is another.
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

    /// What it begins with.
    pub fn initial(&self) -> Value {
        match self.default.clone() {
            Some(default) => self.named(default),
            None => self.reducer.initial(self.shape.basic()),
        }
    }

    /// A write of this value by a node, in the form of a checkpoint.
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

    /// Returns the write of an input: a value of the channel's type, which goes through the reducer; the form is that of a checkpoint.
    pub(super) fn input(&self, value: Value) -> Result<Value, String> {
        match (self.reducer, self.shape.basic()) {
            (Reducer::Append, Basic::List) => Ok(json!({ "++": self.shape.take(value)? })),
            _ => self.write(value),
        }
    }

    /// A write that replaces the whole value, in the form of a checkpoint.
    pub(super) fn overwrite(&self, value: Value) -> Result<Value, String> {
        let value = self.shape.take(value)?;
        Ok(if self.reducer == Reducer::Last { value } else { json!({ "=": value }) })
    }

    /// The whole value, where it fits; nothing is what a channel may begin with.
    pub(super) fn whole(&self, value: Value) -> Result<Value, String> {
        if value == self.initial() { Ok(value) } else { Ok(self.named(self.shape.take(value)?)) }
    }

    /// With an id for each message of a conversation.
    fn named(&self, value: Value) -> Value {
        if self.reducer == Reducer::Messages { messages::numbered(value) } else { value }
    }

    /// Folds a write in the form of a checkpoint.
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
            // Its deltas in a checkpoint are the elements.
            Reducer::Extend => Reducer::Append.fold(value, delta),
            Reducer::Messages => messages::fold(value, delta),
            reducer => reducer.fold(value, self.written.take(delta)?),
        }
    }
}
