//! The derives find the traits in the engine alone, by the name that this crate's manifest gives it.

#![cfg(test)]

use engine::{Choice, END, START, State, StateGraph};
use serde::{Deserialize, Serialize};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(append)]
    lines: Vec<String>,
    turns: u32,
}

#[derive(Choice, Clone, Copy)]
enum Next {
    GoOn,
    Stop,
}

#[tokio::test]
async fn a_derived_state_and_choice_run_under_another_name() {
    let next = |talk: &Talk| if talk.turns < 2 { Next::GoOn } else { Next::Stop };
    let graph = StateGraph::<Talk>::new("talk")
        .node("ask", async |talk: &Talk| {
            Talk::update().lines(format!("question {}", talk.turns)).turns(talk.turns + 1)
        })
        .edge(START, "ask")
        .branch("ask", next, [(Next::GoOn, "ask"), (Next::Stop, END)])
        .compile()
        .expect("the graph has no defects");
    let end = graph.run(Talk::default()).await.expect("it runs");
    assert_eq!(end.state.lines, ["question 0", "question 1"]);
}
