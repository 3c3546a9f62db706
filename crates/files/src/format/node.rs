//! A node of a graph file: its kind, its target and its policies.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use stategraph_yaml::YamlNode;

use super::super::expression::{DeclaredNames, Operand};
use super::super::kind::{KINDS, Kind, Target};
use super::super::located::Located;
use super::super::read::Reader;
use super::super::source::Span;
use super::super::wait::{Wait, read_wait};
use super::handler::HandlerFile;
use super::state::StateFile;
use super::work::{NodeAction, with_one_kind};

/// Maximum number of attempts of a retry policy.
pub const ATTEMPTS_MAX: u32 = 1_000;

/// A node of a graph file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct NodeFile {
    /// Kind of the node; `None` if it could not be read.
    pub(crate) kind: Option<Kind>,
    /// Span of the key that names the kind; the span of the name of a registered node.
    pub(crate) kind_at: Span,
    pub(crate) keys: NodeKeys,
}

/// The keys that every kind of node has.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Node", deny_unknown_fields)]
pub(crate) struct NodeKeys {
    /// Target of the result: a channel, or for each channel an expression that sees it as `result`.
    pub(crate) to: Option<Target>,
    /// Purpose of the node, in a line.
    pub(crate) about: Option<Located<String>>,
    /// Retries after an error; default: none.
    pub(crate) retry: Option<RetryFile>,
    /// Upper bound of the duration of one attempt, such as `30s`; default: unlimited.
    pub(crate) timeout: Option<Located<Wait>>,
    /// Defers the node until no other task is left to run; default: false.
    pub(crate) defer: Option<bool>,
    /// Gives an earlier result again for the same input. Default: it always runs.
    pub(crate) cache: Option<CacheFile>,
    /// Replacement for the node after its last failed attempt. Default: the run fails.
    pub(crate) error_handler: Option<Box<HandlerFile>>,
    /// The nodes it may choose to go to by itself. Such a node has no edges. Only with `uses`.
    pub(crate) goto: Option<Vec<Located<String>>>,
}

/// For how long, and for what, a result is given again.
#[derive(Debug, Clone, Default, PartialEq, JsonSchema)]
#[schemars(rename = "Cache", deny_unknown_fields)]
pub(crate) struct CacheFile {
    /// Lifetime of an entry, such as `1h`; default: unlimited.
    pub(crate) ttl: Option<Located<Wait>>,
    /// Cache key: expressions. Default: the whole state.
    pub(crate) by: Option<Operand>,
}

/// Retry policy: number of attempts, and the waits between them.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Retry", deny_unknown_fields)]
pub(crate) struct RetryFile {
    /// Attempts in all, the first included.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) attempts: Located<u32>,
    /// The wait before the second attempt. Default: `500ms`.
    pub(crate) first_wait: Option<Located<Wait>>,
    /// Factor of the wait after each attempt; default: 2.
    #[schemars(range(min = 1))]
    pub(crate) factor: Option<Located<f64>>,
    /// The longest wait. Default: `128s`.
    pub(crate) longest_wait: Option<Located<Wait>>,
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
        let Some(mut object) = reader.read_object(&what, tree) else { return Self::default() };
        let NodeAction { kind, kind_at, to } = NodeAction::take(reader, &what, &mut object, state, names);
        let about = object.take("about").and_then(|tree| reader.read_text("`about`", tree));
        let retry = object.take("retry").and_then(|tree| RetryFile::read(reader, tree));
        let timeout = object.take("timeout").and_then(|tree| read_wait(reader, "`timeout`", tree));
        let defer = object.take("defer").and_then(|tree| reader.read_bool("`defer`", &tree));
        let cache_key = object.key_span("cache");
        let cache =
            object.take("cache").and_then(|tree| CacheFile::read(reader, tree, state, names, &cache_key));
        let handler = object.take("error_handler");
        let error_handler =
            handler.and_then(|tree| HandlerFile::read(reader, name, tree, state, names).map(Box::new));
        let goto_key = object.key_span("goto");
        let goto = object.take("goto").and_then(|tree| reader.read_names("`goto`", tree));
        object.finish(reader);
        if let Some(kind) = kind.as_ref().filter(|kind| goto.is_some() && !matches!(kind, Kind::Uses(_))) {
            let message = format!("{what} is a `{}`, which goes nowhere by itself", kind.name());
            reader.report(&goto_key, message, "write edges with `when` instead of `goto`");
        }
        let keys = NodeKeys { to, about, retry, timeout, defer, cache, error_handler, goto };
        Self { kind, kind_at, keys }
    }
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
        Some(Self { ttl, by })
    }
}

impl RetryFile {
    fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        let mut object = reader.read_object("`retry`", tree)?;
        let attempts = object.require("attempts").and_then(|tree| {
            let number = reader.read_number("`attempts`", tree)?;
            reader.check_integer("`attempts`", &number, ATTEMPTS_MAX)
        });
        let first_wait = object.take("first_wait").and_then(|tree| read_wait(reader, "`first_wait`", tree));
        let factor = object.take("factor").and_then(|tree| reader.read_number("`factor`", tree));
        let longest_wait =
            object.take("longest_wait").and_then(|tree| read_wait(reader, "`longest_wait`", tree));
        object.finish(reader);
        Some(Self { attempts: attempts?, first_wait, factor, longest_wait })
    }
}

/// The keys of every node and those of the kinds, of which a node has exactly one.
impl JsonSchema for NodeFile {
    fn schema_name() -> Cow<'static, str> {
        "Node".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        with_one_kind(NodeKeys::json_schema(generator), generator, &KINDS)
    }
}
