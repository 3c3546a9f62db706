//! The key `context`: values of a run that its nodes and edges read and that no checkpoint holds, such as who the user is
//! (LangGraph F29).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use super::super::read::Reader;
use super::channel::check_channel_name;
use super::input::{InputSpec, Inputs, read_input, to_spec};
use stategraph_yaml::YamlNode;

/// The key `context` of a graph file: names, types and defaults of the values that a run gets as its context.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DeclaredContext(pub(crate) Vec<InputSpec>);

impl DeclaredContext {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        let entries = reader.read_entries("`context`", "value", tree)?;
        let mut values: Vec<InputSpec> = Vec::new();
        for (name, tree) in entries {
            if !check_channel_name(reader, &name) {
                continue;
            }
            if values.iter().any(|known| known.name == name.value) {
                let message = format!("`{}` of the context is declared twice", name.value);
                reader.report(&name.span, message, "remove one of them");
                continue;
            }
            let what = format!("`{}` of `context`", name.value);
            if let Some((channel, about)) = read_input(reader, &what, &name.value, tree, None) {
                values.push(to_spec(&channel, about));
            }
        }
        Some(Self(values))
    }

    /// Returns the JSON Schema of the context as an object, against which expressions such as `context.user`
    /// are checked.
    pub(super) fn schema(&self) -> Json {
        let properties = self.0.iter().map(|value| (value.name.clone(), value.value_type.schema().clone()));
        let properties: Map<String, Json> = properties.collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

impl JsonSchema for DeclaredContext {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Context".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Inputs::json_schema(generator)
    }
}
