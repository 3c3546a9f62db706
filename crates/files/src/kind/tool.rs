//! The kind `tool`: one call of a tool, without a model.

use schemars::JsonSchema;

use super::super::expression::{Names, Operand};
use super::super::read::Reader;
use super::super::tree::Tree;

/// Runs a tool. The result is what it answers; a tool that cannot do it fails the node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Tool", deny_unknown_fields)]
pub struct ToolKind {
    /// The tool, such as `read_file`.
    pub name: String,
    /// Its arguments, computed.
    pub arguments: Option<Operand>,
}

impl ToolKind {
    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &Names<'_>) -> Option<Self> {
        let mut object = reader.object("`tool`", tree)?;
        let before = reader.found.len();
        let name = object.need("name").and_then(|tree| reader.name("`name` of a tool", tree));
        let arguments = object.take("arguments").and_then(|tree| {
            let wrong = !matches!(tree.value, super::super::tree::Value::Map(_));
            if wrong {
                reader.mismatch(
                    "`arguments`",
                    "a map",
                    &tree,
                    "write one line `name: expression` for each below it",
                );
                return None;
            }
            reader.operand("an argument", tree, names)
        });
        object.finish(reader);
        reader.tools.extend(name.clone());
        if reader.found.len() > before {
            return None;
        }
        Some(Self { name: name?.value, arguments })
    }
}
