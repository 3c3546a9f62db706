//! The kind `agent`: a model that works with tools until it calls none.

use schemars::JsonSchema;
use stategraph_yaml::YamlNode;

use super::super::expression::{DeclaredNames, Operand, Template};
use super::super::naming::join_quoted;
use super::super::object::Object;
use super::super::read::Reader;
use super::parts::{read_api_key, read_integer, read_prompt, read_tools};

/// Maximum value of `rounds` in a file.
const ROUNDS_MAX: u32 = 10_000;

/// Maximum value of a token limit in a file.
const TOKENS_MAX: u32 = 1_000_000_000;

/// Maximum value of `dollars` in a file.
const DOLLARS_MAX: f64 = 1_000_000.0;

/// Maximum value of `requests_per_minute` in a file.
const REQUESTS_MAX: u32 = 1_000_000;

/// Lets a model work with tools until it is done. The result is its last text.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Agent", deny_unknown_fields)]
pub struct AgentKind {
    /// Task of the agent. Required unless `history` is set.
    pub task: Option<Template>,
    /// The channel, of type `messages`, with the conversation so far: it is sent before the task, and takes all that is said after it.
    pub history: Option<String>,
    /// Standing instructions.
    pub system: Option<Template>,
    /// The tools it can use.
    pub tools: Vec<String>,
    /// Which model; as for `model`.
    pub name: Option<String>,
    /// The secret that is the key of its model, as of `model`.
    pub api_key: Option<String>,
    /// Upper bound of requests to the model; default: 50.
    #[schemars(range(min = 1, max = 10_000))]
    pub rounds: Option<u32>,
    /// The tools of which a person is asked before each call: `approve`, `reject`, or `{ decision: edit, args: {…} }`.
    #[schemars(default)]
    pub approve: Vec<String>,
    /// Budget of the node; default: unlimited.
    pub budget: Option<AgentBudget>,
    /// Answer for the model `offline`.
    pub offline: Option<Operand>,
}

/// Budget of an agent. The node fails before the request that would exceed it, and continues when it is resumed with a larger one.
#[derive(Debug, Clone, Copy, Default, PartialEq, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AgentBudget {
    /// Tokens, read and written.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub tokens: Option<u32>,
    /// Dollars, by the prices of the model's provider.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1_000_000))]
    pub dollars: Option<f64>,
    /// Requests within any minute: more wait.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub requests_per_minute: Option<u32>,
    /// Tokens within any minute: more wait. 85 % are used, as requests are estimated.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub tokens_per_minute: Option<u32>,
}

impl AgentKind {
    pub(super) fn read(reader: &mut Reader, tree: YamlNode, names: &DeclaredNames<'_>) -> Option<Self> {
        let mut object = reader.read_object("`agent`", tree)?;
        let before = reader.diagnostics.len();
        let (task, history) = read_prompt(reader, &mut object, "task", names);
        let system = object.take("system").and_then(|tree| reader.read_template("`system`", tree, names));
        let tools = object.require("tools").and_then(|tree| read_tools(reader, tree));
        let approve = read_approve(reader, &mut object, tools.as_deref(), names);
        let budget = object.take("budget").and_then(|tree| AgentBudget::read(reader, tree));
        let name = object.take("name").and_then(|tree| reader.read_name("`name` of a model", tree));
        let api_key = read_api_key(reader, &mut object, name.is_some(), names);
        let rounds =
            object.take("rounds").and_then(|tree| read_integer(reader, "`rounds`", tree, 1, ROUNDS_MAX));
        let offline = object.take("offline").and_then(|tree| reader.read_operand("`offline`", tree, names));
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        let name = name.map(|name| name.value);
        Some(Self { task, history, system, tools: tools?, name, api_key, rounds, approve, budget, offline })
    }
}

impl AgentBudget {
    fn read(reader: &mut Reader, tree: YamlNode) -> Option<Self> {
        let span = tree.span.start..tree.span.end.max(tree.span.start + 1);
        let mut object = reader.read_object("`budget`", tree)?;
        let before = reader.diagnostics.len();
        let mut read_limit = |reader: &mut Reader, key: &'static str, most: u32| {
            object.take(key).and_then(|tree| read_integer(reader, &format!("`{key}`"), tree, 1, most))
        };
        let tokens = read_limit(reader, "tokens", TOKENS_MAX);
        let requests_per_minute = read_limit(reader, "requests_per_minute", REQUESTS_MAX);
        let tokens_per_minute = read_limit(reader, "tokens_per_minute", TOKENS_MAX);
        let dollars = object.take("dollars").and_then(|tree| read_dollars(reader, tree));
        object.finish(reader);
        if reader.diagnostics.len() > before {
            return None;
        }
        let budget = Self { tokens, dollars, requests_per_minute, tokens_per_minute };
        if budget == Self::default() {
            let hint = "such as { tokens: 30000, dollars: 2, requests_per_minute: 20 }, or leave it out";
            reader.report(&span, "`budget` limits nothing".to_owned(), hint);
            return None;
        }
        Some(budget)
    }
}

fn read_dollars(reader: &mut Reader, tree: YamlNode) -> Option<f64> {
    let number = reader.read_number("`dollars`", tree)?;
    if number.value > 0.0 && number.value <= DOLLARS_MAX {
        return Some(number.value);
    }
    let message = format!("`dollars` is {}, it is more than 0 and at most {DOLLARS_MAX}", number.value);
    reader.report(&number.span, message, "such as 0.5 for half a dollar");
    None
}

/// Reads the key `approve`: the tools of which a person is asked before each call. Reports names that are not
/// in `tools`, and `approve` outside a node. Returns all names.
fn read_approve(
    reader: &mut Reader,
    object: &mut Object,
    tools: Option<&[String]>,
    names: &DeclaredNames<'_>,
) -> Vec<String> {
    if !object.has("approve") {
        return Vec::new();
    }
    let key = object.key_span("approve");
    let Some(asked) = object.take("approve").and_then(|tree| reader.read_names("`approve`", tree)) else {
        return Vec::new();
    };
    if !names.writes_channels() {
        let message = "a person is asked by a node, and this is a part of one".to_owned();
        reader.report(&key, message, "leave `approve` out, or make a node of it");
    }
    for tool in &asked {
        let known = tools.is_none_or(|tools| tools.contains(&tool.value));
        if !known {
            let message = format!("`approve` names `{}`, which is not one of the agent's tools", tool.value);
            reader.report(
                &tool.span,
                message,
                format!("its tools are {}", join_quoted(tools.unwrap_or_default())),
            );
        }
    }
    asked.into_iter().map(|tool| tool.value).collect()
}
