//! LangGraph's `langgraph.json`: graphs by name for a program that knows no state type, such as a server.
use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::{Value, json};
use stategraph::engine::{Defects, HostRequest, HostStart, SharedHost};
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Greeting {
    name: String,
    #[serde(default)]
    text: String,
}

fn graphs() -> Result<BTreeMap<&'static str, SharedHost>, Defects> {
    let greet = async |greeting: &Greeting| Greeting::update().text(format!("Hello, {}!", greeting.name));
    let greeter =
        StateGraph::new("greeter").node("greet", greet).sequence([START, "greet", END]).compile()?;
    Ok(BTreeMap::from([("greeter", Arc::new(greeter) as SharedHost)]))
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let graphs = graphs()?;
    let start = HostStart::Input { state: json!({ "name": "Ada" }), thread: None };
    let mut run = graphs["greeter"].stream(HostRequest::new(start)).await?;
    while run.next().await.is_some() {}
    let done = run.outcome().ok_or("a stream that has ended has an outcome")??;
    let state: Value = serde_json::from_str(done.state.get())?;
    Ok(state["text"].as_str().unwrap_or_default().to_owned())
}
