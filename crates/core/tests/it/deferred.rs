//! Nodes that run when nothing else is left to run. Parity F20, clause 5.

use stategraph_core::{END, State};

use super::kit::{Graph, Trail, empty, memory, replayed, saying, thread, trail_of};

fn uneven() -> Graph {
    let edges = ["START a", "a b", "a c", "c x", "x y", "b d", "y d", "d END"];
    saying(&["a", "b", "c", "x", "y", "d"], &edges).defer("d").compile().unwrap()
}

// Clause 5, F20
#[tokio::test]
async fn a_deferred_node_runs_once_after_the_longest_branch() {
    assert_eq!(trail_of(&uneven()).await, ["a", "b", "c", "x", "y", "d"]);
}

#[tokio::test]
async fn deferred_nodes_that_wait_run_together_and_what_follows_comes_after() {
    let edges = ["START a", "START p", "START q", "p END", "a b", "b q", "q r", "r END"];
    let graph = saying(&["a", "b", "p", "q", "r"], &edges).defer("p").defer("q").compile().unwrap();
    assert_eq!(trail_of(&graph).await, ["a", "b", "p", "q", "r"]);
}

#[tokio::test]
async fn a_deferred_node_in_a_loop_waits_in_every_round() {
    let edges = ["START a", "a b", "a c", "b d", "c x", "x d"];
    let graph = saying(&["a", "b", "c", "x", "d"], &edges).defer("d");
    let graph =
        graph.branch("d", |t: &Trail| t.log.len() < 10, [(true, "a"), (false, END)]).compile().unwrap();
    assert_eq!(trail_of(&graph).await, ["a", "b", "c", "x", "d", "a", "b", "c", "x", "d"]);
}

// F20 through a checkpoint: what waits is in it
#[tokio::test]
async fn a_resumed_run_still_knows_what_it_deferred() {
    let graph = uneven().with_store(memory());
    for limit in 1..5 {
        let t = thread(&format!("t{limit}"));
        graph.run(empty()).thread(t.clone()).step_limit(limit).await.unwrap_err();
        assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "c", "x", "y", "d"], "{limit}");
        assert_eq!(replayed(&graph, &t).await.len(), 6);
    }
    let t = thread("t4");
    let forked = graph.resume_at(&"t4@3".parse().unwrap()).await.unwrap();
    assert_eq!((forked.state.log(), forked.thread), (vec!["a", "b", "c", "x", "y", "d"], Some(t)));
}

// F47: an update as a node leads to a deferred one, which still waits for the rest
#[tokio::test]
async fn an_update_from_outside_defers_as_a_run_does() {
    let graph = uneven().with_store(memory());
    graph.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    graph.update(&thread("t"), Trail::update().log("b by hand"), Some("b")).await.unwrap();
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().next, ["c"]);
    let end = graph.resume(&thread("t")).await.unwrap();
    assert_eq!(end.state.log(), ["a", "b by hand", "c", "x", "y", "d"]);
}

// F17: LangGraph's barrier channels, after-finish ones included: what has arrived is in the checkpoint
#[tokio::test]
async fn a_deferred_join_waits_for_its_sources_and_for_everything_else() {
    let edges = ["START a", "a b", "a c", "c x", "x y", "y END", "b+c d", "d END"];
    let graph = saying(&["a", "b", "c", "x", "y", "d"], &edges).defer("d").compile().unwrap();
    let whole = ["a", "b", "c", "x", "y", "d"];
    assert_eq!(trail_of(&graph).await, whole);
    let graph = graph.with_store(memory());
    for limit in 0..5 {
        let t = thread(&format!("t{limit}"));
        graph.run(empty()).thread(t.clone()).step_limit(limit).await.unwrap_err();
        assert_eq!(graph.resume(&t).await.unwrap().state.log(), whole, "{limit}");
    }
}
