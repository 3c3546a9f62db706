//! A supervisor that sends the work to teams, each of which is a graph of its own, until nothing is left to do.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;

use stategraph::agent::{ChatModel, ChatRequest, MessagesStateUpdate, NoTokens, Scripted, SharedModel};
use stategraph::prelude::*;

async fn work(_: &MessagesState, cx: &Cx<SharedModel>) -> MessagesStateUpdate {
    MessagesState::update().messages(Message::assistant(format!("{}: done", cx.graph())))
}

fn team(role: &str, model: &SharedModel) -> Result<CompiledGraph<MessagesState, SharedModel>, Defects> {
    StateGraph::new(role).node("work", work).sequence([START, "work", END]).compile_with(model.clone())
}

async fn supervise(state: &MessagesState, cx: &Cx<SharedModel>) -> NodeResult<Command<MessagesState>> {
    let request = ChatRequest::new("supervisor", state.messages.to_request());
    let answer = cx.once("next", cx.services().chat(&request, &NoTokens)).await?;
    Ok(Command::none().goto(answer.text))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model: SharedModel = Arc::new(Scripted::new("s/m").answer("research").answer("writing").answer(END));
    let graph = StateGraph::new("company")
        .node("supervisor", supervise)
        .node("research", team("research", &model)?)
        .node("writing", team("writing", &model)?)
        .goto("supervisor", ["research", "writing", END])
        .edge(START, "supervisor")
        .edge("research", "supervisor")
        .edge("writing", "supervisor")
        .compile_with(model)?;
    let done = graph.run(MessagesState::from_iter([Message::user("A report, please.")])).await?;
    done.state.messages.iter().for_each(|kept| println!("{}", kept.message.content));
    Ok(())
}
