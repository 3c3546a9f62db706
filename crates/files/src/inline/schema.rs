//! The channels of an inline state, and the encoding of writes to them. Holds no values; see `state.rs`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::channel::ChannelSpec;
use super::limits::Limits;
use super::update::JsonUpdate;
use crate::read::listed;
use stategraph_core::{Digest, Kept, nearest};

/// The channels of an inline state, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    channels: Vec<ChannelSpec>,
    by_name: BTreeMap<String, usize>,
    /// Bounds that the file lowers.
    lowered: Option<Limits>,
}

impl Schema {
    /// Creates a schema. If two channels have one name, the later one is used.
    pub fn new(channels: Vec<ChannelSpec>) -> Self {
        let by_name = channels.iter().enumerate().map(|(at, channel)| (channel.name.clone(), at)).collect();
        Self { channels, by_name, lowered: None }
    }

    /// Lowers the bounds of values below those of the user.
    #[must_use]
    pub fn lowered(mut self, limits: Limits) -> Self {
        self.lowered = Some(limits);
        self
    }

    /// Returns the effective bounds under those that the user allows.
    pub fn limits(&self, allowed: Limits) -> Limits {
        self.lowered.map_or(allowed, |lowered| allowed.lowest(lowered))
    }

    /// Returns the channels, in the order of the file.
    pub fn channels(&self) -> &[ChannelSpec] {
        &self.channels
    }

    /// Returns the channel of this name.
    pub fn channel(&self, name: &str) -> Option<&ChannelSpec> {
        self.find(name).map(|at| &self.channels[at])
    }

    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the names of the channels, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.channels.iter().map(|channel| channel.name.as_str())
    }

    /// Adds the write of a value to an update. Fails with the reason if it does not fit the channel (parity D10).
    pub fn write(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.written(update, name, |channel| channel.write(value))
    }

    /// Adds the write of an input to an update: a whole value of the channel, which goes through the reducer (F44).
    pub fn input(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.written(update, name, |channel| channel.input(value))
    }

    /// Adds a write that replaces the whole value of a channel, whatever its reducer (F11).
    pub fn overwrite(&self, update: &mut JsonUpdate, name: &str, value: Value) -> Result<(), String> {
        self.written(update, name, |channel| channel.overwrite(value))
    }

    fn written(
        &self,
        update: &mut JsonUpdate,
        name: &str,
        form: impl FnOnce(&ChannelSpec) -> Result<Value, String>,
    ) -> Result<(), String> {
        let channel = self.channel(name).ok_or_else(|| self.unknown(name))?;
        let write =
            form(channel).map_err(|reason| format!("what is written to `{name}` does not fit: {reason}"))?;
        match channel.kept {
            Kept::InRun => update.write_passing(name, write),
            Kept::Always | Kept::OneStep => update.write(name, write),
        }
        Ok(())
    }

    /// Returns a digest that is equal for equal channels.
    pub fn digest(&self) -> Digest {
        let line = |channel: &ChannelSpec| {
            let ChannelSpec { name, shape, reducer, kept, .. } = channel;
            format!("{name}: {} ({}, {kept:?})", shape.schema(), reducer.name())
        };
        Digest::of(&self.channels.iter().map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the message for an unknown channel, with the most similar name.
    pub(crate) fn unknown(&self, name: &str) -> String {
        match nearest(name, self.names()) {
            Some(meant) => format!("the state has no channel `{name}`; did you mean `{meant}`?"),
            None => format!(
                "the state has no channel `{name}`; it has {}",
                listed(&self.names().collect::<Vec<_>>())
            ),
        }
    }
}
