//! A thread in a folder: stopped after two steps, looked at, and continued by a store that was opened anew.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::engine::HistoryQuery;
use stategraph::prelude::*;
use stategraph::store::SledStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Counter {
    n: u32,
}

fn graph(folder: &std::path::Path) -> Result<CompiledGraph<Counter>, Box<dyn std::error::Error>> {
    let graph = StateGraph::new("counter")
        .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
        .edge(START, "add")
        .branch("add", |counter: &Counter| counter.n < 5, [(true, "add"), (false, END)])
        .compile()?;
    Ok(graph.with_store(Arc::new(SledStore::open(folder)?)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let thread = ThreadId::new("count-1")?;

    let stopped = graph(folder.path())?.run(Counter::default()).thread(thread.clone()).step_limit(2).await;
    println!("{}", stopped.err().map_or_else(String::new, |error| error.to_string()));

    let graph = graph(folder.path())?;
    let done = graph.resume(&thread).await?;
    println!("counted to {} in {} steps", done.state.n, done.steps);
    for entry in graph.history(&thread, &HistoryQuery::default()).await? {
        let next: Vec<&str> = entry.checkpoint.next.iter().map(|task| &*task.node).collect();
        println!("{}  next: {}", entry.checkpoint.id(&thread), next.join(", "));
    }
    Ok(())
}
