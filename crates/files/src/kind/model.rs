//! The kind `model`: one question to a model.

use schemars::JsonSchema;
use stategraph_yaml::YamlNode;

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::inline::ValueType;
use super::super::read::Reader;
use super::parts::{read_api_key, read_integer, read_prompt, read_tools};

/// Default number of re-asks after an invalid answer.
const DEFAULT_REASKS: u32 = 2;

/// Maximum value of `reasks` in a file.
const REASKS_MAX: u32 = 100;

/// Maximum value of `max_tokens` in a file.
const TOKENS_MAX: u32 = 10_000_000;

/// Asks a model once. The result is its text; with `schema` the value in it, checked.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Model", deny_unknown_fields)]
pub struct ModelKind {
    /// Prompt to the model. Required unless `history` is set.
    pub prompt: Option<Template>,
    /// The channel, of type `messages`, with the conversation so far: it is sent before the prompt, and takes the prompt and the answer.
    pub history: Option<String>,
    /// Standing instructions.
    pub system: Option<Template>,
    /// Which model, such as `gemini-2.5-flash`. Default: that of `--model`, then that of the graph, then `offline`.
    pub name: Option<String>,
    /// The secret that is the key of its model, as `{{ secrets.name }}`. Default: the key of the provider. Only with `name`.
    pub api_key: Option<String>,
    /// The JSON Schema of the answer. Default: text.
    pub schema: Option<ValueType>,
    /// Number of repeated requests after an answer that does not fit the schema; default: 2.
    pub reasks: Option<u32>,
    /// From 0, always the same, to 2.
    #[schemars(range(min = 0, max = 2))]
    pub temperature: Option<f64>,
    /// The longest answer, in tokens.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
    /// The tools that the model is told of. The result is then `{ text, calls }`, and nothing is run: that is what `agent` does.
    pub tools: Option<Vec<String>>,
    /// Answer for the model `offline`.
    pub offline: Option<Operand>,
}

impl ModelKind {
    /// Returns the maximum number of repeated requests to the model after an invalid answer; 2 unless set.
    pub fn reasks(&self) -> u32 {
        self.reasks.unwrap_or(DEFAULT_REASKS)
    }

    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`model`", tree)?;
        let before = reader.diagnostics.len();
        let (prompt, history) = read_prompt(reader, &mut object, "prompt", names);
        let system = object.take("system").and_then(|tree| reader.read_template("`system`", tree, names));
        let name = object.take("name").and_then(|tree| reader.read_name("`name` of a model", tree));
        let api_key = read_api_key(reader, &mut object, name.is_some(), names);
        let schema = object.take("schema").and_then(|tree| reader.read_json_schema("`schema`", &tree));
        let reasks =
            object.take("reasks").and_then(|tree| read_integer(reader, "`reasks`", tree, 0, REASKS_MAX));
        let temperature = object.take("temperature").and_then(|tree| read_temperature(reader, tree));
        let max_tokens = object
            .take("max_tokens")
            .and_then(|tree| read_integer(reader, "`max_tokens`", tree, 1, TOKENS_MAX));
        let tools_key = object.key_span("tools");
        let tools = object.take("tools").and_then(|tree| read_tools(reader, tree));
        let offline = object.take("offline").and_then(|tree| reader.read_operand("`offline`", tree, names));
        object.finish(reader);
        if schema.is_some() && tools.is_some() {
            let message = "`model` has both `schema` and `tools`".to_owned();
            reader.report(
                &tools_key,
                message,
                "an `agent` works with tools; ask for its result in a `model` after it",
            );
        }
        if reader.diagnostics.len() > before {
            return None;
        }
        let name = name.map(|name| name.value);
        Some(Self {
            prompt,
            history,
            system,
            name,
            api_key,
            schema,
            reasks,
            temperature,
            max_tokens,
            tools,
            offline,
        })
    }
}

fn read_temperature(reader: &mut Reader, tree: YamlNode) -> Option<f64> {
    let number = reader.read_number("`temperature`", tree)?;
    if (0.0..=2.0).contains(&number.value) {
        return Some(number.value);
    }
    let message = format!("`temperature` is {}, it goes from 0 to 2", number.value);
    reader.report(&number.span, message, "0 for the same answer each time, 1 for variety");
    None
}
