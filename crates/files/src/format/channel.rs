//! The channels of a state in a graph file: types, reducers, defaults and lifetimes.

use std::sync::Arc;

use schemars::JsonSchema;

use super::super::expression::{DeclaredNames, Expression, Reads, VALUE, WRITE};
use super::super::inline::{BasicType, ChannelSpec, CustomFold, Reducer, ValueType};
use super::super::kind::read_word;
use super::super::located::Located;
use super::super::naming::{is_identifier, join_quoted};
use super::super::object::Object;
use super::super::read::Reader;
use stategraph_core::{CHANNELS_MAX, ChannelLifetime, nearest};
use stategraph_yaml::{YamlNode, YamlValue};

/// A channel as it is written down.
#[derive(JsonSchema)]
#[schemars(rename = "Channel", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used; the reader makes a `ChannelSpec`")]
pub(super) struct ChannelFile {
    /// `string`, `integer`, `number`, `boolean`, `list`, `object`, `messages` or `any`; with `?` at its end it may be null.
    #[schemars(rename = "type")]
    kind: Option<TypeName>,
    /// Instead of `type`: a JSON Schema.
    schema: Option<ValueType>,
    /// Elements of a list: a type, or a JSON Schema.
    items: Option<serde_json::Value>,
    /// Reducer that folds writes into the value, by name or as an expression; default: `last`.
    reducer: Option<ReducerForm>,
    /// Initial value.
    default: Option<serde_json::Value>,
    /// Lifetime of the value; default: `always`.
    keep: Option<KeepName>,
    /// Description, in a line.
    about: Option<String>,
}

/// The name of a type.
#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct TypeName(
    #[schemars(regex(pattern = r"^(string|integer|number|boolean|list|object|messages|any)\??$"))] String,
);

/// A reducer by name, or as an expression.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its schema is used")]
enum ReducerForm {
    Named(ReducerName),
    Computed(CustomReducer),
}

/// A reducer that is an expression.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct CustomReducer {
    /// The new value. It sees the present `value` and one `write`.
    fold: Expression,
}

/// A reducer as it is read from a file: a built-in one by name, or an expression.
enum ChannelReducer {
    Named(Reducer),
    Computed(Expression),
}

impl ChannelReducer {
    fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        if !matches!(tree.value, YamlValue::Map(_)) {
            return read_word(reader, "`reducer`", "reducer", tree, &Reducer::ALL).map(Self::Named);
        }
        let mut object = reader.read_object("`reducer`", tree)?;
        let names = DeclaredNames::new(None).with_local(VALUE).with_local(WRITE);
        let fold = object.require("fold").and_then(|tree| {
            let span = tree.span.clone();
            let fold = reader.read_expression("`fold`", tree, &names)?;
            if *fold.reads() == Reads::Channels(std::collections::BTreeSet::new()) {
                return Some(fold);
            }
            let message = "a reducer sees `value` and `write`, and no channel".to_owned();
            reader.report(&span, message, "put what it needs into the write");
            None
        });
        object.finish(reader);
        fold.map(Self::Computed)
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Named(reducer) => reducer.name(),
            Self::Computed(_) => "fold",
        }
    }

    fn set_on(self, channel: ChannelSpec) -> Result<ChannelSpec, &'static str> {
        match self {
            Self::Named(reducer) => channel.with_reducer(reducer),
            Self::Computed(fold) => channel.with_fold(CustomFold(Arc::new(fold))),
        }
    }
}

/// A reducer, which folds writes into a value.
#[derive(JsonSchema)]
#[schemars(rename = "Reducer", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum ReducerName {
    /// The written value; two writers in one superstep are an error.
    Last,
    /// A list takes the written value as its next element, a text goes on with the written one.
    Append,
    /// A list takes every element of the written list.
    Extend,
    /// The sum.
    Add,
    /// The larger.
    Max,
    /// The smaller.
    Min,
    /// A map takes the entries of the written one.
    Merge,
    /// A conversation takes messages: at its end, or in the place of the one with the same id; that of `type: messages`.
    Messages,
}

/// Lifetime of a value.
#[derive(JsonSchema)]
#[schemars(rename = "Keep", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum KeepName {
    /// In every checkpoint.
    Always,
    /// The next superstep sees it, then it is its default again.
    Ephemeral,
    /// In the run, in no checkpoint.
    Untracked,
}

const KEEPS: [(&str, ChannelLifetime); 3] = [
    ("always", ChannelLifetime::Always),
    ("ephemeral", ChannelLifetime::OneStep),
    ("untracked", ChannelLifetime::InRun),
];

/// The channels that a file declares, with the spans of their names, in the order of the file.
pub(super) type Channels = Vec<(Located<String>, ChannelSpec)>;

pub(super) fn read_channels(reader: &mut Reader, tree: YamlNode) -> Option<Channels> {
    let entries = reader.read_entries("`state`", "channel", tree)?;
    let mut channels: Channels = Vec::new();
    for (name, tree) in entries {
        if !check_channel_name(reader, &name) {
            continue;
        }
        if channels.iter().any(|(known, _)| known.value == name.value) {
            reader.report(
                &name.span,
                format!("the channel `{}` is declared twice", name.value),
                "remove one of them",
            );
            continue;
        }
        if channels.len() == CHANNELS_MAX {
            let message = format!("the state has more than {CHANNELS_MAX} channels");
            reader.report(&name.span, message, "put some of them together in an `object`");
            break;
        }
        let channel = read_channel(reader, &name.value, tree);
        channels.extend(channel.map(|channel| (name, channel)));
    }
    Some(channels)
}

/// Returns true if expressions can name the channel, that is, if it is an identifier; otherwise reports it.
pub(super) fn check_channel_name(reader: &mut Reader, name: &Located<String>) -> bool {
    if is_identifier(&name.value) {
        return true;
    }
    let message = format!("a channel cannot be called `{}`", name.value);
    reader.report(
        &name.span,
        message,
        "use letters, digits and `_`, so that expressions can write `state.name`",
    );
    false
}

fn read_channel(reader: &mut Reader, name: &str, tree: YamlNode) -> Option<ChannelSpec> {
    if !matches!(tree.value, YamlValue::Map(_)) {
        let value_type = read_named_type(reader, &format!("the type of `{name}`"), tree)?;
        return Some(ChannelSpec::new(name, value_type));
    }
    let what = format!("channel `{name}`");
    let mut object = reader.read_object(&what, tree)?;
    let before = reader.diagnostics.len();
    let value_type = read_type(reader, &what, &mut object);
    let reducer = object.take("reducer").and_then(|tree| {
        let at = tree.span.start..tree.span.end.max(tree.span.start + 1);
        Some((ChannelReducer::read(reader, tree)?, at))
    });
    let keep = object.take("keep").and_then(|tree| read_word(reader, "`keep`", "`keep`", tree, &KEEPS));
    let default = object.take("default");
    object.take("about").and_then(|tree| reader.read_text("`about`", tree));
    object.finish(reader);
    let mut channel = ChannelSpec::new(name, value_type?);
    if let Some((reducer, at)) = reducer {
        let basic = channel.value_type.basic_type();
        let name_of = reducer.name();
        channel = match reducer.set_on(channel) {
            Ok(channel) => channel,
            Err(wanted) => {
                let message =
                    format!("`{name_of}` works on {wanted}, and `{name}` is {}", with_article(basic));
                reader.report(&at, message, "choose another reducer, or another type");
                return None;
            }
        };
    }
    channel.kept = keep.unwrap_or(ChannelLifetime::Always);
    if let Some(tree) = default {
        set_default(reader, &mut channel, &tree);
    }
    (reader.diagnostics.len() == before).then_some(channel)
}

/// Reads the type of a channel or an input from the keys `type` and `items`, or `schema`. Reports a missing
/// or contradictory type and returns `None`. `what` names the channel or input in messages.
pub(super) fn read_type(reader: &mut Reader, what: &str, object: &mut Object) -> Option<ValueType> {
    let (type_key, items_key) = (object.key_span("type"), object.key_span("items"));
    let named = object.take("type");
    let schema = object.take("schema");
    let items = object.take("items");
    let value_type = match (named, schema) {
        (Some(_), Some(_)) => {
            let message = format!("{what} has both `type` and `schema`");
            reader.report(&type_key, message, "remove one of them");
            return None;
        }
        (Some(tree), None) => read_named_type(reader, "`type`", tree)?,
        (None, Some(tree)) => reader.read_json_schema("`schema`", &tree)?,
        (None, None) if items.is_some() => ValueType::from_basic(BasicType::List),
        (None, None) => {
            let at = object.start();
            if !object.has_misspelled(&["type", "schema"]) {
                let hint = "add `type: string`, or another type, or `schema: …`";
                reader.report(&(at..at + 1), format!("{what} has no type"), hint);
            }
            return None;
        }
    };
    let Some(items) = items else { return Some(value_type) };
    if value_type.basic_type() != BasicType::List || value_type.schema().get("items").is_some() {
        let message = format!("{what} has `items` and is {}", with_article(value_type.basic_type()));
        reader.report(&items_key, message, "`items` belongs to `type: list`");
        return None;
    }
    let item = match items.value {
        YamlValue::Map(_) => reader.read_json_schema("`items`", &items)?,
        _ => read_named_type(reader, "`items`", items)?,
    };
    Some(item.list_of())
}

/// Reads the name of a type, such as `string`; with `?` at its end the value may be null. Reports an unknown
/// name.
pub(super) fn read_named_type(reader: &mut Reader, what: &str, tree: YamlNode) -> Option<ValueType> {
    let name = reader.read_name(what, tree)?;
    let (bare, is_optional) = match name.value.strip_suffix('?') {
        Some(bare) => (bare, true),
        None => (name.value.as_str(), false),
    };
    let Some(basic) = BasicType::from_name(bare) else {
        let known = BasicType::ALL.map(|(name, _)| name);
        let hint = match translate_type_name(bare)
            .or_else(|| known.into_iter().find(|known| nearest(bare, [*known]).is_some()))
        {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the types are {}", join_quoted(&known)),
        };
        reader.report(&name.span, format!("there is no type `{bare}`"), hint);
        return None;
    };
    let value_type = ValueType::from_basic(basic);
    Some(if is_optional { value_type.optional() } else { value_type })
}

/// Returns our name of a type for its name in other languages, such as `string` for `str`; `None` for other
/// names.
fn translate_type_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "str" | "text" => "string",
        "int" => "integer",
        "float" | "double" => "number",
        "bool" => "boolean",
        "array" => "list",
        "map" | "dict" => "object",
        _ => return None,
    })
}

/// Sets the default of `channel` to the value in `tree`, or reports that it does not fit the channel's type.
pub(super) fn set_default(reader: &mut Reader, channel: &mut ChannelSpec, tree: &YamlNode) {
    let value = tree.to_json();
    match channel.value_type.accept(value) {
        Ok(value) => channel.default = Some(value),
        Err(reason) => {
            let message = format!("the default of `{}` does not fit: {reason}", channel.name);
            let span = tree.span.start..tree.span.end.max(tree.span.start + 1);
            reader.report(&span, message, "write a value of the channel's type");
        }
    }
}

fn with_article(basic: BasicType) -> String {
    match basic {
        BasicType::Any => "anything".to_owned(),
        BasicType::Messages => "a conversation".to_owned(),
        BasicType::Integer | BasicType::Object => format!("an {}", basic.name()),
        _ => format!("a {}", basic.name()),
    }
}
