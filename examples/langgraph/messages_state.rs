//! LangGraph's `MessagesState`: messages are added, replaced by id and removed.
use stategraph::agent::MessagesStateUpdate;
use stategraph::prelude::*;

async fn correct(_: &MessagesState) -> MessagesStateUpdate {
    MessagesState::update().messages(MessageChange::put("m2", Message::assistant("4")))
}

async fn forget(_: &MessagesState) -> MessagesStateUpdate {
    MessagesState::update().messages(MessageChange::remove("m1"))
}

async fn thank(_: &MessagesState) -> MessagesStateUpdate {
    MessagesState::update().messages(Message::user("Thank you."))
}

pub(crate) async fn run() -> Result<String, Box<dyn std::error::Error>> {
    let graph = StateGraph::new("chat")
        .node("correct", correct)
        .node("forget", forget)
        .node("thank", thank)
        .sequence([START, "correct", "forget", "thank", END])
        .compile()?;
    // Messages without an id get `m1`, `m2`, …
    let said = MessagesState::from_iter([Message::user("2 + 2?"), Message::assistant("5")]);
    let done = graph.run(said).await?;
    let texts: Vec<&str> = done.state.messages.iter().map(|kept| kept.message.content.as_str()).collect();
    Ok(texts.join(" | "))
}
