//! An agent with two tools. The model here reads from a script; `Providers` makes real ones from their names.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let add = async |Pair { a, b }: Pair| (a + b).to_string();
    let multiply = async |Pair { a, b }: Pair| (a * b).to_string();
    let tools = Toolbox::new().with(function_tool("add", "Adds two numbers.", add))?.with(function_tool(
        "multiply",
        "Multiplies two numbers.",
        multiply,
    ))?;
    let model = Scripted::new("script/model")
        .call("add", &json!({ "a": 2, "b": 3 }))
        .call("multiply", &json!({ "a": 5, "b": 4 }))
        .answer("(2 + 3) * 4 is 20.");
    let parts = AgentParts::new("calculator", Arc::new(model), tools);
    let agent = agent_graph("calculator").compile_with(parts)?;
    let done = agent.run(AgentState::new("You calculate.", "(2 + 3) * 4?")).await?;
    for kept in done.state.messages.iter() {
        println!("{:?}: {}", kept.message.role, kept.message.content);
    }
    Ok(())
}
