//! Closures that capture variables and take an owned handle to the context, and graphs that a node runs with a memory.

use std::sync::{Arc, Mutex};

use stategraph_core::{
    AttemptEnded, Command, CompiledGraph, Cx, END, EventKinds, Frozen, HistoryQuery, NodeError, NodePolicy,
    NodeResult, Persistence, Retention, RetryPolicy, START, SharedCx, State as _, StateGraph, inner_calls,
};

use super::kit::{Builder, Calls, Trail, TrailUpdate, asked, empty, line, memory, played, thread, wired};

// Neither the closure nor its future is boxed by hand, and the command needs no other form
#[tokio::test]
async fn a_closure_that_captures_takes_the_context_and_returns_a_command() {
    let (limit, word) = (3_u32, "again".to_owned());
    let turn = move |trail: Frozen<Trail>, cx: SharedCx<Calls>| {
        let word = word.clone();
        async move {
            cx.services().count(&word);
            let goto = if trail.turns + 1 < limit { "turn" } else { END };
            Command::update(Trail::update().log(word).turns(trail.turns + 1)).goto(goto)
        }
    };
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("c").node("turn", turn).goto("turn", ["turn", END]).edge(START, "turn");
    let end = graph.compile_with(calls.clone()).unwrap().run(empty()).await.unwrap();
    assert_eq!((end.state.log(), calls.of("again")), (vec!["again"; 3], 3));
}

/// A graph whose node does journaled work, asks, and fails once; it counts its work.
fn through_a_handle(calls: &Calls) -> CompiledGraph<Trail, Calls> {
    let suffix = "!";
    let node = move |_: Frozen<Trail>, cx: SharedCx<Calls>| async move {
        let work = async { Ok::<_, NodeError>(cx.services().count("work")) };
        let before: u32 = cx.once("work", work).await?;
        cx.emit("worked", &before)?;
        if cx.services().count("runs") == 0 {
            return Err(NodeError::msg("not yet"));
        }
        let answer: String = cx.interrupt("go on?").await?;
        Ok(Trail::update().log(format!("{before} {answer}{suffix}")))
    };
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let graph = wired(Builder::<Calls>::new("h").node_with("n", policy, node), &["START n", "n END"]);
    graph.compile_with(calls.clone()).unwrap().with_store(memory())
}

#[tokio::test(start_paused = true)]
async fn a_handle_journals_asks_and_emits_for_its_task() {
    let calls = Calls::default();
    let (graph, t) = (through_a_handle(&calls), thread("t"));
    let run = graph.run(empty()).thread(t.clone()).stream(EventKinds::CUSTOM | EventKinds::TASKS);
    let (events, waiting) = played(run.await.unwrap()).await;
    let lines: Vec<String> = events.iter().map(line).collect();
    assert_eq!(lines[1..3], ["1 started n 1.0 #1", "1 custom n worked 0"]);
    let [(id, question)] = &asked(&waiting.unwrap())[..] else { panic!("one question") };
    assert_eq!(question, "\"go on?\"");
    let end = graph.resume(&t).answer(id.parse().unwrap(), "yes").await.unwrap();
    assert_eq!((end.state.log(), calls.of("work"), calls.of("runs")), (vec!["0 yes!"], 1, 3));
}

#[tokio::test]
async fn a_handle_that_was_given_away_is_of_no_use_after_the_attempt() {
    let kept: Arc<Mutex<Option<SharedCx>>> = Arc::default();
    let keeper = kept.clone();
    let node = move |_: Frozen<Trail>, cx: SharedCx| {
        *keeper.lock().unwrap() = Some(cx);
        async {}
    };
    let graph = wired(Builder::new("k").node("n", node), &["START n", "n END"]).compile().unwrap();
    graph.with_store(memory()).run(empty()).await.unwrap();
    let cx = kept.lock().unwrap().take().unwrap();
    let late = cx.once("late", async { Ok::<_, NodeError>(1) }).await.unwrap_err();
    assert!(late.downcast_ref::<AttemptEnded>().is_some(), "{late}");
    assert!(cx.interrupt::<bool>("late?").await.unwrap_err().downcast_ref::<AttemptEnded>().is_some());
    let inner = wired(Builder::<()>::new("i").node("n", super::kit::says("n")), &["START n", "n END"]);
    let inner = inner.compile().unwrap();
    assert!(cx.subgraph("late", &inner, empty()).await.is_err());
}

/// Services of the nodes: the graph that they run, and its persistence.
struct Inside(CompiledGraph<Trail>, Persistence);

async fn runs_two(_: &Trail, cx: &Cx<Inside>) -> NodeResult<TrailUpdate> {
    let Inside(graph, persistence) = cx.services();
    let mut update = Trail::update();
    for key in ["one", "two"] {
        let end = cx.subgraph_with(key, graph, *persistence, Option::unwrap_or_default).await?;
        update = update.log(format!("{key} {}", end.turns));
    }
    Ok(update)
}

fn running_two(persistence: Persistence) -> CompiledGraph<Trail, Inside> {
    let turn = async |trail: &Trail| Trail::update().turns(trail.turns + 1).seen("now");
    let inner = StateGraph::<Trail>::new("inner").node("turn", turn).sequence([START, "turn", END]);
    let services = Inside(inner.compile().unwrap(), persistence);
    let graph = Builder::<Inside>::new("outer").node("n", runs_two).sequence([START, "n", END]);
    graph.compile_with(services).unwrap().with_store(memory())
}

// F59, F60, P14: all modes of `cx.subgraph_with`
#[tokio::test]
async fn a_graph_that_a_node_runs_counts_per_call_per_thread_or_leaves_nothing() {
    let modes = [(Persistence::PerCall, 1, 4), (Persistence::PerThread, 2, 4), (Persistence::Off, 1, 0)];
    for (persistence, second, logs) in modes {
        let (graph, t) = (running_two(persistence), thread("t"));
        graph.run(empty()).thread(t.clone()).await.unwrap();
        let end = graph.continue_with(&t, Trail::update()).await.unwrap();
        let log = ["one 1", "two 1", &format!("one {second}"), &format!("two {second}")].map(str::to_owned);
        assert_eq!(end.state.log, log, "{persistence:?}");
        let history = graph.history(&t, &HistoryQuery::default()).await.unwrap();
        let calls: usize = history.iter().map(|entry| inner_calls(&entry.tasks).len()).sum();
        assert_eq!(calls, logs, "{persistence:?}");
        let other = graph.run(empty()).thread(thread("other")).await.unwrap();
        assert_eq!(other.state.log(), ["one 1", "two 1"]);
    }
}

// F60: the memory goes back with a fork and is in every snapshot
#[tokio::test]
async fn what_a_node_remembers_of_its_graphs_is_a_part_of_the_checkpoint() {
    let (graph, t) = (running_two(Persistence::PerThread), thread("t"));
    for turn in 1..5 {
        let run = graph.run(empty()).thread(t.clone()).await.unwrap();
        assert_eq!(run.state.log(), [format!("one {turn}"), format!("two {turn}")]);
    }
    let forked = graph.resume_at(&"t@3".parse().unwrap()).await.unwrap();
    assert_eq!(forked.state.log(), ["one 2", "two 2"]);
    graph.update(&t, Trail::update().last("by hand"), None).await.unwrap();
    graph.prune(&t, Retention::keep_last(1)).await.unwrap();
    assert_eq!(graph.run(empty()).thread(t).await.unwrap().state.log(), ["one 3", "two 3"]);
}
