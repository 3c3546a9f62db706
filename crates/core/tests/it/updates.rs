//! Updates from outside: as nobody, as a node, as START and END. Parity F47, clauses 37, 47.

use stategraph_core::{Command, Cx, END, RunError, START, Seq, Source, State};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, memory, say, saying, thread, wired,
};

async fn stopped(graph: &Graph, steps: u64) {
    graph.run(empty()).thread(thread("t")).step_limit(steps).await.unwrap_err();
}

fn line() -> Graph {
    saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"]).compile().unwrap().with_store(memory())
}

async fn next(graph: &Graph) -> String {
    graph.state(&thread("t"), None).await.unwrap().next.join(" ")
}

#[tokio::test]
async fn an_update_as_nobody_leaves_the_plan_alone() {
    let graph = line();
    stopped(&graph, 1).await;
    let id = graph.update(&thread("t"), Trail::update().log("x").turns(7), None).await.unwrap();
    let seen = graph.state(&thread("t"), None).await.unwrap();
    assert_eq!((id.seq, seen.source, seen.step), (Seq(3), Source::Update, 1));
    assert_eq!((seen.state.log(), seen.next), (vec!["a", "x"], vec!["b".to_owned()]));
    let end = graph.resume(&thread("t")).await.unwrap();
    assert_eq!((end.state.log(), end.state.turns), (vec!["a", "x", "b", "c"], 7));
}

#[tokio::test]
async fn an_update_as_a_node_counts_as_its_run() {
    let graph = line();
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update().log("b by hand"), Some("b")).await.unwrap();
    assert_eq!(next(&graph).await, "c");
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a", "b by hand", "c"]);
}

#[tokio::test]
async fn an_update_as_end_leaves_nothing_to_run_and_as_start_everything() {
    let graph = line();
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update(), Some(END)).await.unwrap();
    assert_eq!(next(&graph).await, "");
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a"]);
    graph.update(&thread("t"), Trail::update().log("new"), Some(START)).await.unwrap();
    assert_eq!(next(&graph).await, "a");
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a", "new", "a", "b", "c"]);
}

#[tokio::test]
async fn an_update_as_an_unknown_node_is_an_error_and_changes_nothing() {
    let graph = line();
    stopped(&graph, 1).await;
    let error = graph.update(&thread("t"), Trail::update().log("x"), Some("bb")).await.unwrap_err();
    assert!(matches!(&error, RunError::UnknownNode { nearest: Some(name), .. } if name == "b"), "{error}");
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().checkpoint.seq, Seq(2));
}

fn joined() -> Graph {
    let names = ["a", "b", "x", "j"];
    let graph = saying(&names, &["START a", "START b", "b x", "a+x j", "j END"]);
    graph.compile().unwrap().with_store(memory())
}

// F47 on the sources of a join
#[tokio::test]
async fn an_update_as_a_source_of_a_join_lets_it_fire() {
    let graph = joined();
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update().log("x by hand"), Some("x")).await.unwrap();
    assert_eq!(next(&graph).await, "j");
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["a", "b", "x by hand", "j"]);
    let other = joined();
    other.run(empty()).thread(thread("t")).step_limit(0).await.unwrap_err();
    other.update(&thread("t"), Trail::update().log("a by hand"), Some("a")).await.unwrap();
    assert_eq!(next(&other).await, "b");
    assert_eq!(other.resume(&thread("t")).await.unwrap().state.log(), ["a by hand", "b", "x", "j"]);
}

#[tokio::test]
async fn starting_over_forgets_who_has_arrived_at_a_join() {
    let graph = joined();
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update().overwrite_log([]), Some(START)).await.unwrap();
    for name in ["b", "x"] {
        graph.update(&thread("t"), Trail::update().log(format!("{name} by hand")), Some(name)).await.unwrap();
    }
    assert_eq!(next(&graph).await, "a");
    let end = graph.resume(&thread("t")).await.unwrap();
    assert_eq!(end.state.log(), ["b by hand", "x by hand", "a", "j"]);
}

#[tokio::test]
async fn a_branch_after_an_update_sees_the_updated_state() {
    let graph = saying(&["a", "b"], &["START a", "b END"]);
    let graph = graph.branch("a", |t: &Trail| t.turns > 3, [(true, END), (false, "b")]).compile().unwrap();
    let graph = graph.with_store(memory());
    graph.run(empty()).thread(thread("t")).step_limit(0).await.unwrap_err();
    graph.update(&thread("t"), Trail::update().turns(4), Some("a")).await.unwrap();
    assert_eq!(next(&graph).await, "");
}

async fn goes(_: &Trail, cx: &Cx<Calls>) -> Command<Trail> {
    cx.services().count("goes");
    Command::update(Trail::update().log("goes")).goto("x")
}

// D16: what finished is never run again, not after an update from outside either
#[tokio::test]
async fn an_update_keeps_what_siblings_finished_and_the_questions_of_the_others() {
    let calls = Calls::default();
    let builder =
        Builder::<Calls>::new("s").node("goes", goes).node("said", say).node("w", ask).node("x", say);
    let edges = ["START goes", "START said", "START w", "said END", "w END", "x END"];
    let graph = wired(builder.goto("goes", ["x", END]), &edges).compile_with(calls.clone()).unwrap();
    let graph = graph.with_store(memory());
    let t = thread("t");
    let waiting = graph.run(empty()).thread(t.clone()).await.unwrap();
    let old = asked(&waiting)[0].0.parse().unwrap();
    graph.update(&t, Trail::update().log("outside"), None).await.unwrap();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.state.log(), seen.next.join(" ")), (vec!["goes", "said", "outside"], "w x".into()));
    let open: Vec<String> = seen.questions.iter().map(|question| question.id.to_string()).collect();
    assert_eq!(open, ["2.0.0"]);
    assert!(matches!(graph.resume(&t).answer(old, &"y").await, Err(RunError::NotAsked { .. })));
    let waiting = graph.resume(&t).await.unwrap();
    let end = graph.resume(&t).answer(asked(&waiting)[0].0.parse().unwrap(), &"y").await.unwrap();
    assert_eq!(end.state.log(), ["goes", "said", "outside", "w=y", "x"]);
    assert_eq!((calls.of("goes"), calls.of("said"), calls.of("x")), (1, 1, 1));
}

async fn echoes(trail: &Trail) -> TrailUpdate {
    Trail::update().log(trail.seen.join("+"))
}

// F14: what was planned is still what sees it
#[tokio::test]
async fn an_update_as_nobody_leaves_ephemeral_values_for_the_planned_step() {
    let graph = Builder::new("e").node("a", async |_: &Trail| Trail::update().seen("x")).node("b", echoes);
    let graph = wired(graph, &["START a", "a b", "b END"]).compile().unwrap().with_store(memory());
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update().seen("y"), None).await.unwrap();
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["x+y"]);
    stopped(&graph, 1).await;
    graph.update(&thread("t"), Trail::update().seen("z"), Some("a")).await.unwrap();
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["z"]);
}

// Clause 37: several updates as nodes leave the same states as running them
#[tokio::test]
async fn supersteps_by_hand_lead_where_a_run_leads() {
    let graph = line();
    let ran = graph.run(empty()).thread(thread("ran")).await.unwrap();
    graph.run(empty()).thread(thread("t")).step_limit(0).await.unwrap_err();
    for name in ["a", "b", "c"] {
        graph.update(&thread("t"), Trail::update().log(name), Some(name)).await.unwrap();
    }
    let by_hand = graph.state(&thread("t"), None).await.unwrap();
    assert_eq!((by_hand.state, by_hand.next.len()), (ran.state, 0));
}
