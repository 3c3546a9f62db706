//! The state of a graph file: the name of a registered state, or channels with types, reducers and defaults.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema as JsonSchemaOf, SchemaGenerator, json_schema};
use stategraph_yaml::{YamlNode, YamlValue};

use super::super::inline::StateSchema;
use super::super::located::Located;
use super::super::object::Object;
use super::super::read::Reader;
use super::channel::{ChannelFile, TypeName, read_channels};
use super::input::Inputs;
use super::limits::FileLimits;
use stategraph_core::ChannelLifetime;

/// The key `state` of a graph file: the name of a registered state, or declared channels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StateFile {
    /// Name of a registered state.
    Registered(Located<String>),
    /// Declared channels; `None` if they could not be read.
    Inline(Option<Arc<StateSchema>>),
}

impl Default for StateFile {
    fn default() -> Self {
        Self::Registered(Located::default())
    }
}

impl StateFile {
    /// Returns the declared channels; `None` for a registered state, and for channels that could not be read.
    pub(crate) fn schema(&self) -> Option<&Arc<StateSchema>> {
        match self {
            Self::Inline(schema) => schema.as_ref(),
            Self::Registered(_) => None,
        }
    }
}

impl JsonSchema for StateFile {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> JsonSchemaOf {
        let named = TypeName::json_schema(generator);
        let channel = generator.subschema_for::<ChannelFile>();
        json_schema!({ "anyOf": [
            { "type": "string", "description": "The name of a registered state, such as `ard`." },
            { "type": "object", "description": "Channels by name.", "additionalProperties": { "anyOf": [named, channel] } },
        ] })
    }
}

/// The keys of a graph file that concern the state, its inputs and its outputs, as they are read together.
pub(super) struct StateKeys {
    pub(super) state: StateFile,
    pub(super) inputs: Option<Inputs>,
    pub(super) outputs: Option<Vec<Located<String>>>,
    pub(super) model: Option<Located<String>>,
    pub(super) limits: Option<FileLimits>,
    /// Not read yet, because the expressions of a tool see the channels.
    pub(super) tools: Option<YamlNode>,
}

impl StateKeys {
    /// Takes the keys `state`, `inputs`, `outputs`, `model`, `limits` and `tools` from the map of the file,
    /// and reads all but `tools`. Keys that need declared channels are reported if the state is registered.
    pub(super) fn take(reader: &mut Reader, object: &mut Object) -> Self {
        let only_inline = ["inputs", "outputs", "model", "limits", "tools"];
        let inputs_only = object.has("inputs") && !object.has("state");
        let state = if inputs_only { object.take("state") } else { object.require("state") };
        if let Some(tree) = &state
            && !matches!(tree.value, YamlValue::Map(_))
        {
            for key in only_inline {
                let (is_there, at) = (object.has(key), object.key_span(key));
                object.take(key);
                if is_there {
                    let message = format!("`{key}` belongs to a state that is declared here, with channels");
                    reader.report(&at, message, "remove it, or declare channels under `state`");
                }
            }
            let name = state.and_then(|tree| reader.read_name("`state`", tree));
            let state = StateFile::Registered(name.unwrap_or_default());
            return Self { state, inputs: None, outputs: None, model: None, limits: None, tools: None };
        }
        let is_inline = inputs_only || state.is_some();
        let inputs = object.take("inputs");
        let outputs = object.take("outputs").and_then(|tree| reader.read_names("`outputs`", tree));
        let model = object.take("model").and_then(|tree| reader.read_name("`model`", tree));
        let limits = object.take("limits").and_then(|tree| FileLimits::read(reader, tree));
        let tools = object.take("tools");
        if !is_inline {
            let state = StateFile::default();
            return Self { state, inputs: None, outputs: None, model: None, limits: None, tools: None };
        }
        let found = reader.diagnostics.len();
        let mut channels = state.map_or_else(|| Some(Vec::new()), |tree| read_channels(reader, tree));
        let inputs = inputs.and_then(|tree| Inputs::read(reader, tree, channels.as_mut()));
        let is_whole = reader.diagnostics.len() == found;
        let schema = channels.filter(|_| is_whole).map(|channels| {
            let schema = StateSchema::new(channels.into_iter().map(|(_, channel)| channel).collect());
            Arc::new(match limits {
                Some(FileLimits(limits)) => schema.with_lower_limits(limits),
                None => schema,
            })
        });
        let given = Self { state: StateFile::Inline(schema), inputs, outputs, model, limits, tools };
        given.check_outputs(reader);
        given
    }

    fn check_outputs(&self, reader: &mut Reader) {
        let (Some(outputs), Some(schema)) = (&self.outputs, self.state.schema()) else { return };
        for output in outputs {
            match schema.channel(&output.value) {
                None => reader.report_unknown_channel(&output.span, &output.value, schema),
                Some(channel) if channel.kept == ChannelLifetime::InRun => {
                    let message = format!("`{}` is untracked: it is gone when the run ends", output.value);
                    reader.report(
                        &output.span,
                        message,
                        "choose another channel, or leave out `keep: untracked`",
                    );
                }
                Some(_) => {}
            }
        }
    }
}
