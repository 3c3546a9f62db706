//! The channels of an inline state, and the encoding of writes to them. Holds no values; see `state.rs`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::channel::ChannelSpec;
use super::limits::ValueLimits;
use super::update::JsonUpdate;
use crate::naming::join_quoted;
use stategraph_core::{ChannelLifetime, Digest, nearest};

/// The channels of an inline state, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StateSchema {
    channels: Vec<ChannelSpec>,
    by_name: BTreeMap<String, usize>,
    /// Bounds that the file lowers.
    lower_limits: Option<ValueLimits>,
}

impl StateSchema {
    /// Creates a schema. If two channels have one name, the later one is used.
    pub fn new(channels: Vec<ChannelSpec>) -> Self {
        let by_name = channels.iter().enumerate().map(|(at, channel)| (channel.name.clone(), at)).collect();
        Self { channels, by_name, lower_limits: None }
    }

    /// Lowers the bounds of values below those of the user.
    #[must_use]
    pub fn with_lower_limits(mut self, limits: ValueLimits) -> Self {
        self.lower_limits = Some(limits);
        self
    }

    /// Returns the effective bounds under those that the user allows.
    pub fn limits(&self, allowed: ValueLimits) -> ValueLimits {
        self.lower_limits.map_or(allowed, |lower| allowed.min(lower))
    }

    /// Returns the channels, in the order of the file.
    pub fn channels(&self) -> &[ChannelSpec] {
        &self.channels
    }

    /// Returns the channel of this name.
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

    /// Adds the write of a value to an update. Fails with the reason if it does not fit the channel (parity D10).
    pub fn add_write(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.add_encoded(update, name, |channel| channel.encode_write(value))
    }

    /// Adds the write of an input to an update: a whole value of the channel, which goes through the reducer (F44).
    pub fn add_input(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.add_encoded(update, name, |channel| channel.encode_input(value))
    }

    /// Adds a write that replaces the whole value of a channel, whatever its reducer (F11).
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

    /// Returns a digest that is equal for equal channels.
    pub fn digest(&self) -> Digest {
        let line = |channel: &ChannelSpec| {
            let ChannelSpec { name, value_type, reducer, kept, .. } = channel;
            let reducer = channel.custom_text().unwrap_or_else(|| reducer.name());
            format!("{name}: {} ({reducer}, {kept:?})", value_type.schema())
        };
        Digest::of(&self.channels.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the message for an unknown channel, with the most similar name.
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
