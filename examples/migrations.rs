//! A state whose type changes over time. Threads of older versions are read, resumed and forked by typed steps.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::engine::CheckpointStore;
use stategraph::prelude::*;
use stategraph::store::MemoryStore;

/// The types as they were. They stay in the program as long as there are threads of theirs.
mod first {
    use super::{Deserialize, Serialize, State};

    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct Order {
        pub(crate) euros: u32,
        #[state(append)]
        pub(crate) notes: Vec<String>,
    }
}

mod second {
    use super::{Deserialize, Serialize, State};

    #[derive(State, Clone, Default, Serialize, Deserialize)]
    pub(crate) struct Order {
        pub(crate) cents: u64,
        #[state(append)]
        pub(crate) notes: Vec<String>,
    }
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Order {
    cents: u64,
    currency: String,
    #[state(append)]
    notes: Vec<String>,
}

fn euros_to_cents(old: first::Order) -> second::Order {
    second::Order { cents: u64::from(old.euros) * 100, notes: old.notes }
}

fn with_currency(old: second::Order) -> Order {
    Order { cents: old.cents, currency: "EUR".to_owned(), notes: old.notes }
}

/// The program of last year: it stops when the order is half done.
async fn last_year(store: Arc<dyn CheckpointStore>, thread: &ThreadId) -> Result<(), RunError> {
    let graph = StateGraph::new("order")
        .node("check", async |_: &first::Order| first::Order::update().notes("checked in euros"))
        .node("ship", async |_: &first::Order| first::Order::update().notes("shipped"))
        .sequence([START, "check", "ship", END])
        .compile()
        .expect("the graph has no defects")
        .with_store(store);
    let order = first::Order { euros: 25, ..first::Order::default() };
    let stopped = graph.run(order).thread(thread.clone()).step_limit(1).await;
    assert!(matches!(stopped, Err(RunError::StepLimit { .. })));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let store: Arc<dyn CheckpointStore> = Arc::new(MemoryStore::new());
    let thread = ThreadId::new("order-1")?;
    last_year(store.clone(), &thread).await?;

    // The program of today: another state, and `ship` has another name.
    let graph = StateGraph::new("order")
        .node("check", async |_: &Order| Order::update().notes("checked"))
        .node("send", async |order: &Order| {
            Order::update().notes(format!("sent for {} {}", order.cents, order.currency))
        })
        .sequence([START, "check", "send", END])
        .rename_node("ship", "send")
        .migrate(euros_to_cents)
        .migrate(with_currency)
        .compile()?
        .with_store(store);
    println!("can be resumed: {}", graph.fit(&thread).await?.can_resume());
    let done = graph.resume(&thread).await?;
    println!("{} cents: {}", done.state.cents, done.state.notes.join(", "));
    Ok(())
}
