//! A channel of an inline state: its type, its reducer and the lifetime of its value.

use serde_json::{Value, json};

use super::custom::CustomFold;
use super::limits::ValueLimits;
use super::messages;
use super::reducer::Reducer;
use super::value_type::{BasicType, ValueType};
use stategraph_core::{ChannelLifetime, Fold};

/// The stored form of the writes to a channel with a reducer: one delta, several, or an overwrite.
type FoldWrites = Fold<Value, Value>;

/// A channel that a graph file declares: its type, reducer, lifetime and default. It encodes and folds the
/// writes to the channel.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSpec {
    /// Name of the channel.
    pub name: String,
    /// Type of the value.
    pub value_type: ValueType,
    /// Reducer that folds writes into the value.
    pub reducer: Reducer,
    /// Lifetime of the value; every checkpoint holds it unless set.
    pub kept: ChannelLifetime,
    /// Initial value; `None` uses that of the reducer.
    pub default: Option<Value>,
    /// The expression of the reducer [`Reducer::Custom`]; `None` for every other one.
    custom: Option<CustomFold>,
    /// Type of one write. It differs from `value_type` for `append` on a list, where one write is an element.
    write_type: ValueType,
}

impl ChannelSpec {
    /// Creates a channel that every checkpoint holds, with the reducer `messages` for a conversation and `last` for
    /// every other type.
    pub fn new(name: impl Into<String>, value_type: ValueType) -> Self {
        let is_conversation = value_type.basic_type() == BasicType::Messages;
        Self {
            name: name.into(),
            write_type: value_type.clone(),
            value_type,
            reducer: if is_conversation { Reducer::Messages } else { Reducer::Last },
            kept: ChannelLifetime::Always,
            default: None,
            custom: None,
        }
    }

    /// Sets a built-in reducer. Fails if it cannot work on the type of the channel; the error names the types
    /// it needs, in words.
    pub fn with_reducer(mut self, reducer: Reducer) -> Result<Self, &'static str> {
        let basic = self.value_type.basic_type();
        if let Some(wanted) = reducer.required_types(basic) {
            return Err(wanted);
        }
        self.write_type = match reducer {
            Reducer::Append if basic == BasicType::List => self.value_type.item_type(),
            _ => self.value_type.clone(),
        };
        self.reducer = reducer;
        Ok(self)
    }

    /// Sets a reducer that a file writes as an expression. A write can be any value; the result of the
    /// expression must fit the type of the channel. Fails for a conversation; the error names the required
    /// types.
    pub fn with_fold(self, rule: CustomFold) -> Result<Self, &'static str> {
        let any = ValueType::from_basic(BasicType::Any);
        let channel = self.with_reducer(Reducer::Custom)?;
        Ok(Self { custom: Some(rule), write_type: any, ..channel })
    }

    /// Returns true if both channels have the same type, reducer and lifetime. A write to one can then be
    /// applied to the other.
    pub(crate) fn has_rules_of(&self, other: &Self) -> bool {
        self.value_type == other.value_type
            && self.reducer == other.reducer
            && self.custom == other.custom
            && self.kept == other.kept
    }

    /// Returns the source text of a reducer that is an expression; `None` for built-in reducers.
    pub(super) fn custom_text(&self) -> Option<&str> {
        self.custom.as_ref().map(|rule| rule.0.text())
    }

    /// Returns the declared default, or else the initial value of the reducer, such as an empty list.
    pub fn initial_value(&self) -> Value {
        match self.default.clone() {
            Some(default) => self.with_message_ids(default),
            None => self.reducer.initial_value(self.value_type.basic_type()),
        }
    }

    /// Checks a value that a node writes, and returns it in the form that checkpoints store, such as `{"+":
    /// 1}`. The error is the reason why it does not fit.
    pub(super) fn encode_write(&self, value: Value) -> Result<Value, String> {
        match (self.reducer, value) {
            (Reducer::Last, value) => self.value_type.accept(value),
            (Reducer::Messages, value) => Ok(json!({ "++": messages::parse_changes(value)? })),
            (Reducer::Extend, value) => match self.value_type.accept(value)? {
                Value::Array(items) => Ok(json!({ "++": items })),
                other => Err(format!("{other} is no list")),
            },
            (_, value) => Ok(json!({ "+": self.write_type.accept(value)? })),
        }
    }

    /// Checks an input of a run, and returns it in the form that checkpoints store. An input is a whole value
    /// of the channel: for `append` a list of elements, which are folded one by one.
    pub(super) fn encode_input(&self, value: Value) -> Result<Value, String> {
        match (self.reducer, self.value_type.basic_type()) {
            (Reducer::Append, BasicType::List) => Ok(json!({ "++": self.value_type.accept(value)? })),
            _ => self.encode_write(value),
        }
    }

    /// Checks a value that replaces the whole value of the channel, and returns the write in the form that
    /// checkpoints store: `{"=": …}` unless the reducer is `last`.
    pub(super) fn encode_overwrite(&self, value: Value) -> Result<Value, String> {
        let value = self.value_type.accept(value)?;
        Ok(if self.reducer == Reducer::Last { value } else { json!({ "=": value }) })
    }

    /// Returns a whole value if it fits the type; messages without an id get one. The initial value always
    /// passes, because it may be null.
    pub(super) fn check_whole(&self, value: Value) -> Result<Value, String> {
        if value == self.initial_value() {
            Ok(value)
        } else {
            Ok(self.with_message_ids(self.value_type.accept(value)?))
        }
    }

    /// Gives each message without an id one, if the channel is a conversation; returns other values
    /// unchanged.
    fn with_message_ids(&self, value: Value) -> Value {
        if self.reducer == Reducer::Messages { messages::assign_ids(value) } else { value }
    }

    /// Folds a write, in the form that checkpoints store, into `value`. Fails with the reason if it has
    /// another form or does not fit.
    pub(super) fn fold_write(
        &self,
        value: &mut Value,
        write: Value,
        limits: ValueLimits,
    ) -> Result<(), String> {
        if self.reducer == Reducer::Last {
            *value = self.check_whole(write)?;
            return Ok(());
        }
        let writes: FoldWrites = serde_json::from_value(write).map_err(|_| {
            format!("`{}` takes writes as {{\"+\": …}}, {{\"++\": […]}} or {{\"=\": …}}", self.reducer.name())
        })?;
        match writes {
            Fold::Overwrite(whole) => *value = self.check_whole(whole)?,
            Fold::One(delta) => self.fold_delta(value, delta, limits)?,
            Fold::Many(all) => {
                all.into_iter().try_for_each(|delta| self.fold_delta(value, delta, limits))?;
            }
        }
        Ok(())
    }

    /// Folds one delta (a single write to a channel with a reducer) into `value`.
    pub(super) fn fold_delta(
        &self,
        value: &mut Value,
        delta: Value,
        limits: ValueLimits,
    ) -> Result<(), String> {
        if let Some(rule) = &self.custom {
            *value = self.value_type.accept(rule.0.fold(value, delta, limits)?)?;
            return Ok(());
        }
        match self.reducer {
            // A checkpoint stores the elements as single deltas.
            Reducer::Extend => Reducer::Append.apply(value, delta),
            Reducer::Messages => messages::fold(value, delta),
            reducer => reducer.apply(value, self.write_type.accept(delta)?),
        }
    }
}
