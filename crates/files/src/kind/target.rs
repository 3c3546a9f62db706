//! The key `to`: the channels that take the result of a node.

use schemars::JsonSchema;

use super::super::expression::DeclaredNames;
use super::super::format::Entries;
use super::super::read::Reader;
use super::parts::check_channel;
use super::write::{ChannelWrite, read_writes};
use stategraph_yaml::{YamlNode, YamlValue};

/// Target of a node's result: a channel, or a map from channels to expressions that see it as `result`.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Target", untagged)]
pub enum Target {
    /// To this channel.
    Channel(String),
    /// To these, each as its expression gives.
    Each(Entries<ChannelWrite>),
}

impl Target {
    /// Returns true if the channel takes the node's result or a part of it.
    pub(crate) fn names(&self, channel: &str) -> bool {
        match self {
            Self::Channel(name) => name == channel,
            Self::Each(channels) => channels.iter().any(|(name, _)| name == channel),
        }
    }

    /// Reads the key `to`. `names` are the names that its expressions may read, among them `result`. Reports
    /// unknown channels.
    pub(crate) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        if !matches!(tree.value, YamlValue::Map(_)) {
            let name = reader.read_name("`to`", tree)?;
            check_channel(reader, &name, names.schema)?;
            return Some(Self::Channel(name.value));
        }
        read_writes(reader, "`to`", tree, names.schema, names).map(Self::Each)
    }
}
