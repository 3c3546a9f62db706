//! The Rust halves of docs/langgraph.md. `tests/real/langgraph.sh` compares their output with that of the Python halves.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
mod command;
mod config;
mod interrupt;
mod messages_state;
mod react_agent;
mod saver;
mod send;
mod tool_node;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("react_agent: {}", react_agent::run().await?);
    println!("tool_node: {}", tool_node::run().await?);
    println!("messages_state: {}", messages_state::run().await?);
    println!("send: {}", send::run().await?);
    println!("command: {}", command::run().await?);
    println!("interrupt: {}", interrupt::run().await?);
    println!("saver: {}", saver::run().await?);
    println!("config: {}", config::run().await?);
    Ok(())
}
