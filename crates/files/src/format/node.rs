//! A node of a graph file: its kind, its target and its policies.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use super::super::expression::{DeclaredNames, Operand};
use super::super::kind::{KINDS, Kind, Target};
use super::super::located::Located;
use super::super::read::Reader;
use super::super::source::Span;
use super::super::wait::{DurationText, read_wait};
use super::entries::Entries;
use super::handler::HandlerFile;
use super::names::{ITEM, REMAINING_STEPS};
use super::retry::{PolicyKeys, Retries};
use super::route::GotoFile;
use super::state::StateFile;
use super::work::{NodeAction, RESULT, with_one_kind};
use stategraph_yaml::{YamlNode, YamlValue};

/// A node as the graph file declares it: its work and its other keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NodeFile {
    /// Work of the node, and the target of its result.
    pub(crate) action: NodeAction,
    pub(crate) keys: NodeKeys,
}

/// The keys that a node has besides its work and the target of its result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NodeKeys {
    pub(crate) about: Option<Located<String>>,
    pub(crate) policy: PolicyKeys,
    pub(crate) defer: Option<bool>,
    pub(crate) cache: Option<CacheFile>,
    pub(crate) error_handler: Option<Box<HandlerFile>>,
    pub(crate) goto: Option<GotoFile>,
    /// Custom events with their data, which see the result.
    pub(crate) emit: Option<Entries<Operand>>,
}

/// The keys that every kind of node has.
#[derive(JsonSchema)]
#[schemars(rename = "Node", deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct NodeForm {
    /// Target of the result: a channel, or for each channel an expression that sees it as `result`.
    to: Option<Target>,
    /// Purpose of the node, in a line.
    about: Option<String>,
    /// Retries after an error, or a list of policies, of which the first that accepts the failure applies; default: none.
    retry: Option<Retries>,
    /// Upper bound of the duration of one attempt, such as `30s`; default: unlimited.
    timeout: Option<DurationText>,
    /// Upper bound of the duration of an attempt without any progress; default: unlimited.
    idle_timeout: Option<DurationText>,
    /// Upper bound of the duration between heartbeats; default: unlimited. Only with `uses`.
    heartbeat_timeout: Option<DurationText>,
    /// Defers the node until no other task is left to run; default: false.
    defer: Option<bool>,
    /// Gives an earlier result again for the same input. Default: it always runs.
    cache: Option<CacheFile>,
    /// Replacement for the node after its last failed attempt. Default: the run fails.
    error_handler: Option<HandlerFile>,
    /// The nodes that run next, instead of edges: rules, or with `uses` the nodes it may choose to go to.
    goto: Option<GotoFile>,
    /// Custom events for subscribers of the run, by name: expressions that see `result`.
    emit: Option<Entries<Operand>>,
}

/// For how long, and for what, a result is given again.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Cache", deny_unknown_fields)]
pub(crate) struct CacheFile {
    /// Lifetime of an entry, such as `1h`; default: unlimited.
    pub(crate) ttl: Option<Located<DurationText>>,
    /// Cache key: expressions. Default: the whole state.
    pub(crate) by: Option<Operand>,
    /// Definition of the node as JSON. It is a part of the key, because a node that was edited has other results.
    #[schemars(skip)]
    pub(crate) definition: String,
}

impl NodeFile {
    pub(crate) fn read(
        reader: &mut Reader,
        name: &str,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Self {
        let what = format!("node `{name}`");
        let definition = tree.get("cache").map(|_| definition_of(&tree));
        let Some(mut object) = reader.read_object(&what, tree) else { return Self::default() };
        let action = NodeAction::take(reader, &what, &mut object, state, names);
        let about = object.take("about").and_then(|tree| reader.read_text("`about`", tree));
        let policy = PolicyKeys::take(reader, &mut object);
        policy.check_heartbeats(reader, state);
        let defer = object.take("defer").and_then(|tree| reader.read_bool("`defer`", &tree));
        let cache_key = object.key_span("cache");
        // The key of a result depends on the state, and on the item without being named; it is not computed by a task.
        let of_state = names.clone().without_local(ITEM).without_local(REMAINING_STEPS);
        let cache =
            object.take("cache").and_then(|tree| CacheFile::read(reader, tree, state, &of_state, &cache_key));
        let cache = cache.map(|cache| CacheFile { definition: definition.unwrap_or_default(), ..cache });
        let handler = object.take("error_handler");
        let error_handler = handler.and_then(|tree| {
            let what = format!("the error handler of `{name}`");
            HandlerFile::read(reader, &what, tree, state, names).map(Box::new)
        });
        let names = match &action.kind {
            Some(kind) if !kind.has_result() => names.clone(),
            kind => names.with_typed_local(RESULT, kind.as_ref().and_then(Kind::result_schema)),
        };
        let goto = object.take("goto").and_then(|tree| GotoFile::read(reader, tree, state, &names));
        let emit_key = object.key_span("emit");
        let emit = object.take("emit").and_then(|tree| read_events(reader, tree, &names));
        if emit.is_some() && matches!(state, StateFile::Registered(_)) {
            let message = "`emit` reads channels, and the state is registered".to_owned();
            reader.report(&emit_key, message, "remove it: a node in Rust emits events itself");
        }
        object.finish(reader);
        let keys = NodeKeys { about, policy, defer, cache, error_handler, goto, emit };
        Self { action, keys }
    }
}

/// Returns the definition of a node as JSON text, without the keys that change no result, such as `about` and
/// `retry`. It is part of the node's cache key.
fn definition_of(node: &YamlNode) -> String {
    let mut definition = node.to_json();
    if let Some(keys) = definition.as_object_mut() {
        ["about", "cache", "retry", "timeout", "idle_timeout", "heartbeat_timeout", "defer"]
            .iter()
            .for_each(|key| drop(keys.remove(*key)));
    }
    definition.to_string()
}

/// The names of the events that the program emits for nodes of a file: the usage of a model, and the calls of tools.
const PROGRAM_EVENTS: [&str; 2] = ["usage", "tool_call"];

/// Reads the key `emit`: a map from names of custom events to their data. Reports its defects and then
/// returns `None`.
fn read_events(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Entries<Operand>> {
    if !matches!(tree.value, YamlValue::Map(_)) {
        let first = match &tree.value {
            YamlValue::List(items) => items.first().map(|item| &item.value),
            value => Some(value),
        };
        let name = match first {
            Some(YamlValue::Text(name)) => name.as_str(),
            _ => "NAME",
        };
        let hint = format!("write the event with its data, an expression: `emit: {{ {name}: true }}`");
        reader.report_mismatch("`emit`", "a map of events and their data", &tree, &hint);
        return None;
    }
    let entries = reader.read_entries("`emit`", "event", tree)?;
    let count = entries.len();
    let mut read: Vec<(Located<String>, Operand)> = Vec::new();
    for (name, tree) in entries {
        if read.iter().any(|(known, _)| known.value == name.value) {
            let message = format!("`emit` names the event `{}` twice", name.value);
            reader.report(&name.span, message, "remove one of them");
            continue;
        }
        if PROGRAM_EVENTS.contains(&name.value.as_str()) {
            let message = format!("the event `{}` of `emit` is one of the program", name.value);
            reader.report(&name.span, message, "choose another name");
            continue;
        }
        let what = format!("`{}` of `emit`", name.value);
        read.extend(reader.read_operand(&what, tree, names).map(|data| (name, data)));
    }
    (read.len() == count).then_some(Entries(read))
}

impl CacheFile {
    fn read(
        reader: &mut Reader,
        tree: YamlNode,
        state: &StateFile,
        names: &DeclaredNames<'_>,
        key: &Span,
    ) -> Option<Self> {
        let mut object = reader.read_object("`cache`", tree)?;
        let ttl = object.take("ttl").and_then(|tree| read_wait(reader, "`ttl`", tree));
        let by = object.take("by");
        let by = match (by, state) {
            (Some(_), StateFile::Registered(_)) => {
                let message = "`by` reads channels, and the state is registered".to_owned();
                reader.report(key, message, "leave it out: the whole state is the input");
                None
            }
            (by, _) => by.and_then(|tree| reader.read_operand("`by`", tree, names)),
        };
        object.finish(reader);
        Some(Self { ttl, by, definition: String::new() })
    }
}

/// The keys of every node and those of the kinds, of which a node has exactly one.
impl JsonSchema for NodeFile {
    fn schema_name() -> Cow<'static, str> {
        "Node".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        with_one_kind(NodeForm::json_schema(generator), generator, &KINDS)
    }
}
