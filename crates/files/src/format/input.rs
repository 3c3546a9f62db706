//! The inputs of a graph file. Each is a channel and an option of `graph run`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema as JsonSchemaOf, SchemaGenerator, json_schema};
use serde_json::Value as Json;
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::inline::{BasicType, ChannelSpec, Reducer, ValueType};
use super::super::read::Reader;
use super::channel::{Channels, check_channel_name, read_named_type, read_type, set_default};

/// The key `inputs` of a graph file: the inputs that a run takes, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Inputs(pub(crate) Vec<InputSpec>);

/// An input that a run takes. It sets the channel of its name; a value of the run's context has the same
/// form.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSpec {
    /// Name of the channel.
    pub name: String,
    /// One-line description; empty if the file has none.
    pub about: String,
    /// Type of the value.
    pub value_type: ValueType,
    /// Default value; `None` makes the input required.
    pub default: Option<Json>,
}

impl InputSpec {
    /// Returns the command-line option of the input, without the dashes: its name with `-` for `_`.
    pub fn flag(&self) -> String {
        self.name.replace('_', "-")
    }
}

/// An input as it is written down.
#[derive(JsonSchema)]
#[schemars(rename = "Input", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used; the reader makes an `InputSpec`")]
struct InputFile {
    /// Of an input that is no channel of `state`: its type. Default: `string`.
    #[schemars(
        rename = "type",
        regex(pattern = r"^(string|integer|number|boolean|list|object|messages|any)\??$")
    )]
    kind: Option<String>,
    /// Instead of `type`: a JSON Schema.
    schema: Option<ValueType>,
    /// Elements of a list: a type, or a JSON Schema.
    items: Option<Json>,
    /// Default value. Without it the input is required, unless its type ends in `?`.
    default: Option<Json>,
    /// Description, in a line.
    about: Option<String>,
}

impl JsonSchema for Inputs {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Inputs".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> JsonSchemaOf {
        let input = generator.subschema_for::<InputFile>();
        json_schema!({ "type": "object", "additionalProperties": { "anyOf": [
            { "type": ["string", "null"], "pattern": r"^(string|integer|number|boolean|list|object|messages|any)\??$" }, input,
        ] } })
    }
}

impl Inputs {
    /// Reads the inputs. An input that is no channel in `channels` is added there as a new channel; the
    /// default of an input becomes that of its channel. `channels` is `None` if the state could not be read.
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, channels: Option<&mut Channels>) -> Option<Self> {
        let entries = reader.read_entries("`inputs`", "input", tree)?;
        let channels = channels?;
        let mut inputs: Vec<InputSpec> = Vec::new();
        for (name, tree) in entries {
            if !check_channel_name(reader, &name) {
                continue;
            }
            if inputs.iter().any(|known| known.name == name.value) {
                reader.report(
                    &name.span,
                    format!("the input `{}` is declared twice", name.value),
                    "remove one of them",
                );
                continue;
            }
            let at = channels.iter().position(|(known, _)| known.value == name.value);
            let declared = at.map(|at| channels[at].1.clone());
            let is_new = declared.is_none();
            let what = format!("input `{}`", name.value);
            let read = read_input(reader, &what, &name.value, tree, declared);
            let Some((channel, about)) = read else { continue };
            inputs.push(to_spec(&channel, about));
            match at {
                Some(at) => channels[at].1 = channel,
                None if is_new => channels.push((name, channel)),
                None => {}
            }
        }
        Some(Self(inputs))
    }
}

/// Returns the input that sets `channel`. It is required unless the channel has a default, can be null, or
/// has a reducer other than `last`.
pub(super) fn to_spec(channel: &ChannelSpec, about: String) -> InputSpec {
    let value_type = channel.value_type.clone();
    let is_optional = value_type.check(&Json::Null).is_ok() && value_type.basic_type() != BasicType::Any;
    let has_start = channel.default.is_some() || is_optional || channel.reducer != Reducer::Last;
    let default = has_start.then(|| channel.initial_value());
    InputSpec { name: channel.name.clone(), about, value_type, default }
}

/// Reads an input, or a value of the context. Returns it as a channel with type and default, and its
/// description. `declared` is the channel of this name under `state`, if any; an input must not repeat its
/// type.
pub(super) fn read_input(
    reader: &mut Reader,
    what: &str,
    name: &str,
    tree: YamlNode,
    declared: Option<ChannelSpec>,
) -> Option<(ChannelSpec, String)> {
    let text = || ChannelSpec::new(name, ValueType::from_basic(BasicType::String));
    match &tree.value {
        YamlValue::Null => return Some((declared.unwrap_or_else(text), String::new())),
        YamlValue::Map(_) => {}
        _ if declared.is_some() => return report_retyped(reader, name, &tree),
        _ => {
            let value_type = read_named_type(reader, &format!("the type of {what}"), tree)?;
            return Some((ChannelSpec::new(name, value_type), String::new()));
        }
    }
    let mut object = reader.read_object(what, tree)?;
    let before = reader.diagnostics.len();
    let typed = ["type", "schema", "items"].into_iter().find(|key| object.has(key));
    let mut channel = match (declared, typed) {
        (Some(_), Some(key)) => {
            let at = object.key_span(key);
            let message = format!("`{name}` is a channel of `state` already, which says its type");
            reader.report(&at, message, format!("remove `{key}` here, or `{name}` there"));
            return None;
        }
        (Some(channel), None) => channel,
        (None, Some(_)) => ChannelSpec::new(name, read_type(reader, what, &mut object)?),
        (None, None) => text(),
    };
    object.suggest(&["type", "schema", "items"]);
    let default = object.take("default");
    let about = object.take("about").and_then(|tree| reader.read_text("`about`", tree));
    object.finish(reader);
    if let Some(tree) = default {
        set_default(reader, &mut channel, &tree);
    }
    let about = about.map(|about| about.value).unwrap_or_default();
    (reader.diagnostics.len() == before).then_some((channel, about))
}

fn report_retyped<T>(reader: &mut Reader, name: &str, tree: &YamlNode) -> Option<T> {
    let message = format!("`{name}` is a channel of `state` already, which says its type");
    reader.report(&tree.span, message, format!("write `{name}:` alone, or {{ about: … }}"));
    None
}
