//! Going back: the history of a thread, a fork from the middle of it, and an update from outside.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::engine::HistoryQuery;
use stategraph::prelude::*;
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Story {
    #[state(append)]
    lines: Vec<String>,
    weather: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let say = async |story: &Story| Story::update().lines(format!("It was {}.", story.weather));
    let graph = StateGraph::new("story")
        .node("open", say)
        .node("middle", say)
        .node("close", say)
        .sequence([START, "open", "middle", "close", END])
        .compile()?
        .with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("story")?;
    let told =
        graph.run(Story { weather: "dark".to_owned(), ..Story::default() }).thread(thread.clone()).await?;
    println!("{}", told.state.lines.join(" "));

    // Before `middle` ran: that checkpoint becomes the newest, the other end of the story stays where it is.
    let history = graph.history(&thread, &HistoryQuery::default()).await?;
    let before =
        history.iter().find(|entry| entry.checkpoint.next.iter().any(|task| &*task.node == "middle"));
    let before = before.ok_or("the middle was planned once")?.checkpoint.id(&thread);
    graph.fork(&before).await?;
    graph.update(&thread, Story::update().weather("stormy"), Some("open")).await?;
    let told = graph.resume(&thread).await?;
    println!("{}", told.state.lines.join(" "));
    Ok(())
}
