//! The error handler of a node: the work that replaces the node after its last attempt failed, and the next nodes
//! (LangGraph F33).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::json;

use super::super::expression::DeclaredNames;
use super::super::kind::{KINDS, Target};
use super::super::located::Located;
use super::super::read::Reader;
use super::state::StateFile;
use super::work::{NodeAction, with_one_kind};
use stategraph_yaml::YamlNode;

/// Name under which the expressions of a handler see the failure.
const FAILURE: &str = "failure";

/// The error handler of a node in a graph file. It runs after the last attempt of the node failed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct HandlerFile {
    pub(crate) action: NodeAction,
    /// Nodes to run next; empty to follow the edges of the node.
    pub(crate) goto: Vec<Located<String>>,
}

/// The keys that every handler has besides its kind. Only its JSON Schema is used.
#[derive(JsonSchema)]
#[schemars(rename = "ErrorHandler", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct HandlerKeys {
    /// Target of the result, as of a node.
    to: Option<Target>,
    /// Nodes, or `END`, that run next instead of the targets of the node's edges. A registered handler chooses among them.
    goto: Option<Vec<String>>,
}

impl HandlerFile {
    pub(super) fn read(
        reader: &mut Reader,
        what: &str,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Option<Self> {
        let mut object = reader.read_object(what, tree)?;
        let failure = json!({
            "type": "object", "additionalProperties": false,
            "properties": { "node": {}, "error": {}, "attempts": {} },
        });
        let names = names.with_typed_local(FAILURE, Some(failure)).in_handler();
        let action = NodeAction::take(reader, what, &mut object, state, &names);
        let goto = object.take("goto").and_then(|tree| reader.read_names("`goto`", tree));
        object.finish(reader);
        Some(Self { action, goto: goto.unwrap_or_default() })
    }
}

impl JsonSchema for HandlerFile {
    fn schema_name() -> Cow<'static, str> {
        "ErrorHandler".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        with_one_kind(HandlerKeys::json_schema(generator), generator, &KINDS)
    }
}
