//! LangGraph's `interrupt`: a question to a person.
use std::sync::Arc;

use stategraph::prelude::*;
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Letter {
    text: String,
    approved: bool,
}

async fn review(letter: &Letter, cx: &Cx) -> NodeResult<LetterUpdate> {
    let approved: bool = cx.interrupt(&format!("Send '{}'?", letter.text)).await?;
    Ok(Letter::update().approved(approved))
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let graph =
        StateGraph::new("letter").node("review", review).sequence([START, "review", END]).compile()?;
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let thread = ThreadId::new("1")?;
    let letter = Letter { text: "Hello".to_owned(), ..Letter::default() };
    let waiting = graph.run(letter).thread(thread.clone()).await?;
    let question = &waiting.status.questions()[0];
    let text: String = serde_json::from_str(question.payload.get())?;
    let done = graph.resume(&thread).answer(question.id, &true).await?;
    Ok(format!("{text} {}", done.state.approved))
}
