//! The kinds of nodes that graph files define themselves: their keys and their reading. Runs none of them; the caller
//! of [`Definition::build_inline`](super::Definition::build_inline) provides the nodes.

mod agent;
mod http;
mod interrupt;
mod map;
mod model;
mod subgraph;
mod target;
mod tool;

use std::time::Duration;

use schemars::JsonSchema;

use super::expression::{DeclaredNames, Operand, Template};
use super::format::Entries;
use super::inline::{BasicType, StateSchema};
use super::object::Object;
use super::read::{Reader, join_quoted};
use super::tree::Tree;

pub(crate) use map::is_identifier;

pub use agent::{AgentBudget, AgentKind};
pub use http::{HttpKind, Method, RequestBody};
pub use interrupt::InterruptKind;
pub use map::MapKind;
pub use model::ModelKind;
pub(crate) use subgraph::Inclusion;
pub use subgraph::SubgraphKind;
pub use target::Target;
pub use tool::ToolKind;

/// What a node does.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Kind {
    /// The registered node that runs, such as `ard.architect`.
    Uses(#[schemars(length(min = 1, max = 100))] String),
    /// Writes to each channel what its expression gives; a reducer folds it in.
    Set(Entries<Operand>),
    /// Replaces the whole value of each channel, whatever its reducer.
    Overwrite(Entries<Operand>),
    /// Makes a text.
    Template(Template),
    /// Asks a model once.
    Model(Box<ModelKind>),
    /// Runs a tool.
    Tool(ToolKind),
    /// Lets a model work with tools until it is done.
    Agent(Box<AgentKind>),
    /// Runs another graph file.
    Subgraph(SubgraphKind),
    /// Does something for each item of a list.
    Map(Box<MapKind>),
    /// Waits for an answer from outside; a text is the question.
    Interrupt(InterruptKind),
    /// Sends a request. Needs `--allow-http HOST`.
    Http(Box<HttpKind>),
    /// Waits, such as `2s`.
    Sleep(Pause),
    /// Fails with this message.
    Fail(Template),
}

/// Duration of a `sleep`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause(pub Duration);

/// A kind with the span of its key.
pub(crate) type LocatedKind = (Kind, super::source::Span);

/// Names of all kinds.
pub(crate) const KINDS: [&str; 13] = [
    "uses",
    "set",
    "overwrite",
    "template",
    "model",
    "tool",
    "agent",
    "map",
    "subgraph",
    "interrupt",
    "http",
    "sleep",
    "fail",
];

/// Kinds that can be the body of a `map`.
pub(super) const BODIES: [&str; 8] =
    ["set", "template", "model", "tool", "agent", "http", "subgraph", "fail"];

/// Kinds that can be the body of a declared tool.
pub(crate) const TOOL_BODIES: [&str; 6] = ["set", "template", "model", "http", "subgraph", "fail"];

impl Kind {
    /// Returns the channel with the conversation that the node continues.
    pub fn history(&self) -> Option<&str> {
        match self {
            Self::Model(model) => model.history.as_deref(),
            Self::Agent(agent) => agent.history.as_deref(),
            _ => None,
        }
    }

    /// Returns the name of the kind in a file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uses(_) => "uses",
            Self::Set(_) => "set",
            Self::Overwrite(_) => "overwrite",
            Self::Template(_) => "template",
            Self::Model(_) => "model",
            Self::Tool(_) => "tool",
            Self::Agent(_) => "agent",
            Self::Map(_) => "map",
            Self::Subgraph(_) => "subgraph",
            Self::Interrupt(_) => "interrupt",
            Self::Http(_) => "http",
            Self::Sleep(_) => "sleep",
            Self::Fail(_) => "fail",
        }
    }

    /// Returns true if the kind can fail transiently, so that a retry may succeed. The other kinds compute, ask or
    /// wait; their failures are permanent.
    pub(crate) fn can_fail_transiently(&self) -> bool {
        match self {
            Self::Uses(_)
            | Self::Model(_)
            | Self::Tool(_)
            | Self::Agent(_)
            | Self::Subgraph(_)
            | Self::Http(_) => true,
            Self::Map(map) => map.body.can_fail_transiently(),
            Self::Set(_)
            | Self::Overwrite(_)
            | Self::Template(_)
            | Self::Interrupt(_)
            | Self::Sleep(_)
            | Self::Fail(_) => false,
        }
    }

    /// Returns true if the kind sends requests without a model layer, which would retry them. Such a node is retried
    /// even if its file sets no `retry`.
    pub(crate) fn sends_requests(&self) -> bool {
        match self {
            Self::Http(_) | Self::Tool(_) => true,
            Self::Map(map) => map.body.sends_requests(),
            _ => false,
        }
    }

    /// Returns true if the kind has a result that `to` can take.
    pub(crate) fn has_result(&self) -> bool {
        !matches!(self, Self::Uses(_) | Self::Set(_) | Self::Overwrite(_) | Self::Sleep(_) | Self::Fail(_))
    }

    /// Returns true if the kind is useless without a target of its result.
    pub(crate) fn needs_target(&self) -> bool {
        matches!(self, Self::Template(_) | Self::Model(_)) && self.history().is_none()
    }
}

/// Reads the one kind among the keys of a node.
pub(crate) fn read_kind(
    reader: &mut Reader,
    what: &str,
    object: &mut Object,
    among: &[&'static str],
    names: &DeclaredNames<'_>,
) -> Option<LocatedKind> {
    let there: Vec<&'static str> = among.iter().copied().filter(|kind| object.has(kind)).collect();
    let Some((first, more)) = there.split_first() else {
        object.suggest(among);
        let at = object.start();
        let message = format!("{what} does not say what it does");
        if !object.has_misspelled(among) {
            reader.report(&(at..at + 1), message, format!("add one of {}", join_quoted(among)));
        }
        return None;
    };
    let span = object.key_span(first);
    for second in more {
        let message = format!("{what} has both `{first}` and `{second}`");
        let key = object.key_span(second);
        reader.report(&key, message, "make two nodes of it, with an edge between them");
        object.take(second);
    }
    let others: Vec<&'static str> = among.iter().copied().filter(|kind| kind != first).collect();
    object.suggest(&others);
    let tree = object.require(first)?;
    Some((read_kind_value(reader, first, tree, names)?, span))
}

fn read_kind_value(reader: &mut Reader, kind: &str, tree: Tree, names: &DeclaredNames<'_>) -> Option<Kind> {
    let quoted = format!("`{kind}`");
    Some(match kind {
        "uses" => Kind::Uses(reader.read_name(&quoted, tree)?.value),
        "set" => Kind::Set(read_writes(reader, &quoted, tree, names)?),
        "overwrite" => Kind::Overwrite(read_writes(reader, &quoted, tree, names)?),
        "template" => Kind::Template(reader.read_template(&quoted, tree, names)?),
        "model" => Kind::Model(Box::new(ModelKind::read(reader, tree, names)?)),
        "tool" => Kind::Tool(ToolKind::read(reader, tree, names)?),
        "agent" => Kind::Agent(Box::new(AgentKind::read(reader, tree, names)?)),
        "subgraph" => Kind::Subgraph(SubgraphKind::read(reader, tree, names)?),
        "map" => Kind::Map(Box::new(MapKind::read(reader, tree, names)?)),
        "interrupt" => Kind::Interrupt(InterruptKind::read(reader, tree, names)?),
        "http" => Kind::Http(Box::new(HttpKind::read(reader, tree, names)?)),
        "sleep" => Kind::Sleep(Pause(super::format::read_wait(reader, &quoted, tree)?.value.0)),
        "fail" => Kind::Fail(reader.read_template(&quoted, tree, names)?),
        other => unreachable!("`{other}` is a kind without a reader"),
    })
}

/// Reads channels with the values to write. In the body of a `map` the keys name parts of the result instead of
/// channels.
fn read_writes(
    reader: &mut Reader,
    what: &str,
    tree: Tree,
    names: &DeclaredNames<'_>,
) -> Option<Entries<Operand>> {
    let entries = reader.read_entries(what, "channel", tree)?;
    let count = entries.len();
    let channels = names.schema.filter(|_| names.writes_channels());
    let mut seen: Vec<String> = Vec::new();
    let read: Vec<_> = entries
        .into_iter()
        .filter_map(|(name, tree)| {
            if seen.contains(&name.value) {
                let message = format!("{what} writes `{}` twice", name.value);
                reader.report(&name.span, message, "remove one of them");
                return None;
            }
            seen.push(name.value.clone());
            check_channel(reader, &name, channels)?;
            let operand = reader.read_operand(&format!("`{}` of {what}", name.value), tree, names)?;
            Some((name, operand))
        })
        .collect();
    (read.len() == count).then_some(Entries(read))
}

/// Reports a channel that the schema does not have. Without a schema every name passes.
fn check_channel(
    reader: &mut Reader,
    name: &super::located::Located<String>,
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

/// Reads the name of the channel with the conversation.
fn read_history(reader: &mut Reader, tree: Tree, names: &DeclaredNames<'_>) -> Option<String> {
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

/// Reads the prompt and the history channel of a model. The prompt is optional if there is a history.
fn read_prompt(
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

/// Reads a list of tool names.
fn read_tools(reader: &mut Reader, tree: Tree) -> Option<Vec<String>> {
    let tools = reader.read_names("`tools`", tree)?;
    reader.tools.extend(tools.iter().cloned());
    Some(tools.into_iter().map(|tool| tool.value).collect())
}
