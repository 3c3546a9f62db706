//! The work of a node or of an error handler: its one kind and the target of its result.

use schemars::{JsonSchema as _, Schema, SchemaGenerator};
use serde_json::{Map, Value as Json};

use super::super::expression::DeclaredNames;
use super::super::kind::{ChannelWrite, KINDS, Kind, Target, read_kind, read_writes};
use super::super::object::Object;
use super::super::read::Reader;
use super::super::source::Span;
use super::entries::Entries;
use super::state::StateFile;

/// Name under which expressions see the result of their node.
pub(super) const RESULT: &str = "result";

/// The work of a node or error handler as it is read from the file: its kind, and the channels that take its
/// result.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NodeAction {
    /// Kind of the work; `None` if it could not be read.
    pub(crate) kind: Option<Kind>,
    /// Span of the key that names the kind; the span of the name of a registered node.
    pub(crate) kind_at: Span,
    /// Channels that take the result.
    pub(crate) to: Option<Target>,
    /// The writes of `overwrite` beside a `set`.
    pub(crate) overwrite: Entries<ChannelWrite>,
}

impl NodeAction {
    /// Takes the key of the kind, `to` and `overwrite` from `object`. Reports defects. `what` names the node
    /// in messages; `names` are the names that its expressions may read.
    pub(super) fn take(
        reader: &mut Reader,
        what: &str,
        object: &mut Object,
        state: &StateFile,
        names: &DeclaredNames<'_>,
    ) -> Self {
        let found = match state {
            StateFile::Registered(_) if !KINDS[1..].iter().any(|kind| object.has(kind)) => {
                let key = object.require("uses");
                key.and_then(|tree| {
                    let name = reader.read_name("`uses`", tree)?;
                    Some((Kind::Uses(name.value), name.span))
                })
            }
            _ => read_kind(reader, what, object, &KINDS, names),
        };
        let to_key = object.has("to").then(|| object.key_span("to"));
        let (kind, kind_at) = found.map_or((None, 0..0), |(kind, at)| (Some(kind), at));
        let schema = kind.as_ref().and_then(Kind::result_schema);
        let with_result = names.with_typed_local(RESULT, schema);
        let to = object.take("to").and_then(|tree| Target::read(reader, tree, &with_result));
        let overwrite_key = object.key_span("overwrite");
        let overwrite = match &kind {
            Some(Kind::Set(_)) => object
                .take("overwrite")
                .and_then(|tree| read_writes(reader, "`overwrite`", tree, names.written_channels(), names)),
            _ => None,
        };
        let action = Self { kind, kind_at, to, overwrite: overwrite.unwrap_or_default() };
        action.check_overwrite(reader, what, &overwrite_key);
        action.check(reader, what, state, to_key.as_ref());
        action
    }

    /// Reports channels that one node writes with both `set` and `overwrite`.
    fn check_overwrite(&self, reader: &mut Reader, what: &str, key: &Span) {
        let Some(Kind::Set(writes)) = &self.kind else { return };
        for (name, _) in &self.overwrite.0 {
            if writes.iter().any(|(known, _)| known == name.value) {
                let message = format!("{what} sets and overwrites `{}`", name.value);
                let span = if name.span.is_empty() { key } else { &name.span };
                reader.report(span, message, "remove one of them: an overwrite replaces what is set");
            }
        }
    }

    /// Reports a kind that does not suit the state, a `to` of a kind without result, and a missing `to`.
    fn check(&self, reader: &mut Reader, what: &str, state: &StateFile, to_key: Option<&Span>) {
        let Some(kind) = &self.kind else { return };
        let name = kind.name();
        match (state, kind) {
            (StateFile::Inline(_), Kind::Uses(_)) => {
                let message = format!("{what} uses a registered node, and those have a registered state");
                let hint = "use `set`, `template`, `model`, `map` …, or write `state: NAME`";
                reader.report(&self.kind_at, message, hint);
            }
            // A missing state was already reported.
            (StateFile::Registered(state), kind)
                if !state.value.is_empty() && !matches!(kind, Kind::Uses(_)) =>
            {
                let message = format!(
                    "{what} is a `{name}`, which works on channels, and the state is `{}`",
                    state.value
                );
                reader.report(
                    &self.kind_at,
                    message,
                    "write `uses: NAME`, or declare channels under `state`",
                );
            }
            _ => {}
        }
        match to_key {
            Some(key) if self.to.is_some() && !kind.has_result() => {
                reader.report(key, format!("{what} is a `{name}`, which has no result"), "remove `to`");
            }
            None if kind.needs_target() => {
                let message = format!("the result of {what} goes nowhere");
                reader.report(&self.kind_at, message, "add `to: CHANNEL`");
            }
            _ => {}
        }
        self.check_history(reader, to_key);
        self.check_shared(reader, to_key);
    }

    /// Reports a `to` that names a channel shared with the sub-graph: the sub-graph already writes it, and a
    /// channel takes one write of a node.
    fn check_shared(&self, reader: &mut Reader, to_key: Option<&Span>) {
        let (Some(Kind::Subgraph(graph)), Some(key)) = (&self.kind, to_key) else { return };
        let shared = graph.share.iter().find(|channel| self.to.as_ref().is_some_and(|to| to.names(channel)));
        if let Some(channel) = shared {
            let message =
                format!("`{channel}` is shared with the sub-graph, whose writes go there by themselves");
            reader.report(key, message, "write the result to another channel, or do not share this one");
        }
    }

    /// Reports a `to` that names the `history` channel: the answer is already written there, and a channel
    /// takes one write of a node.
    fn check_history(&self, reader: &mut Reader, to_key: Option<&Span>) {
        let Some(history) = self.kind.as_ref().and_then(Kind::history) else { return };
        let is_target = self.to.as_ref().is_some_and(|to| to.names(history));
        if let Some(key) = to_key.filter(|_| is_target) {
            let message = format!("`{history}` is the history, to which the answer goes by itself");
            reader.report(key, message, "write the result to another channel, or leave `to` out");
        }
    }
}

/// Extends the JSON Schema of a map by the properties of the kinds in `among`, exactly one of which must be
/// there.
pub(super) fn with_one_kind(mut schema: Schema, generator: &mut SchemaGenerator, among: &[&str]) -> Schema {
    let kinds = Kind::json_schema(generator);
    let alternatives = kinds.get("oneOf").and_then(Json::as_array).cloned().unwrap_or_default();
    let mut one = Vec::new();
    let mut of_kinds = Map::new();
    for alternative in alternatives {
        let about = alternative.get("description").cloned();
        let properties = alternative["properties"].as_object().into_iter().flatten();
        for (name, value) in properties.filter(|(name, _)| among.contains(&name.as_str())) {
            let mut value = value.clone();
            if let (Some(about), Some(map)) = (&about, value.as_object_mut()) {
                map.insert("description".to_owned(), about.clone());
            }
            // The one kind that may stand beside another.
            let alone = if name == "overwrite" && among.contains(&"set") {
                serde_json::json!({ "required": [name], "not": { "required": ["set"] } })
            } else {
                serde_json::json!({ "required": [name] })
            };
            one.push(alone);
            of_kinds.insert(name.clone(), value);
        }
    }
    if let Some(properties) = schema.ensure_object().get_mut("properties").and_then(Json::as_object_mut) {
        properties.extend(of_kinds);
    }
    schema.insert("oneOf".to_owned(), Json::Array(one));
    schema
}
