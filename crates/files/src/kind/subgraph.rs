//! The kind `subgraph`: another graph file as a node.

use schemars::JsonSchema;
use stategraph_yaml::YamlNode;

use super::super::expression::{DeclaredNames, Operand};
use super::super::format::Entries;
use super::super::located::Located;
use super::super::read::{Inclusion, Reader};

/// Runs another graph file. The result is the map of its outputs. Its questions and its journal are those of this node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Subgraph", deny_unknown_fields)]
pub struct SubgraphKind {
    /// The file, from the folder of this one.
    pub file: String,
    /// Its inputs, computed.
    pub with: Option<Entries<Operand>>,
}

impl SubgraphKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`subgraph`", tree)?;
        let before = reader.diagnostics.len();
        let file = object.require("file").and_then(|tree| reader.read_text("`file`", tree));
        let with = object.take("with").and_then(|tree| reader.read_entries("`with`", "input", tree));
        object.finish(reader);
        let given: Vec<Located<String>> = with.iter().flatten().map(|(name, _)| name.clone()).collect();
        let with = with.map(|entries| {
            let operand = |(name, tree): (Located<String>, YamlNode)| {
                let operand = reader.read_operand(&format!("`{}` of `with`", name.value), tree, names)?;
                Some((name, operand))
            };
            Entries(entries.into_iter().filter_map(operand).collect())
        });
        if reader.diagnostics.len() > before {
            return None;
        }
        let file = file?;
        reader.inclusions.push(Inclusion { file: file.clone(), with: given });
        Some(Self { file: file.value, with })
    }
}
