//! A model that uses a tool, as a graph of two nodes over a conversation. The model here reads from a script.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::llm::{
    ChatModel, ChatRequest, Message, MessageChange, Messages, NoTokens, Scripted, ScriptedAnswer, ToolCall,
};
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Chat {
    #[state(reduce = Messages::change, delta = MessageChange)]
    messages: Messages,
}

type Model = Arc<dyn ChatModel>;

async fn model(chat: &Chat, cx: &Cx<Model>) -> NodeResult<ChatUpdate> {
    let request = ChatRequest::new("chat", chat.messages.to_request());
    let said = cx.once("model", async { cx.services().chat(&request, &NoTokens).await }).await?;
    Ok(Chat::update()
        .messages(MessageChange::from(Message::calling(said.text, said.tool_calls)).cost(said.usage)))
}

async fn tools(chat: &Chat) -> ChatUpdate {
    let calls = chat.messages.last().into_iter().flat_map(|last| &last.message.tool_calls);
    calls.fold(Chat::update(), |update, call| update.messages(Message::tool(&call.id, "4")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let calls = |chat: &Chat| chat.messages.last().is_some_and(|last| !last.message.tool_calls.is_empty());
    let call = ToolCall { id: "1".into(), name: "add".into(), arguments: r#"{"a": 2, "b": 2}"#.into() };
    let called = ScriptedAnswer { tool_calls: vec![call], ..ScriptedAnswer::default() };
    let script = Scripted::new("script/model").reply(called).answer("It is 4.");
    let graph = StateGraph::new("chat")
        .node("model", model)
        .node("tools", tools)
        .edge(START, "model")
        .branch("model", calls, [(true, "tools"), (false, END)])
        .edge("tools", "model")
        .compile_with(Arc::new(script) as Model)?;
    let asked = Chat { messages: [Message::user("2 + 2?")].into_iter().collect() };
    for kept in graph.run(asked).await?.state.messages.iter() {
        println!("{} {:?}: {}", kept.id, kept.message.role, kept.message.content);
    }
    Ok(())
}
