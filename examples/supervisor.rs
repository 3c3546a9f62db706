//! A supervisor that sends the work to teams, each of which is a graph of its own, until nothing is left to do.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::agent::*;
use stategraph::prelude::*;

fn team(role: &'static str) -> Result<CompiledGraph<MessagesState, Scripted>, Box<dyn std::error::Error>> {
    let work = async |_: &MessagesState, cx: &Cx<Scripted>| {
        MessagesState::update().messages(Message::assistant(format!("{}: done", cx.graph())))
    };
    Ok(StateGraph::new(role)
        .node("work", work)
        .sequence([START, "work", END])
        .compile_with(Scripted::new("-"))?)
}

async fn supervise(state: &MessagesState, cx: &Cx<Scripted>) -> NodeResult<Command<MessagesState>> {
    let request = ChatRequest::new("supervisor", state.messages.to_request());
    let next = cx.once("next", cx.services().chat(&request, &Quiet)).await?.text;
    Ok(Command::none().goto(next))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("company")
        .node("supervisor", supervise)
        .node("research", team("research")?)
        .node("writing", team("writing")?)
        .goto("supervisor", ["research", "writing", END])
        .edge(START, "supervisor")
        .edge("research", "supervisor")
        .edge("writing", "supervisor")
        .compile_with(Scripted::new("script/model").answer("research").answer("writing").answer(END))?;
    let done = graph.run(MessagesState::from_iter([Message::user("A report, please.")])).await?;
    done.state.messages.iter().for_each(|kept| println!("{}", kept.message.content));
    Ok(())
}
