//! The kind `subgraph`: another graph file as a node.

use schemars::JsonSchema;

use super::super::expression::{Names, Operand};
use super::super::format::Entries;
use super::super::read::Reader;
use super::super::spot::Spot;
use super::super::tree::Tree;

/// Runs another graph file. The result is the map of its outputs. Its questions and its journal are those of this node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Subgraph", deny_unknown_fields)]
pub struct SubgraphKind {
    /// The file, from the folder of this one.
    pub file: String,
    /// Its inputs, computed.
    pub with: Option<Entries<Operand>>,
}

/// A sub-graph that the file names, with the spans of its file name and its inputs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inclusion {
    pub(crate) file: Spot<String>,
    pub(crate) with: Vec<Spot<String>>,
}

impl SubgraphKind {
    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &Names<'_>) -> Option<Self> {
        let mut object = reader.object("`subgraph`", tree)?;
        let before = reader.found.len();
        let file = object.need("file").and_then(|tree| reader.text("`file`", tree));
        let with = object.take("with").and_then(|tree| reader.entries("`with`", "input", tree));
        object.finish(reader);
        let given: Vec<Spot<String>> = with.iter().flatten().map(|(name, _)| name.clone()).collect();
        let with = with.map(|entries| {
            let operand = |(name, tree): (Spot<String>, Tree)| {
                let operand = reader.operand(&format!("`{}` of `with`", name.value), tree, names)?;
                Some((name, operand))
            };
            Entries(entries.into_iter().filter_map(operand).collect())
        });
        if reader.found.len() > before {
            return None;
        }
        let file = file?;
        reader.inclusions.push(Inclusion { file: file.clone(), with: given });
        Some(Self { file: file.value, with })
    }
}
