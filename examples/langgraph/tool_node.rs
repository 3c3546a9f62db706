//! LangGraph's `ToolNode`.
use schemars::JsonSchema;
use stategraph::agent::{ToolCall, ToolOutput};
use stategraph::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let add = async |Pair { a, b }: Pair| (a + b).to_string();
    let tools = Toolbox::new().with(function_tool("add", "Adds two numbers.", add))?;
    let graph = StateGraph::<MessagesState>::new("tools")
        .node("tools", ToolNode::new(tools))
        .sequence([START, "tools", END])
        .compile()?;
    let call = ToolCall { id: "call_1".into(), name: "add".into(), arguments: r#"{"a": 2, "b": 2}"#.into() };
    let done = graph.run(MessagesState::from_iter([Message::calling("", vec![call])])).await?;
    let result = done.state.messages.last().ok_or("the call has a result")?;
    // A result tells the model whether the tool succeeded, and not only its text.
    let output: ToolOutput = serde_json::from_str(&result.message.content)?;
    Ok(output.content)
}
