//! What outlives a thread: facts in a long-term store, and results that are not worked out twice.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use stategraph::engine::{CachePolicy, ItemPath, ItemQuery, LongTermStore, PutItem};
use stategraph::prelude::*;
use stategraph::store::MemoryItems; // or ItemFiles::open("memory")

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Visit {
    guest: String,
    welcome: String,
}

async fn welcome(visit: &Visit, cx: &Cx) -> NodeResult<VisitUpdate> {
    println!("looking up {}", visit.guest);
    let guests: ItemPath = "hotel.guests".parse()?;
    let found = cx.store()?.search(&ItemQuery::below(&guests).text(&visit.guest)).await?;
    let drink = found.first().and_then(|best| best.item.value["drinks"].as_str());
    Ok(Visit::update().welcome(format!("{}? Here you are.", drink.unwrap_or("Water"))))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let items = Arc::new(MemoryItems::new());
    let guests: ItemPath = "hotel.guests".parse()?;
    items.put(PutItem::new(&guests, "7", json!({"name": "Ada Lovelace", "drinks": "tea"}))?).await?;

    let graph = StateGraph::new("hotel")
        .node("welcome", welcome)
        .edge(START, "welcome")
        .edge("welcome", END)
        .cache(
            "welcome",
            CachePolicy::with_key(|visit: &Visit| visit.guest.clone()).ttl(Duration::from_mins(1)),
        )
        .compile()?
        .with_long_term(items.clone())
        .with_cache(items);
    for _ in 0..2 {
        let done = graph.run(Visit { guest: "Ada".to_owned(), ..Visit::default() }).await?;
        println!("{}", done.state.welcome);
    }
    Ok(())
}
