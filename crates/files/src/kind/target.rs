//! The key `to`: the channels that take the result of a node.

use schemars::JsonSchema;
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::expression::{DeclaredNames, Operand};
use super::super::format::Entries;
use super::super::read::Reader;
use super::parts::check_channel;

/// Target of a node's result: a channel, or a map from channels to expressions that see it as `result`.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Target", untagged)]
pub enum Target {
    /// To this channel.
    Channel(String),
    /// To these, each as its expression gives.
    Each(Entries<Operand>),
}

impl Target {
    pub(crate) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        if !matches!(tree.value, YamlValue::Map(_)) {
            let name = reader.read_name("`to`", tree)?;
            check_channel(reader, &name, names.schema)?;
            return Some(Self::Channel(name.value));
        }
        let entries = reader.read_entries("`to`", "channel", tree)?;
        let count = entries.len();
        let names = names.with_local("result");
        let read: Vec<_> = entries
            .into_iter()
            .filter_map(|(name, tree)| {
                check_channel(reader, &name, names.schema)?;
                let expression = reader.read_operand(&format!("`{}` of `to`", name.value), tree, &names)?;
                Some((name, expression))
            })
            .collect();
        (read.len() == count).then_some(Self::Each(Entries(read)))
    }
}
