//! Places where a run stops to be looked at. Parity F56, clause 47, 53.

use stategraph_core::{
    Breakpoint, Breakpoints, Command, DefectKind, Durability, END, Outcome, RunError, START, State, Status,
};

use super::kit::{Builder, Graph, Trail, empty, memory, saying, says, thread, wired};

fn line() -> Builder {
    saying(&["a", "b", "c"], &["START a", "a b", "b c", "c END"])
}

fn stored(graph: Builder) -> Graph {
    graph.compile().unwrap().with_store(memory())
}

fn at(before: &[&str], after: &[&str]) -> Breakpoint {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Breakpoint { before: names(before), after: names(after) }
}

/// Runs and resumes to the end; gives where it stopped.
async fn walked(graph: &Graph, durability: Durability) -> Vec<Breakpoint> {
    let t = thread("t");
    let mut stops = Vec::new();
    let mut outcome = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap();
    while let Status::Paused(at) = outcome.status {
        stops.push(at);
        outcome = graph.resume(&t).durability(durability).await.unwrap();
    }
    assert_eq!(outcome.state.log(), ["a", "b", "c"]);
    stops
}

// F56, clause 47
#[tokio::test]
async fn a_run_stops_before_and_after_the_named_nodes_and_goes_on_when_resumed() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let before = stored(line().breakpoints(Breakpoints::none().before(["b"])));
        assert_eq!(walked(&before, durability).await, [at(&["b"], &[])]);
        let after = stored(line().breakpoints(Breakpoints::none().after(["b"])));
        assert_eq!(walked(&after, durability).await, [at(&[], &["b"])]);
        let both = stored(line().breakpoints(Breakpoints::none().after(["a", "c"]).before(["b"])));
        assert_eq!(walked(&both, durability).await, [at(&["b"], &["a"])]);
        let all = stored(line().breakpoints(Breakpoints::none().before_all()));
        assert_eq!(walked(&all, durability).await, [at(&["a"], &[]), at(&["b"], &[]), at(&["c"], &[])]);
        let ends = stored(line().breakpoints(Breakpoints::none().after_all()));
        assert_eq!(walked(&ends, durability).await, [at(&[], &["a"]), at(&[], &["b"])]);
    }
}

// F56: a run's own, not remembered
#[tokio::test]
async fn a_run_may_have_breakpoints_of_its_own_or_none() {
    let graph = stored(line().breakpoints(Breakpoints::none().before(["b"])));
    let t = thread("t");
    let own = Breakpoints::none().before(["c"]);
    let paused = graph.run(empty()).thread(t.clone()).breakpoints(own).await.unwrap();
    assert_eq!(paused.state.log(), ["a", "b"]);
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "c"]);
    let through = graph.run(empty()).breakpoints(Breakpoints::none()).await.unwrap();
    assert!(matches!(through.status, Status::Done));
    let unknown = graph.run(empty()).breakpoints(Breakpoints::none().after(["bb"])).await.unwrap_err();
    assert!(
        matches!(&unknown, RunError::UnknownBreakpoint { nearest: Some(name), .. } if name == "b"),
        "{unknown}"
    );
    let defects = line().breakpoints(Breakpoints::none().before(["d"])).defects();
    assert!(matches!(&defects[0].kind, DefectKind::UnknownNode { name, .. } if name == "d"));
}

// Only a resume passes a breakpoint, not a run that was stopped by something else just before it
#[tokio::test]
async fn a_run_that_ended_before_its_breakpoint_still_stops_there() {
    let graph = stored(line().breakpoints(Breakpoints::none().before(["b"])));
    let t = thread("t");
    let limited = graph.run(empty()).thread(t.clone()).breakpoints(Breakpoints::none()).step_limit(1);
    assert!(matches!(limited.await.unwrap_err(), RunError::StepLimit { .. }));
    assert!(matches!(graph.resume(&t).await.unwrap().status, Status::Paused(_)));
    assert!(matches!(graph.resume(&t).await.unwrap().status, Status::Done));
}

// Clause 47: look, change the state, go on
#[tokio::test]
async fn an_update_at_a_breakpoint_does_not_stop_there_again() {
    let graph = stored(line().breakpoints(Breakpoints::none().before(["b"])));
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.update(&t, Trail::update().log("by hand"), None).await.unwrap();
    let end = graph.resume(&t).await.unwrap();
    assert_eq!(end.state.log(), ["a", "by hand", "b", "c"]);
    // A fork from before it is another future, and stops again.
    assert!(matches!(graph.resume_at(&"t@2".parse().unwrap()).await.unwrap().status, Status::Paused(_)));
}

#[tokio::test]
async fn a_loop_stops_in_every_round() {
    let graph = saying(&["a"], &["START a"]).breakpoints(Breakpoints::none().before(["a"]));
    let graph = stored(graph.branch("a", |t: &Trail| t.log.len() < 3, [(true, "a"), (false, END)]));
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    for turn in 1..3 {
        let paused = graph.resume(&t).await.unwrap();
        assert_eq!((paused.status.label(), paused.state.log.len()), ("paused", turn));
    }
    assert_eq!(graph.resume(&t).await.unwrap().status.label(), "done");
}

// Clause 53: inside a sub-graph
#[tokio::test]
async fn a_breakpoint_inside_stops_all_and_a_resume_goes_on_inside() {
    let inner =
        saying(&["x", "y"], &["START x", "x y", "y END"]).breakpoints(Breakpoints::none().before(["y"]));
    let graph = Builder::<()>::new("outer").node("inner", inner.compile().unwrap());
    let graph = stored(graph.edge(START, "inner").edge("inner", END));
    let paused = graph.run(empty()).thread(thread("t")).await.unwrap();
    let Status::Paused(stopped) = paused.status else { panic!("{:?}", paused.status) };
    assert_eq!(stopped, at(&["inner/y"], &[]));
    assert_eq!(graph.state(&thread("t"), None).await.unwrap().inner[0].next, ["y"]);
    assert_eq!(graph.resume(&thread("t")).await.unwrap().state.log(), ["x", "y"]);
}

// F49, F56: another future stops again, once
#[tokio::test]
async fn a_replay_stops_once_at_a_breakpoint_and_then_passes() {
    let graph = stored(line().breakpoints(Breakpoints::none().before(["b"])));
    let t = thread("t");
    let stops_once = async |paused: Outcome<Trail>| {
        assert_eq!((paused.status.label(), paused.state.log()), ("paused", vec!["a"]));
        assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "c"]);
    };
    stops_once(graph.run(empty()).thread(t.clone()).await.unwrap()).await;
    // From further before, and from where it stood.
    stops_once(graph.resume_at(&"t@1".parse().unwrap()).await.unwrap()).await;
    stops_once(graph.resume_at(&"t@2".parse().unwrap()).await.unwrap()).await;
    let paused = graph.run(empty()).thread(t.clone()).await.unwrap().checkpoint.unwrap();
    // From the newest, where it stands: that was the stop.
    assert_eq!(graph.resume_at(&paused).await.unwrap().state.log(), ["a", "b", "c"]);
    let paused = graph.run(empty()).thread(t.clone()).await.unwrap().checkpoint.unwrap();
    graph.fork(&paused).await.unwrap();
    stops_once(graph.resume(&t).await.unwrap()).await;
}

// F24, F56: a command goes on, as a resume does
#[tokio::test]
async fn a_command_passes_the_breakpoint_at_which_the_thread_stands() {
    let graph = stored(line().breakpoints(Breakpoints::none().before(["b"])));
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let end = graph.command(&t, Command::update(Trail::update().log("by hand"))).await.unwrap();
    assert_eq!(end.state.log(), ["a", "by hand", "b", "c"]);
}

// F56, clause 53: LangGraph stops there as well
#[tokio::test]
async fn a_sub_graph_stops_after_its_last_node() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        for (breakpoints, places) in [
            (Breakpoints::none().after(["y"]), &[&["inner/y"]][..]),
            (Breakpoints::none().after_all(), &[&["inner/x"], &["inner/y"]]),
        ] {
            let inner = saying(&["x", "y"], &["START x", "x y", "y END"]).breakpoints(breakpoints);
            let graph = Builder::<()>::new("outer").node("inner", inner.compile().unwrap());
            let graph = stored(graph.edge(START, "inner").edge("inner", END));
            let t = thread("t");
            let mut outcome = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap();
            for place in places {
                let Status::Paused(stopped) = &outcome.status else { panic!("{:?}", outcome.status) };
                assert_eq!(*stopped, at(&[], *place));
                outcome = graph.resume(&t).durability(durability).await.unwrap();
            }
            assert_eq!((outcome.status.label(), outcome.state.log()), ("done", vec!["x", "y"]));
        }
    }
}

// A run's breakpoints name nodes of its own graph.
#[tokio::test]
async fn the_breakpoints_of_a_run_do_not_stop_a_graph_inside() {
    let inner = saying(&["a", "x"], &["START a", "a x", "x END"]).compile().unwrap();
    let outer = Builder::new("outer").node("a", says("A")).node("inner", inner);
    let graph = stored(wired(outer, &["START a", "a inner", "inner END"]));
    let t = thread("t");
    let own = || Breakpoints::none().before(["a"]);
    let paused = graph.run(empty()).thread(t.clone()).breakpoints(own()).await.unwrap();
    assert!(matches!(paused.status, Status::Paused(place) if place == at(&["a"], &[])));
    let end = graph.resume(&t).breakpoints(own()).await.unwrap();
    assert!(matches!(end.status, Status::Done), "{:?}", end.status);
    assert_eq!(end.state.log(), ["A", "a", "x"]);
}

// F56, F58: also in the sub-graph of a sub-graph, which then has no breakpoints of its own
#[tokio::test]
async fn a_run_may_stop_at_a_node_of_a_sub_graph() {
    let deep = saying(&["p", "q"], &["START p", "p q", "q END"]).compile().unwrap();
    let inner = saying(&["x"], &["START x", "deep END"]).node("deep", deep).edge("x", "deep");
    let inner = inner.breakpoints(Breakpoints::none().before(["x"])).compile().unwrap();
    let graph = saying(&["a"], &["START a", "a inner", "inner END"]).node("inner", inner);
    let graph = stored(graph);
    let t = thread("t");
    let stops = || Breakpoints::none().before(["inner/deep/q"]).after(["inner/x", "a"]);
    let mut stopped = Vec::new();
    let mut outcome = graph.run(empty()).thread(t.clone()).breakpoints(stops()).await.unwrap();
    while let Status::Paused(at) = outcome.status {
        stopped.push(at);
        outcome = graph.resume(&t).breakpoints(stops()).await.unwrap();
    }
    assert_eq!(stopped, [at(&[], &["a"]), at(&[], &["inner/x"]), at(&["inner/deep/q"], &[])]);
    assert_eq!(outcome.state.log(), ["a", "x", "p", "q"]);
    for (wrong, meant) in [("q", "inner/deep/q"), ("iner/x", "inner/x"), ("a/x", "a")] {
        let stops = Breakpoints::none().after([wrong]);
        let error = graph.run(empty()).breakpoints(stops).await.unwrap_err();
        assert_eq!(error.hint().unwrap(), format!("did you mean `{meant}`?"), "{error}");
        assert_eq!(error.kind(), "unknown_node");
    }
}
