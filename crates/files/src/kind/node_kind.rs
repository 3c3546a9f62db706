//! The type of all kinds, with the kind `map`, whose body is a kind itself. Reads nothing; see `read.rs`.

use schemars::JsonSchema;
use serde_json::{Value as Json, json};

use super::super::expression::{Expression, Template};
use super::super::format::Entries;
use super::super::source::Span;
use super::agent::AgentKind;
use super::http::HttpKind;
use super::interrupt::{InterruptKind, InterruptQuestion};
use super::model::ModelKind;
use super::pause::PauseTime;
use super::store::StoreKind;
use super::subgraph::SubgraphKind;
use super::tool::ToolKind;
use super::write::ChannelWrite;

/// Default number of items that run concurrently.
const DEFAULT_AT_ONCE: u32 = 8;

/// Name under which the body of a `map` sees its item, unless `as` sets another.
pub(super) const DEFAULT_ITEM_NAME: &str = "item";

/// The kind of a node, with its settings.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub enum Kind {
    /// The registered node that runs, such as `ard.architect`.
    Uses(#[schemars(length(min = 1, max = 100))] String),
    /// Writes to each channel what its expression gives; a reducer folds it in.
    Set(Entries<ChannelWrite>),
    /// Replaces the whole value of each channel, whatever its reducer.
    Overwrite(Entries<ChannelWrite>),
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
    /// Waits for answers from outside; a text is the question.
    Interrupt(InterruptKind),
    /// Sends a request. Needs `--allow-http HOST`.
    Http(Box<HttpKind>),
    /// Reads or writes a value that outlives the thread.
    Store(Box<StoreKind>),
    /// Waits, such as `2s`.
    Sleep(PauseTime),
    /// Fails with this message.
    Fail(Template),
}

/// A kind with the span of the key that names it in the file.
pub(crate) type LocatedKind = (Kind, Span);

/// Names of all kinds.
pub(crate) const KINDS: [&str; 14] = [
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
    "store",
    "sleep",
    "fail",
];

/// Kinds that can be the body of a `map`.
pub(super) const BODIES: [&str; 9] =
    ["set", "template", "model", "tool", "agent", "http", "store", "subgraph", "fail"];

/// Kinds that can be the body of a declared tool.
pub(crate) const TOOL_BODIES: [&str; 7] = ["set", "template", "model", "http", "store", "subgraph", "fail"];

impl Kind {
    /// Returns the channel with the conversation that a `model` or `agent` continues; `None` without
    /// `history`.
    pub fn history(&self) -> Option<&str> {
        match self {
            Self::Model(model) => model.history.as_deref(),
            Self::Agent(agent) => agent.history.as_deref(),
            _ => None,
        }
    }

    /// Returns the name of the kind of node in graph files, such as `model`.
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
            Self::Store(_) => "store",
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
            | Self::Store(_)
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

    /// Returns true if a node of this kind has a result that `to` can write to channels.
    pub(crate) fn has_result(&self) -> bool {
        match self {
            Self::Uses(_) | Self::Set(_) | Self::Overwrite(_) | Self::Sleep(_) | Self::Fail(_) => false,
            Self::Store(action) => action.has_result(),
            _ => true,
        }
    }

    /// Returns a JSON Schema that the result of a node of this kind fits; `None` if it may be anything.
    pub(crate) fn result_schema(&self) -> Option<Json> {
        let closed = |properties: Json| json!({ "type": "object", "properties": properties, "additionalProperties": false });
        match self {
            Self::Model(model) if model.tools.is_some() => Some(closed(json!({ "text": {}, "calls": {} }))),
            Self::Model(model) => model.schema.as_ref().map(|schema| schema.schema().clone()),
            Self::Interrupt(InterruptKind::One(question)) => Some(question.answer.as_ref()?.schema().clone()),
            Self::Interrupt(InterruptKind::Several(questions)) => {
                let answer = |(name, question): (&str, &InterruptQuestion)| {
                    let schema = question.answer.as_ref().map_or_else(|| json!({}), |it| it.schema().clone());
                    (name.to_owned(), schema)
                };
                Some(closed(questions.iter().map(answer).collect()))
            }
            Self::Http(_) => Some(closed(json!({ "status": { "type": "integer" }, "body": {} }))),
            Self::Map(map) => Some(json!({ "type": "array", "items": map.body.result_schema()? })),
            _ => None,
        }
    }

    /// Returns true if a node of this kind is useless without `to`, because it only makes a result.
    pub(crate) fn needs_target(&self) -> bool {
        match self {
            Self::Template(_) => true,
            Self::Model(_) => self.history().is_none(),
            Self::Store(action) => action.has_result(),
            _ => false,
        }
    }
}

/// Does something for each item of a list. The result is the list of the results, in the order of the items.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Map", deny_unknown_fields)]
pub struct MapKind {
    /// The list.
    pub over: Expression,
    /// Name of the item in `do`, beside `index`, which counts from 0. Default: `item`.
    #[schemars(rename = "as")]
    pub item_name: Option<String>,
    /// Upper bound of items processed at the same time; default: 8.
    #[schemars(range(min = 1, max = 1_000))]
    pub at_once: Option<u32>,
    /// Work for each item: one of `set` (a map of values), `template`, `model`, `tool`, `agent`, `http`, `store`, `subgraph`, `fail`.
    #[schemars(rename = "do")]
    pub body: Kind,
}

impl MapKind {
    /// Returns the name under which the body of a `map` sees its item; `item` unless set.
    pub fn item_name(&self) -> &str {
        self.item_name.as_deref().unwrap_or(DEFAULT_ITEM_NAME)
    }

    /// Returns the maximum number of items of a `map` that run concurrently; 8 unless set.
    pub fn at_once(&self) -> usize {
        self.at_once.unwrap_or(DEFAULT_AT_ONCE) as usize
    }
}
