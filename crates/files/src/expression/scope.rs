//! The names that an expression sees, with their values: `state`, and the locals of its node. Evaluates nothing.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::analysis::Reads;
use super::nulls::NullHandling;
use crate::inline::JsonState;

/// The values that an expression can read when it is evaluated: the state and local names such as `item`.
#[derive(Clone)]
pub struct EvalScope<'a> {
    state: &'a JsonState,
    locals: BTreeMap<&'a str, Value>,
}

impl<'a> EvalScope<'a> {
    /// Creates a scope in which expressions see only the state.
    pub fn new(state: &'a JsonState) -> Self {
        Self { state, locals: BTreeMap::new() }
    }

    /// Adds a local name with its value, which expressions read as `name`.
    #[must_use]
    pub fn with_local(mut self, name: &'a str, value: Value) -> Self {
        self.locals.insert(name, value);
        self
    }

    /// Returns a copy of the scope without its local names.
    #[must_use]
    pub fn without_locals(&self) -> Self {
        Self::new(self.state)
    }

    /// Returns the state that the expressions read.
    pub fn state(&self) -> &'a JsonState {
        self.state
    }

    /// Returns the value of a local name if it is a map; for `context`, the context of the run. Does not look
    /// into `state`, because a check of the file knows the channels.
    pub(super) fn fields_of(&self, name: &str) -> Option<&Map<String, Value>> {
        match name {
            "context" => Some(self.state.context()),
            name => self.locals.get(name)?.as_object(),
        }
    }

    /// Returns the value of a channel if it is a map; otherwise `None`.
    pub(super) fn fields_of_channel(&self, channel: &str) -> Option<&Map<String, Value>> {
        self.state.get(channel)?.as_object()
    }

    /// Converts the scope to the variables of minijinja: `state`, `context` and the locals. Only the channels
    /// in `reads` are converted, so that a long list costs nothing elsewhere.
    pub(super) fn to_context(&self, reads: &Reads, nulls: NullHandling) -> minijinja::Value {
        let channels = self.state.entries().filter(|(name, _)| match reads {
            Reads::All => true,
            Reads::Channels(names) => names.contains(*name),
        });
        let state: BTreeMap<String, minijinja::Value> =
            channels.map(|(name, value)| (name.to_owned(), nulls.convert(value))).collect();
        let local = |(name, value): (&&str, &Value)| ((*name).to_owned(), nulls.convert(value));
        let locals = self.locals.iter().map(local);
        let context = (!self.state.context().is_empty()).then(|| {
            let values = self.state.context().iter();
            let values = values.map(|(name, value)| (name.clone(), nulls.convert(value)));
            ("context".to_owned(), values.collect::<BTreeMap<String, minijinja::Value>>().into())
        });
        let all: BTreeMap<String, minijinja::Value> =
            locals.chain([("state".to_owned(), state.into())]).chain(context).collect();
        all.into()
    }
}
