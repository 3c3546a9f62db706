//! Error handlers: who runs when a node has failed for good, with what, and where the run goes on. Parity F7, F33, clauses 23, 24.

use stategraph_core::{
    Command, Cx, END, EventKinds, NodeError, NodePolicy, NodeResult, RetryPolicy, RunError, State,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, line, memory, played, say, thread, wired,
};
use super::stores::{Fault, Faulty};

async fn breaks(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("breaks");
    Err(NodeError::msg("it broke"))
}

async fn mends(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    cx.services().count("mends");
    let failed = cx.failure().expect("a handler has one");
    Trail::update().log(format!("{} after {}: {}", failed.node, failed.attempts, failed.error))
}

fn compiled(graph: Builder<Calls>, edges: &[&str]) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    (wired(graph, edges).compile_with(calls.clone()).unwrap().with_store(memory()), calls)
}

// F33, clause 23
#[tokio::test(start_paused = true)]
async fn a_handler_runs_in_the_same_step_after_all_attempts_and_the_run_goes_on() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let builder = Builder::<Calls>::new("h").node_with("n", policy, breaks).node("z", say);
    let (graph, calls) = compiled(builder.on_error("n", mends, [END]), &["START n", "n z", "z END"]);
    let end = graph.run(empty()).await.unwrap();
    assert_eq!((end.state.log(), end.steps), (vec!["n after 2: it broke", "z"], 2));
    assert_eq!((calls.of("breaks"), calls.of("mends")), (2, 1));
}

async fn reroutes(_: &Trail, cx: &Cx<Calls>) -> Command<Trail> {
    Command::update(Trail::update().log(format!("mended {}", cx.node()))).goto("other")
}

// F33: it goes elsewhere instead of along the edges
#[tokio::test]
async fn a_handler_may_go_elsewhere_and_then_the_edges_do_not_count() {
    let builder = Builder::<Calls>::new("h").node("n", breaks).node("z", say).node("other", say);
    let builder = builder.on_error("n", reroutes, ["other"]);
    let (graph, _) = compiled(builder, &["START n", "n z", "z END", "other END"]);
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["mended n", "other"]);
    let stray =
        Builder::<Calls>::new("h").node("n", breaks).node("other", say).on_error("n", reroutes, [END]);
    let (graph, _) = compiled(stray.goto("n", ["other"]), &["START n", "other END"]);
    let error = graph.run(empty()).await.unwrap_err();
    assert_eq!(error.hint().unwrap(), "declare `other` as a goto target");
}

async fn breaks_too(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("handler");
    Err(NodeError::msg("so did I").with_hint("repair both"))
}

// F33: its failure fails the run, and a resume calls it again, not the node
#[tokio::test]
async fn a_handler_that_fails_fails_the_run() {
    let builder = Builder::<Calls>::new("h").node("n", breaks).on_error("n", breaks_too, [END]);
    let (graph, calls) = compiled(builder, &["START n", "n END"]);
    let error = graph.run(empty()).thread(thread("t")).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), "its error handler failed; the node itself had failed with: it broke");
    assert_eq!(cause.source().unwrap().to_string(), "so did I");
    assert_eq!(error.hint().unwrap(), "repair both");
    graph.resume(&thread("t")).await.unwrap_err();
    assert_eq!((calls.of("breaks"), calls.of("handler")), (1, 2));
}

// F33, clause 23: a question is no failure
#[tokio::test]
async fn a_handler_is_not_called_for_a_question() {
    let builder = Builder::<Calls>::new("h").node("n", ask).on_error("n", mends, [END]);
    let (graph, calls) = compiled(builder, &["START n", "n END"]);
    let waiting = graph.run(empty()).thread(thread("t")).await.unwrap();
    let answered = graph.resume(&thread("t")).answer(asked(&waiting)[0].0.parse().unwrap(), &"yes");
    assert_eq!((answered.await.unwrap().state.log(), calls.of("mends")), (vec!["n=yes"], 0));
}

async fn asks_for_help(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let answer: String = cx.interrupt(&format!("{} failed, what now?", cx.node())).await?;
    Ok(Trail::update().log(answer))
}

async fn asks_then_breaks(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("asks");
    let _: String = cx.interrupt(&"first?").await?;
    Err(NodeError::msg("it broke after all"))
}

// A handler may ask, and what it asks is another question than the node's
#[tokio::test]
async fn a_handler_may_ask_a_question_of_its_own() {
    let builder = Builder::<Calls>::new("h").node("n", asks_then_breaks).on_error("n", asks_for_help, [END]);
    let (graph, calls) = compiled(builder, &["START n", "n END"]);
    let t = thread("t");
    let first = graph.run(empty()).thread(t.clone()).await.unwrap();
    let second = graph.resume(&t).answer(asked(&first)[0].0.parse().unwrap(), &"go").await.unwrap();
    assert_eq!(asked(&second)[0].1, "\"n failed, what now?\"");
    let end = graph.resume(&t).answer(asked(&second)[0].0.parse().unwrap(), &"give up").await.unwrap();
    assert_eq!((end.state.log(), calls.of("asks")), (vec!["give up"], 2));
}

// Clause 24: the process dies between the failure and what the handler wrote
#[tokio::test]
async fn after_a_crash_the_handler_runs_and_not_the_node() {
    for at in 0..8 {
        let builder = Builder::<Calls>::new("h").node("a", say).node("n", breaks).on_error("n", mends, [END]);
        let (graph, calls) = compiled(builder, &["START a", "START n", "a END", "n END"]);
        let faulty = Faulty::new(Fault::From(at));
        let sound = graph.clone().with_store(std::sync::Arc::new(faulty.inner.clone()));
        let died = graph.with_store(faulty.shared()).run(empty()).thread(thread("t")).await;
        let end = match died {
            Ok(end) => end,
            Err(RunError::Store(_)) => match sound.resume(&thread("t")).await {
                Err(RunError::Store(_)) => sound.run(empty()).thread(thread("t")).await.unwrap(),
                resumed => resumed.unwrap(),
            },
            Err(error) => panic!("{error}"),
        };
        assert_eq!(end.state.log(), ["a", "n after 1: it broke"], "{at}");
        let noted = at >= 2 && calls.of("mends") > 0;
        assert!(!noted || calls.of("breaks") <= 2, "{at}");
    }
    // Noted, and the handler's own write is not: the node is not run again.
    let builder = Builder::<Calls>::new("h").node("n", breaks).on_error("n", mends, [END]);
    let (graph, calls) = compiled(builder, &["START n", "n END"]);
    let faulty = Faulty::new(Fault::From(2));
    let sound = graph.clone().with_store(std::sync::Arc::new(faulty.inner.clone()));
    graph.with_store(faulty.shared()).run(empty()).thread(thread("t")).await.unwrap_err();
    assert_eq!(sound.resume(&thread("t")).await.unwrap().state.log(), ["n after 1: it broke"]);
    assert_eq!((calls.of("breaks"), calls.of("mends")), (1, 2));
}

// F7: a default for all, and a node's own before it
#[tokio::test]
async fn a_graph_may_have_a_handler_for_all_that_have_none() {
    let builder = Builder::<Calls>::new("h").node("m", breaks).node("n", breaks).node("other", say);
    let builder = builder.default_on_error(reroutes, ["other"]).on_error("n", mends, [END]);
    let (graph, _) = compiled(builder, &["START m", "START n", "m END", "n END", "other END"]);
    let end = graph.run(empty()).await.unwrap();
    assert_eq!(end.state.log(), ["mended m", "n after 1: it broke", "other"]);
}

#[tokio::test]
async fn subscribers_see_that_a_failure_was_caught() {
    let builder = Builder::<Calls>::new("h").node("n", breaks).on_error("n", mends, [END]);
    let (graph, _) = compiled(builder, &["START n", "n END"]);
    let (events, _) =
        played(graph.run(empty()).thread(thread("t")).stream(EventKinds::TASKS).await.unwrap()).await;
    let lines: Vec<String> = events.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "0 run started h",
            "1 started n 1.0 #1",
            "1 caught n: it broke",
            "1 started n 1.0 #1",
            "1 finished n 1.0",
            "1 run done",
        ]
    );
}
