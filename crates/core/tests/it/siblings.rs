//! A superstep in which some tasks finished, some failed, some wait: what is kept, shown and run again. Parity D6, D16, F34,
//! clauses 17-19, 42.

use std::time::Duration;

use stategraph_core::{Command, Cx, Durability, END, NodeError, NodeResult, RunError, START, State};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, fail_once, memory, say, thread, wired,
};

fn compiled(graph: Builder<Calls>, edges: &[&str]) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    (wired(graph, edges).compile_with(calls.clone()).unwrap().with_store(memory()), calls)
}

const ALL: [Durability; 4] =
    [Durability::Sync, Durability::ASYNC, Durability::Async { max_lag: 0 }, Durability::Exit];

fn mixed() -> (Graph<Calls>, Calls) {
    let builder = Builder::new("mixed");
    let builder = builder.node("done", say).node("fails", fail_once).node("waits", ask).node("z", say);
    compiled(builder, &["START done", "START fails", "START waits", "done+fails+waits z", "z END"])
}

// F34, F41, D16, clause 17; what ports get wrong: "finished siblings run again after a failure"
#[tokio::test]
async fn what_finished_beside_a_failure_and_a_question_is_not_run_again() {
    for durability in ALL {
        let (graph, calls) = mixed();
        let t = thread("t");
        let error = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap_err();
        assert_eq!(error.to_string(), "node `fails` failed in step 1");
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!((seen.state.log(), seen.next.join(" ")), (vec!["done"], "fails waits".into()));
        assert_eq!((seen.errors.len(), seen.errors[0].node.as_str()), (1, "fails"));
        assert_eq!((seen.questions.len(), seen.questions[0].node.as_str()), (1, "waits"));
        let waiting = graph.resume(&t).durability(durability).await.unwrap();
        let question = asked(&waiting)[0].0.parse().unwrap();
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!((seen.state.log(), seen.next.join(" ")), (vec!["done", "fails"], "waits".into()));
        assert_eq!(seen.errors, []);
        let end = graph.resume(&t).durability(durability).answer(question, &"ok").await.unwrap();
        assert_eq!(end.state.log(), ["done", "fails", "waits=ok", "z"], "{durability:?}");
        assert_eq!((calls.of("done"), calls.of("fails"), calls.of("waits")), (1, 2, 2));
    }
}

#[tokio::test]
async fn an_answer_may_come_before_the_failed_task_is_run_again() {
    let (graph, calls) = mixed();
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap_err();
    let question = graph.state(&t, None).await.unwrap().questions[0].id;
    let end = graph.resume(&t).answer(question, &"ok").await.unwrap();
    assert_eq!(end.state.log(), ["done", "fails", "waits=ok", "z"]);
    assert_eq!((calls.of("done"), calls.of("fails"), calls.of("waits")), (1, 2, 2));
}

/// Finishes the later, the earlier its name: the log has them in the other order.
async fn late(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let rank = u64::from(b'z' - cx.node().as_bytes()[0]);
    tokio::time::sleep(Duration::from_millis(rank)).await;
    cx.services().count(cx.node());
    Trail::update().log(cx.node()).seen(cx.node())
}

// ENG-8: by name, never by arrival, also in what is shown of an unfinished superstep
#[tokio::test(start_paused = true)]
async fn an_unfinished_superstep_is_shown_in_the_order_in_which_it_will_be_folded() {
    let builder = Builder::new("late").node("a", late).node("b", late).node("c", late).node("w", ask);
    let edges = ["START a", "START b", "START c", "START w", "a END", "b END", "c END", "w END"];
    let (graph, _) = compiled(builder, &edges);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!(seen.state.log(), ["a", "b", "c"]);
    let question = seen.questions[0].id;
    let end = graph.resume(&t).answer(question, &"").await.unwrap();
    assert_eq!(end.state.log(), ["a", "b", "c", "w="]);
    assert_eq!(graph.state(&t, None).await.unwrap().state, end.state);
}

async fn overwrites(_: &Trail) -> TrailUpdate {
    Trail::update().overwrite_log(["X".to_owned()])
}

// Clause 7
#[tokio::test]
async fn an_overwrite_beside_an_unfinished_task_is_shown_as_it_will_be_folded() {
    let builder = Builder::new("o").node("a", overwrites).node("b", say).node("w", ask);
    let (graph, _) = compiled(builder, &["START a", "START b", "START w", "a END", "b END", "w END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!(seen.state.log(), ["X"]);
    let end = graph.resume(&t).answer(seen.questions[0].id, &"lost").await.unwrap();
    assert_eq!(end.state.log(), ["X"]);
}

async fn takes_the_word(trail: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let update = Trail::update().log(cx.node());
    // The second run of `b` leaves the channel alone.
    if cx.node() == "b" && cx.services().count("b") > 0 {
        return update;
    }
    assert_eq!(trail.last, "");
    cx.services().count(cx.node());
    update.last(cx.node())
}

// Clause 2
#[tokio::test]
async fn a_write_conflict_leaves_the_state_untouched_and_runs_both_writers_again() {
    for durability in ALL {
        let builder = Builder::new("c").node("a", takes_the_word).node("b", takes_the_word).node("c", say);
        let edges = ["START a", "START b", "START c", "a END", "b END", "c END"];
        let (graph, calls) = compiled(builder, &edges);
        let t = thread("t");
        let error = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap_err();
        assert!(matches!(error, RunError::WriteConflict { step: 1, .. }));
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!((seen.state.last.as_str(), seen.state.log()), ("", vec!["c"]));
        assert_eq!((seen.next.join(" "), seen.errors.len()), ("a b".into(), 2));
        let end = graph.resume(&t).durability(durability).await.unwrap();
        assert_eq!((end.state.log(), end.state.last.as_str()), (vec!["a", "b", "c"], "a"));
        assert_eq!(calls.of("c"), 1);
    }
}

async fn goes(_: &Trail, cx: &Cx<Calls>) -> Command<Trail> {
    cx.services().count("goes");
    Command::update(Trail::update().log("goes")).goto("x").goto(END)
}

#[tokio::test]
async fn where_a_finished_task_went_is_kept_with_what_it_wrote() {
    let builder = Builder::new("g").node("goes", goes).node("fails", fail_once).node("x", say);
    let builder = builder.goto("goes", ["x", END]);
    let (graph, calls) = compiled(builder, &["START goes", "START fails", "fails END", "x END"]);
    graph.run(empty()).thread(thread("t")).await.unwrap_err();
    let end = graph.resume(&thread("t")).await.unwrap();
    assert_eq!(end.state.log(), ["fails", "goes", "x"]);
    assert_eq!((calls.of("goes"), calls.of("x")), (1, 1));
}

async fn fails_late(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    tokio::time::sleep(Duration::from_millis(5)).await;
    cx.services().count("late");
    Err(NodeError::msg("late"))
}

// F28, D16: after a failure nothing more starts, and what runs finishes
#[tokio::test(start_paused = true)]
async fn after_a_failure_running_siblings_finish_and_no_other_starts() {
    let builder =
        Builder::new("f").node("a", fail_once).node("b", late).node("c", late).node("d", fails_late);
    let edges = ["START a", "START b", "START c", "START d", "a END", "b END", "c END", "d END"];
    let (graph, calls) = compiled(builder, &edges);
    let t = thread("t");
    let error = graph.run(empty()).thread(t.clone()).max_concurrency(2).await.unwrap_err();
    assert_eq!(error.to_string(), "node `a` failed in step 1");
    assert_eq!((calls.of("b"), calls.of("c"), calls.of("late")), (1, 0, 0));
    assert_eq!(graph.state(&t, None).await.unwrap().next, ["a", "c", "d"]);
    // The first failure in task order is the run's, whatever came first in time.
    let both = graph.resume(&t).max_concurrency(3).await.unwrap_err();
    assert_eq!(both.to_string(), "node `d` failed in step 1");
    assert_eq!((calls.of("a"), calls.of("b"), calls.of("c"), calls.of("late")), (2, 1, 1, 1));
}

// A task alone leaves no record besides its checkpoint
#[tokio::test]
async fn a_failure_of_a_task_alone_is_shown_and_forgotten_when_it_succeeds() {
    let (graph, _) = compiled(Builder::new("a").node("n", fail_once), &["START n", "n END"]);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap_err();
    let errors = graph.state(&t, None).await.unwrap().errors;
    assert_eq!((errors[0].error.as_str(), errors[0].attempts), ("not yet", 1));
    graph.resume(&t).await.unwrap();
    assert_eq!(graph.state(&t, None).await.unwrap().errors, []);
    assert_eq!(START, "START");
}
