//! Reads keys that several kinds have: prompts, histories, tools, model keys, integers, words.

use super::super::expression::{DeclaredNames, Template};
use super::super::inline::{BasicType, StateSchema};
use super::super::located::Located;
use super::super::naming::join_quoted;
use super::super::object::Object;
use super::super::read::Reader;
use stategraph_core::nearest;
use stategraph_yaml::YamlNode;

/// Reports `name` if the schema has no such channel, and then returns `None`. Without a schema every name
/// passes.
pub(super) fn check_channel(
    reader: &mut Reader,
    name: &Located<String>,
    schema: Option<&StateSchema>,
) -> Option<()> {
    match schema {
        Some(schema) if schema.channel(&name.value).is_none() => {
            reader.report_unknown_channel(&name.span, &name.value, schema);
            None
        }
        _ => Some(()),
    }
}

/// Reads the key `history`: the name of a channel of type `messages`. Reports any other channel, and
/// `history` outside a node; then returns `None`.
pub(super) fn read_history(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<String> {
    let name = reader.read_name("`history`", tree)?;
    if !names.writes_channels() {
        let message = "a conversation is kept by a node, and this is a part of one".to_owned();
        reader.report(&name.span, message, "leave `history` out, or make a node of it");
        return None;
    }
    check_channel(reader, &name, names.schema)?;
    let channel = names.schema?.channel(&name.value)?;
    if channel.value_type.basic_type() == BasicType::Messages {
        return Some(name.value);
    }
    let message = format!(
        "`{}` is no conversation: its type is `{}`",
        name.value,
        channel.value_type.basic_type().name()
    );
    reader.report(&name.span, message, "name a channel of `type: messages`");
    None
}

/// Reads the prompt of a model under the name `key`, and the channel under `history`. The prompt is required
/// only without a history. Returns both.
pub(super) fn read_prompt(
    reader: &mut Reader,
    object: &mut Object,
    key: &'static str,
    names: &DeclaredNames<'_>,
) -> (Option<Template>, Option<String>) {
    let has_history = object.has("history");
    let tree = if has_history { object.take(key) } else { object.require(key) };
    let text = tree.and_then(|tree| reader.read_template(&format!("`{key}`"), tree, names));
    (text, object.take("history").and_then(|tree| read_history(reader, tree, names)))
}

/// Reads the key `tools`: a list of tool names. Adds them to those that the reader collects for a later
/// check.
pub(super) fn read_tools(reader: &mut Reader, tree: YamlNode) -> Option<Vec<String>> {
    let tools = reader.read_names("`tools`", tree)?;
    reader.tools.extend(tools.iter().cloned());
    Some(tools.into_iter().map(|tool| tool.value).collect())
}

/// Reads a whole number from `least` to `most`. Reports other values and returns `None`. `what` names the key
/// in messages.
pub(crate) fn read_integer(
    reader: &mut Reader,
    what: &str,
    tree: YamlNode,
    least: u32,
    most: u32,
) -> Option<u32> {
    let number = reader.read_number(what, tree)?;
    let whole = reader.check_integer(what, &number, most)?;
    if whole.value < least {
        let message = format!("{what} is {}, the least is {least}", whole.value);
        reader.report(&whole.span, message, format!("write a number from {least} to {most}"));
        return None;
    }
    Some(whole.value)
}

/// Reads the key `api_key` and returns the name of the secret in it. Reports it if `has_name` is false:
/// without the name of a model the secret would go to the provider of the command line.
pub(super) fn read_api_key(
    reader: &mut Reader,
    object: &mut Object,
    has_name: bool,
    names: &DeclaredNames<'_>,
) -> Option<String> {
    let key = object.key_span("api_key");
    let secret = object.take("api_key").and_then(|tree| reader.read_secret("`api_key`", tree, names))?;
    if !has_name {
        let message = "`api_key` belongs to a model, and none is named here".to_owned();
        reader.report(&key, message, "add `name`, such as `name: openai/gpt-5`");
    }
    Some(secret)
}

/// Reads a word that must be in `table`, and returns its value there. Reports any other word; `thing` is the
/// noun for it in the message.
pub(crate) fn read_word<T: Copy>(
    reader: &mut Reader,
    key: &str,
    thing: &str,
    tree: YamlNode,
    table: &[(&str, T)],
) -> Option<T> {
    let word = reader.read_name(key, tree)?;
    if let Some((_, value)) = table.iter().find(|(known, _)| *known == word.value) {
        return Some(*value);
    }
    let known: Vec<&str> = table.iter().map(|(known, _)| *known).collect();
    let hint = match nearest(&word.value, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known are {}", join_quoted(&known)),
    };
    reader.report(&word.span, format!("there is no {thing} `{}`", word.value), hint);
    None
}
