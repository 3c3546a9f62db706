//! LangGraph's `create_react_agent`.
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::json;
use stategraph::agent::Scripted;
use stategraph::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let add = async |Pair { a, b }: Pair| (a + b).to_string();
    let tools = Toolbox::new().with(function_tool("add", "Adds two numbers.", add))?;
    let model = Scripted::new("script/model").call("add", &json!({ "a": 2, "b": 2 })).answer("It is 4.");
    let agent = agent_graph("agent").compile_with(AgentParts::new("agent", Arc::new(model), tools))?;
    let messages = Messages::from_iter([Message::user("2 + 2?")]);
    let done = agent.run(AgentState { messages, ..AgentState::default() }).await?.state.messages;
    let last = done.last().ok_or("the agent answers")?;
    Ok(format!("{} {}", done.len(), last.message.content))
}
