//! `agent`: a model that works with tools until it calls none.

use schemars::JsonSchema;

use super::super::expression::{Names, Operand, Template};
use super::super::read::Reader;
use super::super::tree::Tree;
use super::model::whole;

/// The most rounds that a file can allow.
const ROUNDS_MAX: u32 = 10_000;

/// Lets a model work with tools until it is done. The result is its last text.
#[derive(Debug, Clone, PartialEq, JsonSchema)]
#[schemars(rename = "Agent", deny_unknown_fields)]
pub struct AgentKind {
    /// What it is to do. Only with `history` it can be left out.
    pub task: Option<Template>,
    /// The channel, of type `messages`, with the conversation so far: it is sent before the task, and takes all that is said after it.
    pub history: Option<String>,
    /// Standing instructions.
    pub system: Option<Template>,
    /// The tools it can use.
    pub tools: Vec<String>,
    /// Which model; as for `model`.
    pub name: Option<String>,
    /// How often the model is asked, at most. Left out: 50.
    #[schemars(range(min = 1, max = 10_000))]
    pub rounds: Option<u32>,
    /// What is answered where the model is `offline`.
    pub offline: Option<Operand>,
}

impl AgentKind {
    pub(super) fn read(reader: &mut Reader, tree: Tree, names: &Names<'_>) -> Option<Self> {
        let mut object = reader.object("`agent`", tree)?;
        let before = reader.found.len();
        let (task, history) = super::spoken(reader, &mut object, "task", names);
        let system = object.take("system").and_then(|tree| reader.template("`system`", tree, names));
        let tools = object.need("tools").and_then(|tree| super::tools(reader, tree));
        let name = object.take("name").and_then(|tree| reader.name("`name` of a model", tree));
        let rounds = object.take("rounds").and_then(|tree| whole(reader, "`rounds`", tree, 1, ROUNDS_MAX));
        let offline = object.take("offline").and_then(|tree| reader.operand("`offline`", tree, names));
        object.finish(reader);
        if reader.found.len() > before {
            return None;
        }
        let name = name.map(|name| name.value);
        Some(Self { task, history, system, tools: tools?, name, rounds, offline })
    }
}
