//! `interrupt_before`, `interrupt_after`: the nodes at which every run stops to be looked at (LangGraph F56).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::super::read::Reader;
use super::super::spot::Spot;
use super::super::tree::{Tree, Value};

/// The word for all nodes.
const ALL: &str = "all";

/// Nodes at which a run stops.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stops {
    /// Every one.
    All,
    /// These.
    Named(Vec<Spot<String>>),
}

impl Stops {
    pub(super) fn read(reader: &mut Reader, key: &str, tree: Tree) -> Option<Self> {
        match &tree.value {
            Value::Text(word) if word == ALL => Some(Self::All),
            Value::List(_) => reader.names(key, tree).map(Self::Named),
            _ => {
                reader.mismatch(key, "a list of nodes, or `all`", &tree, "write it as [a, b], or all");
                None
            }
        }
    }

    /// The nodes by name.
    pub(crate) fn names(&self) -> &[Spot<String>] {
        match self {
            Self::All => &[],
            Self::Named(names) => names,
        }
    }
}

impl JsonSchema for Stops {
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
