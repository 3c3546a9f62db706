//! The kind `tool`: one call of a tool, without a model.

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Operand};
use super::super::located::Located;
use super::super::read::{NamedCall, Reader};
use stategraph_yaml::{YamlNode, YamlValue};

/// Runs a tool. The result is the tool's answer; a failing tool fails the node.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Tool", deny_unknown_fields)]
pub struct ToolKind {
    /// The tool, such as `read_file`.
    pub name: String,
    /// Its arguments, computed.
    pub arguments: Option<Operand>,
}

impl ToolKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`tool`", tree)?;
        let before = reader.diagnostics.len();
        let name = object.require("name").and_then(|tree| reader.read_name("`name` of a tool", tree));
        let mut given: Vec<Located<String>> = Vec::new();
        let arguments = object.take("arguments").and_then(|tree| {
            if let YamlValue::Map(entries) = &tree.value {
                given.extend(
                    entries
                        .iter()
                        .map(|entry| Located { value: entry.key.clone(), span: entry.span.clone() }),
                );
            }
            if !matches!(tree.value, YamlValue::Map(_)) {
                reader.report_mismatch(
                    "`arguments`",
                    "a map",
                    &tree,
                    "write one line `name: expression` for each below it",
                );
                return None;
            }
            reader.read_operand("an argument", tree, names)
        });
        object.finish(reader);
        reader.tools.extend(name.clone());
        if reader.diagnostics.len() > before {
            return None;
        }
        let name = name?;
        reader.tool_calls.push(NamedCall { tool: name.clone(), arguments: given });
        Some(Self { name: name.value, arguments })
    }
}
