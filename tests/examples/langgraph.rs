//! The Rust halves of docs/langgraph.md give the output in `tests/real/langgraph/output.txt`. `tests/real/langgraph.sh` holds that the Python
//! halves give the same.

#[path = "../../examples/langgraph/command.rs"]
mod command;
#[path = "../../examples/langgraph/config.rs"]
mod config;
#[path = "../../examples/langgraph/interrupt.rs"]
mod interrupt;
#[path = "../../examples/langgraph/messages_state.rs"]
mod messages_state;
#[path = "../../examples/langgraph/react_agent.rs"]
mod react_agent;
#[path = "../../examples/langgraph/saver.rs"]
mod saver;
#[path = "../../examples/langgraph/send.rs"]
mod send;
#[path = "../../examples/langgraph/tool_node.rs"]
mod tool_node;

#[tokio::test]
async fn the_rust_halves_print_what_the_python_halves_print() {
    let printed = [
        ("react_agent", react_agent::run().await),
        ("tool_node", tool_node::run().await),
        ("messages_state", messages_state::run().await),
        ("send", send::run().await),
        ("command", command::run().await),
        ("interrupt", interrupt::run().await),
        ("saver", saver::run().await),
        ("config", config::run().await),
    ];
    let lines: Vec<String> =
        printed.into_iter().map(|(name, line)| format!("{name}: {}\n", line.unwrap())).collect();
    assert_eq!(lines.concat(), include_str!("../real/langgraph/output.txt"));
}
