//! The keys `interrupt_before` and `interrupt_after`: the breakpoints of every run (LangGraph F56).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::located::Located;
use super::super::read::Reader;

/// The word for all nodes.
const ALL: &str = "all";

/// The nodes that `interrupt_before` or `interrupt_after` names. Each run pauses at them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BreakpointNodes {
    /// Every node.
    All,
    /// The named nodes.
    Named(Vec<Located<String>>),
}

impl BreakpointNodes {
    pub(super) fn read(reader: &mut Reader, key: &str, tree: YamlNode) -> Option<Self> {
        match &tree.value {
            YamlValue::Text(word) if word == ALL => Some(Self::All),
            YamlValue::List(_) => reader.read_names(key, tree).map(Self::Named),
            _ => {
                reader.report_mismatch(key, "a list of nodes, or `all`", &tree, "write it as [a, b], or all");
                None
            }
        }
    }

    /// Returns the nodes that are listed as breakpoints; empty for `all`.
    pub(crate) fn names(&self) -> &[Located<String>] {
        match self {
            Self::All => &[],
            Self::Named(names) => names,
        }
    }
}

impl JsonSchema for BreakpointNodes {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Stops".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "const": ALL, "description": "At every node." },
            { "type": "array", "items": { "type": "string" }, "description": "At these nodes." },
        ] })
    }
}
