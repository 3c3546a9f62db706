//! The channels of an inline state, and the encoding of writes to them. Holds no values; see `state.rs`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::channel::ChannelSpec;
use super::limits::ValueLimits;
use super::update::JsonUpdate;
use crate::naming::join_quoted;
use stategraph_core::{ChannelLifetime, Digest, nearest};

/// The channels of a state that a graph file declares, in the order of the file. It encodes the writes to
/// them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateSchema {
    channels: Vec<ChannelSpec>,
    by_name: BTreeMap<String, usize>,
    /// Bounds that the file lowers.
    lower_limits: Option<ValueLimits>,
}

impl StateSchema {
    /// Creates a schema of these channels. If two have one name, the later one is found by it.
    pub fn new(channels: Vec<ChannelSpec>) -> Self {
        let by_name = channels.iter().enumerate().map(|(at, channel)| (channel.name.clone(), at)).collect();
        Self { channels, by_name, lower_limits: None }
    }

    /// Sets the bounds of values that the file declares. They only lower those of the user.
    #[must_use]
    pub fn with_lower_limits(mut self, limits: ValueLimits) -> Self {
        self.lower_limits = Some(limits);
        self
    }

    /// Returns the effective bounds: for each, the lower of the user's in `allowed` and the file's.
    pub fn limits(&self, allowed: ValueLimits) -> ValueLimits {
        self.lower_limits.map_or(allowed, |lower| allowed.min(lower))
    }

    /// Returns the channels, in the order of the file.
    pub fn channels(&self) -> &[ChannelSpec] {
        &self.channels
    }

    /// Returns the channel of this name; `None` if there is none.
    pub fn channel(&self, name: &str) -> Option<&ChannelSpec> {
        self.index_of(name).map(|at| &self.channels[at])
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the names of the channels, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|channel| channel.name.as_str())
    }

    /// Adds the write of a node to `update`, encoded for the channel `name`. Fails with the reason if there
    /// is no such channel or the value does not fit (parity D10).
    pub fn add_write(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.add_encoded(update, name, |channel| channel.encode_write(value))
    }

    /// Adds an input of a run to `update`: a whole value of the channel `name`, which goes through its
    /// reducer (F44).
    pub fn add_input(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.add_encoded(update, name, |channel| channel.encode_input(value))
    }

    /// Adds a write to `update` that replaces the whole value of the channel `name`, whatever its reducer
    /// (F11).
    pub fn add_overwrite(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.add_encoded(update, name, |channel| channel.encode_overwrite(value))
    }

    fn add_encoded(
        &self,
        update: &mut JsonUpdate,
        name: &str,
        encode: impl FnOnce(&ChannelSpec) -> Result<Value, String>,
    ) -> Result<(), String> {
        let channel = self.channel(name).ok_or_else(|| self.unknown_channel_message(name))?;
        let write = encode(channel)
            .map_err(|reason| format!("the value written to `{name}` does not fit: {reason}"))?;
        match channel.kept {
            ChannelLifetime::InRun => update.write_untracked(name, write),
            ChannelLifetime::Always | ChannelLifetime::OneStep => update.write(name, write),
        }
        Ok(())
    }

    /// Returns a digest of the names, types, reducers and lifetimes of the channels. It is equal if these are
    /// equal and in the same order.
    pub fn digest(&self) -> Digest {
        let line = |channel: &ChannelSpec| {
            let ChannelSpec { name, value_type, reducer, kept, .. } = channel;
            let reducer = channel.custom_text().unwrap_or_else(|| reducer.name());
            format!("{name}: {} ({reducer}, {kept:?})", value_type.schema())
        };
        Digest::of(&self.channels.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the error text for an unknown channel: it suggests the most similar name, or lists all names.
    pub(crate) fn unknown_channel_message(&self, name: &str) -> String {
        match nearest(name, self.names()) {
            Some(meant) => format!("the state has no channel `{name}`; did you mean `{meant}`?"),
            None => format!(
                "the state has no channel `{name}`; it has {}",
                join_quoted(&self.names().collect::<Vec<_>>())
            ),
        }
    }
}
