//! Which task runs when, how often, and in which order its writes are folded. ENG-1, ENG-2, ENG-8, parity F3-F5, F9-F11, F14, F19.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use stategraph_core::store::MemoryStore;
use stategraph_core::{
    Checkpoint, CheckpointStore, Command, Cx, END, EventKind, EventKinds, Flush, Persistence, Record,
    RunError, START, State, StateGraph, Subgraph,
};

use super::kit::{
    Builder, Graph, Trail, TrailUpdate, empty, memory, played, saying, says, thread, trail_of, wired,
};

async fn ran(names: &[&'static str], edges: &[&str]) -> Vec<String> {
    trail_of(&saying(names, edges).compile().unwrap()).await
}

// Clause 1, ENG-8
#[tokio::test]
async fn parallel_writes_are_folded_by_name_and_not_by_declaration() {
    let edges = ["START z", "START a", "START m", "z END", "a END", "m END"];
    assert_eq!(ran(&["z", "a", "m"], &edges).await, ["a", "m", "z"]);
}

/// Takes the longer, the earlier its name.
async fn late(_: &Trail, cx: &Cx) -> TrailUpdate {
    let rank = u64::from(b'z' - cx.node().as_bytes()[0]);
    tokio::time::sleep(Duration::from_millis(rank)).await;
    Trail::update().log(cx.node()).sum(1)
}

// Clause 1, F10
#[tokio::test(start_paused = true)]
async fn parallel_writes_are_folded_by_name_and_not_by_arrival() {
    let graph = ["c", "a", "b"]
        .into_iter()
        .fold(Builder::new("late"), |graph, name| graph.node(name, late).edge(START, name).edge(name, END));
    let trail = graph.compile().unwrap().run(empty()).await.unwrap().state;
    assert_eq!((trail.log(), trail.sum), (vec!["a", "b", "c"], 3));
}

// Clause 5, F3: what ports get wrong: "a diamond that runs its join twice"
#[tokio::test]
async fn an_even_diamond_runs_its_end_once() {
    let edges = ["START a", "a b", "a c", "b d", "c d", "d END"];
    assert_eq!(ran(&["a", "b", "c", "d"], &edges).await, ["a", "b", "c", "d"]);
}

// Clause 5, F3
#[tokio::test]
async fn an_uneven_diamond_of_plain_edges_runs_its_end_twice() {
    let edges = ["START a", "a b", "a c", "c x", "b d", "x d", "d END"];
    assert_eq!(ran(&["a", "b", "c", "x", "d"], &edges).await, ["a", "b", "c", "d", "x", "d"]);
}

// Clause 5, F4
#[tokio::test]
async fn a_join_waits_for_the_longer_arm() {
    let edges = ["START a", "a b", "a c", "c x", "b+x d", "d END"];
    assert_eq!(ran(&["a", "b", "c", "x", "d"], &edges).await, ["a", "b", "c", "x", "d"]);
}

fn rounds(graph: Builder) -> Builder {
    graph.branch("d", |trail: &Trail| trail.log.len() < 9, [(true, "a"), (false, END)])
}

// F17, clause 6
#[tokio::test]
async fn a_join_in_a_loop_fires_once_a_round() {
    let edges = ["START a", "a b", "a c", "c x", "b+x d"];
    let graph = rounds(saying(&["a", "b", "c", "x", "d"], &edges)).compile().unwrap();
    assert_eq!(trail_of(&graph).await, ["a", "b", "c", "x", "d", "a", "b", "c", "x", "d"]);
}

#[tokio::test]
async fn a_join_may_lead_back_to_one_of_its_sources() {
    let graph = wired(
        Builder::new("back")
            .node("a", async |trail: &Trail| Trail::update().log("a").turns(trail.turns + 1))
            .node("b", says("b"))
            .node("c", says("c")),
        &["START a", "START b", "b END", "a+b c", "c a"],
    );
    // `b` runs once only, so that the join fires once; `a` runs again and ends there.
    let graph = graph.branch("a", |t: &Trail| t.turns > 1, [(true, END), (false, END)]).compile().unwrap();
    assert_eq!(trail_of(&graph).await, ["a", "b", "c", "a"]);
}

// F5, D12, clause 10: LangGraph's branch sees its own node's writes only
#[tokio::test]
async fn a_branch_sees_what_its_siblings_wrote_in_the_same_step() {
    let graph =
        saying(&["a", "b", "both", "alone"], &["START a", "START b", "b END", "both END", "alone END"])
            .branch("a", |t: &Trail| t.log.contains(&"b".to_owned()), [(true, "both"), (false, "alone")])
            .compile();
    assert_eq!(trail_of(&graph.unwrap()).await, ["a", "b", "both"]);
}

#[tokio::test]
async fn a_branch_may_leave_from_start_and_two_from_one_node() {
    let graph = saying(&["a", "b", "c"], &["b END", "c END"])
        .branch(START, |t: &Trail| t.turns == 0, [(true, "a"), (false, END)])
        .branch("a", |_: &Trail| true, [(true, "b"), (false, END)])
        .branch("a", |_: &Trail| false, [(true, END), (false, "c")])
        .compile()
        .unwrap();
    assert_eq!(trail_of(&graph).await, ["a", "b", "c"]);
    let none = graph.run(Trail { turns: 1, ..empty() }).await.unwrap();
    assert_eq!((none.state.log.len(), none.steps), (0, 0));
}

#[tokio::test]
async fn two_branches_that_choose_one_target_run_it_once() {
    let graph = saying(&["a", "b"], &["START a", "b END"])
        .branch("a", |_: &Trail| true, [(true, "b"), (false, "b")])
        .branch("a", |_: &Trail| false, [(true, END), (false, "b")])
        .compile();
    assert_eq!(trail_of(&graph.unwrap()).await, ["a", "b"]);
}

async fn several(_: &Trail) -> Command<Trail> {
    Command::none().goto("c").goto(END).goto("b").goto("c")
}

// F22
#[tokio::test]
async fn goto_runs_all_its_targets_once_and_end_is_no_task() {
    let graph = saying(&["b", "c"], &["START go", "b END", "c END"])
        .node("go", several)
        .goto("go", ["b", "c", END])
        .compile();
    assert_eq!(trail_of(&graph.unwrap()).await, ["b", "c"]);
}

#[tokio::test]
async fn goto_to_end_alone_ends_the_path_and_so_does_a_plain_update() {
    for command in [Command::none().goto(END), Command::none()] {
        let command = std::sync::Mutex::new(Some(command));
        let graph = saying(&["b"], &["START go", "b END"])
            .node("go", move |_: stategraph_core::Frozen<Trail>| {
                let command = command.lock().unwrap().take().unwrap();
                async move { command }
            })
            .goto("go", ["b", END]);
        let graph = graph.compile().unwrap();
        assert_eq!(graph.run(empty()).await.unwrap().steps, 1);
    }
}

async fn astray(_: &Trail) -> Command<Trail> {
    Command::update(Trail::update().log("lost")).goto("c")
}

// D1, clause 15: what ports get wrong: "an unknown route that ends the run as a success"
#[tokio::test]
async fn goto_to_what_was_not_declared_is_an_error_that_names_what_was() {
    let graph = saying(&["b", "c"], &["START go", "b c", "c END"]).node("go", astray).goto("go", ["b", END]);
    let error = graph.compile().unwrap().run(empty()).await.unwrap_err();
    assert_eq!(error.to_string(), "node `go` failed in step 1");
    assert_eq!(error.hint().unwrap(), "did you mean `b`? Else declare `c` as a goto target");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(source, "it went to `c`, which is not among its declared targets: b, END");
}

fn writes_last(
    name: &'static str,
) -> impl Fn(stategraph_core::Frozen<Trail>) -> std::future::Ready<TrailUpdate> {
    move |_| std::future::ready(Trail::update().last(name).log(name))
}

// Clauses 2 and 3, F9
#[tokio::test]
async fn two_writers_of_a_last_value_in_one_step_are_an_error_that_names_them() {
    let at_once = Builder::new("w").node("b", writes_last("b")).node("a", writes_last("a"));
    let at_once = wired(at_once, &["START a", "START b", "a END", "b END"]).compile().unwrap();
    let error = at_once.run(empty()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` and `b` both wrote `last` in step 1, and it can take only one write a step"
    );
    assert!(matches!(error, RunError::WriteConflict { .. }));
    let in_turn = Builder::new("w").node("b", writes_last("b")).node("a", writes_last("a"));
    let in_turn = wired(in_turn, &["START a", "a b", "b END"]).compile().unwrap();
    assert_eq!(in_turn.run(empty()).await.unwrap().state.last, "b");
}

// Clause 7, F11
#[tokio::test]
async fn an_overwrite_makes_the_writes_of_its_siblings_void_wherever_it_stands() {
    for name in ["a", "m", "z"] {
        let over = move |_: stategraph_core::Frozen<Trail>| async {
            Trail::update().overwrite_log(["X".to_owned()])
        };
        let graph = saying(&["b", "y"], &["START b", "START y", "b END", "y END"]).node(name, over);
        let graph = graph.edge(START, name).edge(name, END).compile().unwrap();
        let before = Trail { log: vec!["old".into()], ..empty() };
        assert_eq!(graph.run(before).await.unwrap().state.log(), ["X"], "{name}");
    }
}

#[tokio::test]
async fn two_overwrites_of_one_channel_in_one_step_are_an_error() {
    let over = async |_: &Trail| Trail::update().overwrite_log(["X".to_owned()]);
    let graph = Builder::new("two").node("a", over).node("b", over);
    let graph = wired(graph, &["START a", "START b", "a END", "b END"]).compile().unwrap();
    assert!(matches!(
        graph.run(empty()).await.unwrap_err(),
        RunError::WriteConflict { channel, .. } if channel == "log"
    ));
}

// Clause 9
#[tokio::test]
async fn a_node_that_writes_nothing_is_followed_all_the_same() {
    let graph = saying(&["b"], &["START a", "a b", "b END"]).node("a", async |_: &Trail| {});
    assert_eq!(trail_of(&graph.compile().unwrap()).await, ["b"]);
}

// F13, F14
#[tokio::test]
async fn an_ephemeral_channel_is_seen_by_the_next_step_only() {
    let echo = async |trail: &Trail| Trail::update().log(trail.seen.join("+"));
    let graph = Builder::new("e")
        .node("a", async |_: &Trail| Trail::update().seen("x").seen("y"))
        .node("b", echo)
        .node("c", echo);
    let graph = wired(graph, &["START a", "a b", "b c", "c END"]).compile().unwrap();
    let trail = graph.run(empty()).await.unwrap().state;
    assert_eq!((trail.log(), trail.seen.len()), (vec!["x+y", ""], 0));
}

// P11, D13, clause 40: a node cannot change what it reads; what it holds on to stays as it was
#[tokio::test]
async fn a_state_that_a_node_holds_on_to_does_not_change_under_it() {
    type Held = std::sync::Arc<std::sync::Mutex<Vec<stategraph_core::Frozen<Trail>>>>;
    let held = Held::default();
    let keeper = held.clone();
    let graph = Builder::new("held").node("a", move |trail: stategraph_core::Frozen<Trail>| {
        let turns = trail.turns + 1;
        keeper.lock().unwrap().push(trail);
        async move { Trail::update().turns(turns) }
    });
    let graph = graph.edge(START, "a").branch("a", |t: &Trail| t.turns < 3, [(true, "a"), (false, END)]);
    let end = graph.compile().unwrap().run(empty()).await.unwrap().state;
    let seen: Vec<u32> = held.lock().unwrap().iter().map(|trail| trail.turns).collect();
    assert_eq!((seen, end.turns), (vec![0, 1, 2], 3));
}

#[derive(State, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Weather {
    #[state(any)]
    kept: String,
    #[state(any, ephemeral)]
    now: String,
    #[state(append)]
    log: Vec<String>,
}

// F16: of several writers the last counts; with `ephemeral` it is cleared by a step that does not write it, as LangGraph's is
#[tokio::test]
async fn a_channel_for_any_writer_takes_the_last_by_name() {
    let writes =
        |name: &'static str| move |_: &Weather| std::future::ready(Weather::update().kept(name).now(name));
    let look = async |weather: &Weather| Weather::update().log(format!("{} {}", weather.kept, weather.now));
    let graph = StateGraph::<Weather>::new("weather").node("z", writes("z")).node("a", writes("a"));
    let graph = graph.node("first", look).node("second", look).edge(START, "z").edge(START, "a");
    let graph =
        graph.join(["a", "z"], "first").edge("first", "second").edge("second", END).compile().unwrap();
    assert_eq!(graph.run(Weather::default()).await.unwrap().state.log, ["z z", "z "]);
}

/// The nodes of each superstep.
async fn supersteps(graph: &Graph) -> Vec<Vec<String>> {
    let (events, ended) = played(graph.run(empty()).stream(EventKinds::TASKS).await.unwrap()).await;
    ended.unwrap();
    let mut supersteps: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for event in events {
        if let EventKind::TaskStarted { node, .. } = event.kind {
            supersteps.entry(event.step).or_default().push(node);
        }
    }
    supersteps.into_values().collect()
}

// F4: `b` in step 1, `a` and `b` in step 2; the second arrival of `b` is one of the same round, whichever name comes first. Were it
// left over, `a` alone would complete the join later
#[tokio::test]
async fn an_arrival_in_the_superstep_that_completes_a_join_is_no_second_round() {
    for (a, b) in [("a", "b"), ("b", "a")] {
        let names = [a, b, "x", "d", "p"];
        let graph = names.iter().fold(Builder::new("g"), |graph, name| graph.node(*name, says(name)));
        let edges = [("START", b), ("START", "x"), ("x", a), ("x", b), ("d", "p"), ("p", a), (a, "END")];
        let graph = edges.iter().fold(graph, |graph, (from, to)| graph.edge(*from, *to)).join([a, b], "d");
        let ran = supersteps(&graph.compile().unwrap()).await;
        assert_eq!(ran[2..], [["d"], ["p"], [a]], "{a} {b}");
    }
}

// F4, F17: what arrives while a complete join waits for its deferred target is of the same round
#[tokio::test]
async fn arrivals_are_absorbed_until_a_deferred_join_runs() {
    let edges = ["START a", "START b", "START x", "x y", "y a", "a+b d", "d p", "p b", "b END"];
    let graph = saying(&["a", "b", "x", "y", "d", "p"], &edges).defer("d").compile().unwrap();
    let ran = supersteps(&graph).await;
    assert_eq!(ran, [vec!["a", "b", "x"], vec!["y"], vec!["a"], vec!["d"], vec!["p"], vec!["b"]]);
}

// F4: a run of `d` that something else led to leaves the arrivals of a join that is not complete
#[tokio::test]
async fn a_join_that_is_not_complete_keeps_its_arrivals_when_its_target_runs() {
    let edges = ["START a", "START x", "x d", "x y", "y b", "a+b d", "d END"];
    let ran = supersteps(&saying(&["a", "b", "x", "y", "d"], &edges).compile().unwrap()).await;
    assert_eq!(ran, [vec!["a", "x"], vec!["d", "y"], vec!["b"], vec!["d"]]);
}

// F4: what arrives in the superstep in which the target runs counts for its next round
#[tokio::test]
async fn an_arrival_beside_the_run_of_a_join_begins_the_next_round() {
    let edges = ["START a", "START b", "START x", "x y", "x a", "y b", "a+b d", "d END"];
    let ran = supersteps(&saying(&["a", "b", "x", "y", "d"], &edges).compile().unwrap()).await;
    assert_eq!(ran, [vec!["a", "b", "x"], vec!["a", "d", "y"], vec!["b"], vec!["d"]]);
}

/// `a` and `b` lead to the join `d`, and `d` again to `b` alone; `x` holds the thread back before `d` runs.
fn rounds_of_two() -> Builder {
    let edges = ["START a", "START b", "START x", "x END", "a+b d", "d b", "b END"];
    saying(&["a", "b", "d", "x"], &edges)
}

// F4, F47: an update in place of the target's run begins the next round; one beside it does not
#[tokio::test]
async fn an_update_as_the_target_of_a_join_counts_as_its_run() {
    let graph = rounds_of_two().compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    graph.update(&t, Trail::update().log("d by hand"), Some("d")).await.unwrap();
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "x", "d by hand", "b"]);
    let t = thread("u");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    // The join is complete and has not run, so this is of the same round.
    graph.update(&t, Trail::update().log("b by hand"), Some("b")).await.unwrap();
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "x", "b by hand", "d", "b"]);
}

// F4, P5: what an earlier version wrote of a complete join: nothing, since it began the next round when the join was complete
#[tokio::test]
async fn a_checkpoint_without_its_complete_join_goes_on() {
    let store = Arc::new(MemoryStore::new());
    let graph = rounds_of_two().compile().unwrap().with_store(store.clone());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).step_limit(1).await.unwrap_err();
    let tip = store.load(&t, None).await.unwrap().unwrap().tip().clone();
    assert_eq!(tip.joins[0].arrived.len(), 2);
    let old = Arc::new(Checkpoint {
        seq: tip.seq.next(),
        parent: Some(tip.seq),
        joins: Vec::new(),
        writes: Vec::new(),
        ..(*tip).clone()
    });
    let writer = store.claim(&t).await.unwrap();
    writer.append(Record::Checkpoint(old), Flush::Synced).unwrap().wait().await.unwrap();
    drop(writer);
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["a", "b", "x", "d", "b"]);
}

// F4, F44: LangGraph keeps what has arrived for the next input
#[tokio::test]
async fn a_new_input_begins_every_join_anew() {
    let graph = saying(&["a", "b", "d"], &["a+b d", "d END"]);
    let graph = graph.branch(START, |t: &Trail| t.turns == 0, [(true, "a"), (false, "b")]);
    // Never true here, but without it no run could reach `d`, which is a defect.
    let graph = graph.branch(START, |t: &Trail| t.turns == 9, [(true, "b"), (false, END)]);
    let graph = graph.compile().unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    assert_eq!(graph.continue_with(&t, Trail::update().turns(1)).await.unwrap().state.log(), ["a", "b"]);
}

// P5: an edit of the graph that takes away the source that was missing completes the join
#[tokio::test]
async fn a_join_that_an_edit_completes_runs_when_the_thread_goes_on() {
    let store = memory();
    let three = ["START a", "START b", "START x", "x c", "a+b+c d", "d END"];
    let old = saying(&["a", "b", "c", "d", "x"], &three).compile().unwrap().with_store(store.clone());
    old.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    let two = ["START a", "START b", "START x", "x c", "c END", "a+b d", "d END"];
    let new = saying(&["a", "b", "c", "d", "x"], &two).compile().unwrap().with_store(store);
    let log = new.resume(&thread("t")).await.unwrap().state.log;
    assert_eq!(log.iter().filter(|node| *node == "d").count(), 1, "{log:?}");
}

#[derive(State, Clone, Default, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Passing {
    #[state(append, ephemeral)]
    heard: Vec<String>,
    #[state(append)]
    log: Vec<String>,
}

// F14, F44, F60: what the last superstep of a call wrote for the next superstep is over when the next call begins
#[tokio::test]
async fn ephemeral_channels_end_with_the_run_and_with_the_call_of_a_sub_graph() {
    let inner = StateGraph::<Passing>::new("inner").node("n", async |state: &Passing| {
        Passing::update().log(format!("heard {:?}", state.heard)).heard("an echo")
    });
    let inner = inner.edge(START, "n").edge("n", END).compile().unwrap();
    let alone = inner.clone().with_store(memory());
    let t = thread("t");
    alone.run(Passing::default()).thread(t.clone()).await.unwrap();
    let end = alone.continue_with(&t, Passing::update()).await.unwrap();
    assert_eq!(end.state.log, ["heard []", "heard []"]);
    let inside = Subgraph::mapped(
        &inner,
        |_: &Trail| Passing::default(),
        |passing: &Passing| Trail::update().last(passing.log.join(", ")),
    );
    let graph = Builder::new("outer").node("inner", inside.persistence(Persistence::PerThread));
    let graph = graph.edge(START, "inner").edge("inner", END).compile().unwrap().with_store(memory());
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let end = graph.continue_with(&t, Trail::update()).await.unwrap();
    assert_eq!(end.state.last, "heard [], heard []");
}
