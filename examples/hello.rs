//! The smallest graph: one node.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use stategraph::prelude::*;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Greeting {
    name: String,
    text: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = StateGraph::new("hello")
        .node("greet", async |hello: &Greeting| Greeting::update().text(format!("Hello, {}!", hello.name)))
        .edge(START, "greet")
        .edge("greet", END)
        .compile()?;
    let done = graph.run(Greeting { name: "world".to_owned(), ..Greeting::default() }).await?;
    println!("{}", done.state.text);
    Ok(())
}
