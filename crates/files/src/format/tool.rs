//! The key `tools`: tools that the models of a file can call besides the built-in ones. Each has a name, a
//! description for the model, a JSON Schema of its arguments, and a body.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use stategraph_yaml::YamlNode;

use super::super::expression::DeclaredNames;
use super::super::inline::{BasicType, ValueType};
use super::super::kind::{Kind, TOOL_BODIES, read_kind};
use super::super::located::Located;
use super::super::read::Reader;
use super::super::wait::{DurationText, read_wait};
use super::entries::Entries;
use super::work::with_one_kind;

/// Maximum number of tools in a file. Models confuse tools long before this number is reached.
pub const TOOLS_MAX: usize = 100;

/// Maximum length of a tool name that model endpoints accept, in bytes.
const NAME_BYTES: usize = 64;

/// Name under which the body of a tool sees the arguments of the call.
const ARGUMENTS: &str = "arguments";

/// A tool that a graph file declares under `tools`. Models of the graph can call it.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredTool {
    /// Purpose and use of the tool, written for the model.
    pub description: String,
    /// Type of the arguments, an object; `None` if the tool takes none.
    pub parameters: Option<ValueType>,
    /// Maximum duration of one call; the caller's default unless set.
    pub timeout: Option<Duration>,
    /// Work of the tool. It sees `arguments` and `state`; its result is the answer.
    pub body: Kind,
}

/// The keys that every tool has besides its kind.
#[derive(JsonSchema)]
#[schemars(rename = "DeclaredTool", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct ToolKeys {
    /// Purpose and usage, for the model.
    description: String,
    /// The JSON Schema of its arguments, an object. Default: it takes none.
    parameters: Option<ValueType>,
    /// Upper bound of the duration of one call; default: `2m`.
    timeout: Option<DurationText>,
}

impl JsonSchema for DeclaredTool {
    fn schema_name() -> Cow<'static, str> {
        "DeclaredTool".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        with_one_kind(ToolKeys::json_schema(generator), generator, &TOOL_BODIES)
    }
}

/// Reads the key `tools`. A tool that cannot be read is reported and left out. `names` are those of the file.
pub(super) fn read_tools(
    reader: &mut Reader,
    tree: YamlNode,
    names: &DeclaredNames<'_>,
) -> Option<Entries<DeclaredTool>> {
    let entries = reader.read_entries("`tools`", "tool", tree)?;
    let names = names.clone().in_body();
    let mut tools: Vec<(Located<String>, DeclaredTool)> = Vec::new();
    for (name, tree) in reader.truncate("tools", TOOLS_MAX, entries) {
        if tools.iter().any(|(known, _)| known.value == name.value) {
            let message = format!("the tool `{}` is declared twice", name.value);
            reader.report(&name.span, message, "remove one of them");
        } else if !is_portable_name(&name.value) {
            let message = format!("a tool cannot be called `{}`", name.value);
            reader.report(
                &name.span,
                message,
                "use 1 to 64 letters, digits, `_` and `-`: models take no others",
            );
        } else if let Some(tool) = DeclaredTool::read(reader, &name.value, tree, &names) {
            tools.push((name, tool));
        }
    }
    Some(Entries(tools))
}

impl DeclaredTool {
    fn read(reader: &mut Reader, name: &str, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let what = format!("tool `{name}`");
        let mut object = reader.read_object(&what, tree)?;
        let before = reader.diagnostics.len();
        let description =
            object.require("description").and_then(|tree| reader.read_text("`description`", tree));
        let parameters = object.take("parameters").and_then(|tree| read_parameters(reader, &tree));
        let timeout = object.take("timeout").and_then(|tree| read_wait(reader, "`timeout`", tree));
        let schema = parameters.as_ref().map(|parameters| parameters.schema().clone());
        let names = names.with_typed_local(ARGUMENTS, schema);
        let body = read_kind(reader, &what, &mut object, &TOOL_BODIES, &names);
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        let timeout = timeout.map(|timeout| timeout.value.0);
        Some(Self { description: description?.value, parameters, timeout, body: body?.0 })
    }
}

fn read_parameters(reader: &mut Reader, tree: &YamlNode) -> Option<ValueType> {
    let value_type = reader.read_json_schema("`parameters`", tree)?;
    if value_type.basic_type() == BasicType::Object {
        return Some(value_type);
    }
    let span = tree.span.start..tree.span.end.max(tree.span.start + 1);
    let hint = "such as { type: object, properties: { city: { type: string } }, required: [city] }";
    reader.report(&span, "the arguments of a tool are an object".to_owned(), hint);
    None
}

/// Returns true if all model endpoints accept the name of a tool: 1 to 64 ASCII letters, digits, `_` and `-`.
fn is_portable_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=NAME_BYTES).contains(&name.len()) && name.bytes().all(fits)
}
