//! One task for each invoice. Those of more than 100 euros wait for a person, each with a question of its own.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::prelude::*;
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Invoices {
    amounts: Vec<u32>,
    #[state(append)]
    paid: Vec<u32>,
}

async fn pay(_: &Invoices, cx: &Cx) -> NodeResult<InvoicesUpdate> {
    let amount = *cx.item::<u32>()?;
    if amount > 100 && !cx.interrupt(&format!("Pay {amount} euros?")).await? {
        return Ok(Invoices::update());
    }
    Ok(Invoices::update().paid(amount))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("invoices")
        .node("pay", pay)
        .fan_out(START, |invoices: &Invoices| invoices.amounts.clone(), "pay")
        .edge("pay", END)
        .compile()?
        .with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("november")?;
    let invoices = Invoices { amounts: vec![50, 200, 700], ..Invoices::default() };
    let waiting = graph.run(invoices).thread(thread.clone()).await?;
    let mut answers = graph.resume(&thread);
    for question in waiting.status.questions() {
        println!("{}", question.payload);
        answers = answers.answer(question.id, &question.payload.get().contains("200"));
    }
    println!("paid: {:?}", answers.await?.state.paid);
    Ok(())
}
