//! Writing to threads from outside: as the last writer, several supersteps at once, commands as input, copies, runs removed. Parity
//! F24, F46-F50, D15, clauses 32, 33, 37.

use stategraph_core::{
    Command, Cx, END, HistoryQuery, NodeResult, NodeUpdate, RunError, START, Seq, Source, State, StoreError,
    WriteAs,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, memory, replayed, say, saying, thread,
    wired,
};

fn line() -> Graph {
    saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"]).compile().unwrap().with_store(memory())
}

async fn stopped(graph: &Graph, steps: u64) {
    graph.run(empty()).thread(thread("t")).step_limit(steps).await.unwrap_err();
}

async fn next(graph: &Graph) -> String {
    graph.state(&thread("t"), None).await.unwrap().next.join(" ")
}

// F47: as_node is inferred from the last writer
#[tokio::test]
async fn an_update_as_the_last_writer_is_followed_as_that_node_is() {
    let graph = line();
    let t = thread("t");
    stopped(&graph, 1).await;
    graph.update(&t, Trail::update().log("more a"), WriteAs::LastWriter).await.unwrap();
    assert_eq!(next(&graph).await, "b");
    graph.update(&t, Trail::update().log("and more"), WriteAs::LastWriter).await.unwrap();
    graph.fork(&"t@2".parse().unwrap()).await.unwrap();
    graph.update(&t, Trail::update().log("after a fork"), WriteAs::LastWriter).await.unwrap();
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "after a fork", "b", "c"]);
}

// F47 (LangGraph: InvalidUpdateError)
#[tokio::test]
async fn of_two_writers_nobody_knows_which_is_meant() {
    let graph = saying(&["a", "b", "c"], &["START a", "START b", "a c", "b c", "c END"]);
    let graph = graph.compile().unwrap().with_store(memory());
    stopped(&graph, 1).await;
    let error = graph.update(&thread("t"), Trail::update(), WriteAs::LastWriter).await.unwrap_err();
    assert_eq!(error.to_string(), "the last writer of thread `t` is not one node: a, b");
    assert_eq!(error.hint().unwrap(), "say as which node to write");
}

fn as_node(node: &str) -> NodeUpdate<Trail> {
    NodeUpdate::new(node, Trail::update().log(node))
}

// F48, clause 37
#[tokio::test]
async fn several_supersteps_by_hand_leave_the_states_that_a_run_leaves() {
    let edges = ["START a", "a b", "a c", "b+c d", "d END"];
    let graph = saying(&["a", "b", "c", "d"], &edges).compile().unwrap().with_store(memory());
    graph.run(empty()).thread(thread("ran")).await.unwrap();
    stopped(&graph, 0).await;
    let steps = vec![vec![as_node("a")], vec![as_node("b"), as_node("c")], vec![as_node("d")]];
    let newest = graph.bulk_update(&thread("t"), steps).await.unwrap();
    assert_eq!((newest.seq, next(&graph).await.as_str()), (Seq(4), ""));
    assert_eq!(replayed(&graph, &thread("t")).await, replayed(&graph, &thread("ran")).await);
    let history = graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
    let steps: Vec<(u64, Source)> =
        history.iter().map(|e| (e.checkpoint.step, e.checkpoint.source)).collect();
    assert_eq!(steps[..3], [(3, Source::Update), (2, Source::Update), (1, Source::Update)]);
}

#[tokio::test]
async fn supersteps_by_hand_with_an_unknown_node_write_nothing() {
    let graph = line();
    stopped(&graph, 0).await;
    let error =
        graph.bulk_update(&thread("t"), vec![vec![as_node("a")], vec![as_node("bb")]]).await.unwrap_err();
    assert!(matches!(&error, RunError::UnknownNode { nearest: Some(name), .. } if name == "b"), "{error}");
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().checkpoint.seq, Seq(1));
    let twice = vec![vec![
        NodeUpdate::new("a", Trail::update().last("x")),
        NodeUpdate::new("b", Trail::update().last("y")),
    ]];
    let error = graph.bulk_update(&thread("t"), twice).await.unwrap_err();
    assert!(matches!(error, RunError::WriteConflict { channel, .. } if channel == "last"));
}

async fn takes(_: &Trail, cx: &Cx) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().log(format!("item {}", cx.item::<u32>()?)))
}

// F24
#[tokio::test]
async fn a_command_from_outside_writes_and_says_what_runs_next() {
    let graph = line();
    let t = thread("t");
    stopped(&graph, 1).await;
    let command = Command::update(Trail::update().log("outside")).goto("c");
    let end = graph.command(&t, command).await.unwrap();
    assert_eq!(end.state.log(), ["a", "outside", "c"]);
    let again = graph.command(&t, Command::none().goto("b")).await.unwrap();
    assert_eq!(again.state.log(), ["a", "outside", "c", "b", "c"]);
    let only = graph.command(&t, Command::update(Trail::update().turns(7))).await.unwrap();
    assert_eq!((only.state.turns, only.state.log.len()), (7, 5));
    let error = graph.command(&t, Command::none().goto("bb")).await.unwrap_err();
    assert!(matches!(error, RunError::UnknownNode { nearest: Some(name), .. } if name == "b"));
    let ended = graph.command(&t, Command::none().goto(END)).await.unwrap();
    assert_eq!(ended.state.log.len(), 5);
}

// F24, D2: a thread that waits goes elsewhere, and its question is dropped
#[tokio::test]
async fn a_command_takes_a_waiting_thread_elsewhere() {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("w").node("a", say).node("q", ask).node("cancel", say);
    let graph = wired(graph, &["START a", "START q", "a END", "q cancel", "cancel END"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(memory());
    let t = thread("t");
    let waiting = graph.run(empty()).thread(t.clone()).await.unwrap();
    let end = graph.command(&t, Command::none().goto("cancel")).await.unwrap();
    assert_eq!((end.state.log(), calls.of("a")), (vec!["a", "cancel"], 1));
    let old = asked(&waiting)[0].0.parse().unwrap();
    assert!(matches!(graph.resume(&t).answer(old, &"y").await, Err(RunError::NotAsked { .. })));
}

#[tokio::test]
async fn a_command_may_dispatch_to_what_takes_it() {
    let graph = saying(&["a"], &["START a", "a END", "n END"]).node("n", takes);
    let graph =
        graph.fan_out(START, |_: &Trail| Vec::<u32>::new(), "n").compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let end =
        graph.command(&t, Command::none().dispatch("n", 3_u32).dispatch("n", 1_u32).goto("a")).await.unwrap();
    assert_eq!(end.state.log(), ["a", "a", "item 3", "item 1"]);
    for command in [
        Command::none().dispatch("n", "text".to_owned()),
        Command::none().dispatch("a", 1_u32),
        Command::none().goto("n"),
    ] {
        assert!(matches!(graph.command(&t, command).await, Err(RunError::NeedsItem { .. })));
    }
}

// F49, F47: one checkpoint, also where the update is refused
#[tokio::test]
async fn a_fork_may_change_the_state_and_keeps_the_plan() {
    let graph = line();
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let changed = Trail::update().overwrite_log(["other".to_owned()]).turns(9);
    let forked = graph.fork_with(&"t@2".parse().unwrap(), changed).await.unwrap();
    assert_eq!(forked.to_string(), "t@5");
    let state = graph.state(&t, None).await.unwrap();
    assert_eq!((state.parent.unwrap().to_string(), state.source), ("t@2".to_owned(), Source::Fork));
    assert_eq!(
        (state.state.log(), state.state.turns, next(&graph).await),
        (vec!["other"], 9, "b".to_owned())
    );
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["other", "b", "c"]);
    assert_eq!(graph.state(&t, Some(Seq(2))).await.unwrap().state.log(), ["a"], "the old one stays");
}

// F46: by source, by run, by what was planned
#[tokio::test]
async fn history_can_be_filtered_and_the_limit_counts_what_is_found() {
    let graph = line();
    let t = thread("t");
    stopped(&graph, 1).await;
    graph.update(&t, Trail::update().log("x"), None).await.unwrap();
    graph.resume(&t).await.unwrap();
    let found = async |limit, takes: fn(&stategraph_core::Checkpoint) -> bool| -> Vec<u64> {
        let query = HistoryQuery::default().limit(limit);
        let found = graph.history_where(&t, &query, |entry| takes(&entry.checkpoint)).await.unwrap();
        found.iter().map(|entry| entry.checkpoint.seq.0).collect()
    };
    assert_eq!(found(None, |c| c.source == Source::Update).await, [3]);
    assert_eq!(found(None, |c| c.run == 1).await, [2, 1]);
    assert_eq!(found(Some(2), |c| c.source == Source::Loop).await, [5, 4]);
    assert_eq!(found(None, |c| c.next.iter().any(|task| &*task.node == "b")).await, [3, 2]);
    assert_eq!(found(Some(0), |_| true).await, [0_u64; 0]);
}

// D15, F47 (`__copy__`)
#[tokio::test]
async fn a_copy_goes_its_own_way() {
    let graph = line();
    stopped(&graph, 1).await;
    graph.copy(&thread("t"), &thread("u")).await.unwrap();
    graph.update(&thread("u"), Trail::update().log("only here"), None).await.unwrap();
    assert_eq!(graph.resume(&thread("u")).await.unwrap().state.log(), ["a", "only here", "b", "c"]);
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a", "b", "c"]);
    let exists = graph.copy(&thread("t"), &thread("u")).await.unwrap_err();
    assert!(matches!(exists, RunError::Store(StoreError::Exists { .. })));
}

// F50
#[tokio::test]
async fn what_a_run_wrote_can_be_removed() {
    let graph = line();
    let t = thread("t");
    stopped(&graph, 1).await;
    graph.resume(&t).await.unwrap();
    graph.resume_at(&"t@2".parse().unwrap()).await.unwrap();
    assert_eq!(graph.delete_run(&t, 2).await.unwrap().checkpoints, 2);
    let left: Vec<u64> = replayed(&graph, &t).await.into_iter().map(|(seq, _)| seq).collect();
    assert_eq!(left, [1, 2, 5, 6, 7]);
    assert_eq!(graph.state(&t, None).await.unwrap().state.log(), ["a", "b", "c"]);
    let newest = graph.delete_run(&t, 3).await.unwrap_err();
    assert_eq!(newest.hint().unwrap(), "fork an earlier checkpoint first, or delete the thread");
}

// Clauses 32 and 33
#[tokio::test]
async fn a_replay_runs_only_what_comes_later_and_of_a_finished_thread_nothing() {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("r").node("a", say).node("b", say).node("c", say);
    let graph = wired(graph, &["START a", "a b", "b c", "c END"]).compile_with(calls.clone()).unwrap();
    let graph = graph.with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let replayed = graph.resume_at(&"t@3".parse().unwrap()).await.unwrap();
    assert_eq!((replayed.state.log(), calls.of("a"), calls.of("c")), (vec!["a", "b", "c"], 1, 2));
    let history = graph.history(&t, &HistoryQuery::default()).await.unwrap();
    let sources: Vec<Source> = history.iter().rev().map(|entry| entry.checkpoint.source).collect();
    let step = Source::Loop;
    assert_eq!(sources, [Source::Input, step, step, step, Source::Fork, step]);
    assert_eq!(graph.state(&t, Some(Seq(4))).await.unwrap().state.log(), ["a", "b", "c"]);
    graph.resume_at(&"t@6".parse().unwrap()).await.unwrap();
    assert_eq!((calls.of("c"), graph.state(&t, None).await.unwrap().checkpoint.seq), (2, Seq(6)));
}
