//! What happens in a run, as it happens: nodes that try again, say something, finish.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::time::Duration;

use futures_util::StreamExt;
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Fetch {
    #[state(append)]
    pages: Vec<String>,
}

async fn fetch(_: &Fetch, cx: &Cx) -> NodeResult<FetchUpdate> {
    cx.emit("trying", &cx.attempt())?;
    if cx.attempt() < 3 {
        return Err(NodeError::msg("the server is busy"));
    }
    Ok(Fetch::update().pages("<html>"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let retry = RetryPolicy::attempts(3).first_wait(Duration::from_millis(1));
    let graph = StateGraph::new("fetch")
        .node_with("fetch", NodePolicy::new().retry(retry), fetch)
        .edge(START, "fetch")
        .edge("fetch", END)
        .compile()?;
    let kinds = EventKinds::TASKS | EventKinds::CUSTOM | EventKinds::UPDATES;
    let mut run = graph.run(Fetch::default()).stream(kinds).await?;
    while let Some(event) = run.next().await {
        println!("{}", serde_json::to_string(&event)?);
    }
    let done = run.outcome().ok_or("a stream that has ended has an outcome")??;
    println!("{} page after {} step", done.state.pages.len(), done.steps);
    Ok(())
}
