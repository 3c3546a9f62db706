//! A run that stops to ask, in one process, and goes on with the answer in another: journaled work is not done again.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::prelude::*;
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Letter {
    text: String,
    approved: bool,
}

async fn write(_: &Letter, cx: &Cx) -> NodeResult<LetterUpdate> {
    let text: String = cx.once("draft", async { Ok::<_, NodeError>("Dear Sir or Madam".to_owned()) }).await?;
    let approved: bool = cx.interrupt(&format!("Send this letter? {text}")).await?;
    Ok(Letter::update().text(text).approved(approved))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("letter")
        .node("write", write)
        .edge(START, "write")
        .edge("write", END)
        .compile()?
        .with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("letter-1")?;

    let waiting = graph.run(Letter::default()).thread(thread.clone()).await?;
    let question = &waiting.status.questions()[0];
    println!("{} asks: {}", question.node, question.payload);

    let done = graph.resume(&thread).answer(question.id, &true).await?;
    println!("approved: {}", done.state.approved);
    Ok(())
}
