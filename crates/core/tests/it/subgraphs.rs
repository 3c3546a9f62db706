//! Graphs as nodes: what goes in, what comes back, how long their logs count, going on inside. Parity F23, F58-F62, D4, P8, P14,
//! clauses 27, 30, 49, 50, 53.

use serde::{Deserialize, Serialize};
use stategraph_core::{
    Command, CompiledGraph, Cx, Durability, END, EventKinds, HistoryQuery, InnerCheckpoint, InnerStep,
    NodeError, NodePolicy, NodeResult, Persistence, Retention, RetryPolicy, RunError, START, Seq, State,
    StateGraph, Status, Stop, Subgraph, TaskEntry, TaskId, inner_calls,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, fail_once, line, memory, played, say,
    saying, says, thread, wired,
};
use super::stores::{Fault, Faulty};

/// `a inner z`, where the inner graph is this one.
fn around<D: Clone + Send + Sync + 'static>(
    inner: CompiledGraph<Trail, D>,
    services: D,
    say: impl stategraph_core::IntoNode<Trail, D, stategraph_core::OfContext<TrailUpdate>> + Clone,
) -> Graph<D> {
    let graph = Builder::new("outer").node("a", say.clone()).node("inner", inner).node("z", say);
    wired(graph, &["START a", "a inner", "inner z", "z END"]).compile_with(services).unwrap()
}

fn nested(inner: Builder<Calls>, edges: &[&str]) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let inner = wired(inner, edges).compile_with(Calls::default()).unwrap();
    let graph = Builder::<Calls>::new("outer").node("a", say).node("inner", inner).node("z", say);
    let graph =
        wired(graph, &["START a", "a inner", "inner z", "z END"]).compile_with(calls.clone()).unwrap();
    (graph.with_store(memory()), calls)
}

// D4, P8, F58 (LangGraph: `['in'] -> ['in','in','own=1']`)
#[tokio::test]
async fn a_sub_graph_hands_back_what_it_wrote_and_not_what_it_was_given() {
    let inner = saying(&["x", "y"], &["START x", "x y", "y END"]).compile().unwrap();
    let graph = around(inner, (), says_context);
    let before = Trail { log: vec!["in".into()], sum: 5, ..empty() };
    let end = graph.run(before).await.unwrap();
    assert_eq!((end.state.log(), end.state.sum, end.steps), (vec!["in", "a", "x", "y", "z"], 5, 3));
}

async fn says_context(_: &Trail, cx: &Cx) -> TrailUpdate {
    Trail::update().log(cx.node())
}

// D4: overwrites, ephemeral values and siblings inside come back as they were
#[tokio::test]
async fn the_sum_of_what_a_sub_graph_wrote_is_folded_as_the_writes_were() {
    let inner = Builder::<()>::new("inner")
        .node("p", async |_: &Trail| Trail::update().log("lost").seen("early").sum(1))
        .node("q", async |_: &Trail| Trail::update().overwrite_log(["X".to_owned()]).last("q"))
        .node("r", async |_: &Trail| Trail::update().log("r").seen("late").sum(2))
        .node("s", async |_: &Trail| Trail::update().log("s"));
    let inner = wired(inner, &["START p", "p q", "q r", "q s", "r END", "s END"]).compile().unwrap();
    let graph = Builder::new("outer")
        .node("inner", inner)
        .node("echo", async |trail: &Trail| Trail::update().log(trail.seen.join("+")));
    let graph = wired(graph, &["START inner", "inner echo", "echo END"]).compile().unwrap();
    let end = graph.run(Trail { log: vec!["old".into()], ..empty() }).await.unwrap().state;
    assert_eq!((end.log(), end.sum, end.last.as_str()), (vec!["X", "r", "s", "late"], 3, "q"));
}

// P8: two at once do not disturb each other
#[tokio::test]
async fn sub_graphs_at_once_add_what_each_of_them_wrote() {
    let inner =
        |name| saying(&[name], &[&format!("START {name}"), &format!("{name} END")]).compile().unwrap();
    let graph = Builder::new("two").node("one", inner("x")).node("two", inner("y"));
    let graph = wired(graph, &["START one", "START two", "one END", "two END"]).compile().unwrap();
    let end = graph.run(Trail { log: vec!["in".into()], ..empty() }).await.unwrap();
    assert_eq!(end.state.log(), ["in", "x", "y"]);
}

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Tally {
    #[state(add)]
    runs: i64,
    topic: String,
}

fn tallying(persistence: Persistence) -> Graph {
    let inner = StateGraph::<Tally>::new("tally").node("count", async |_: &Tally| Tally::update().runs(1));
    let inner = inner.edge(START, "count").edge("count", END).compile().unwrap();
    let inside = Subgraph::mapped(
        &inner,
        |_: &Trail| Tally::default(),
        |tally: &Tally| Trail::update().log(format!("own={} {}", tally.runs, tally.topic)),
    );
    let inside =
        inside.persistence(persistence).again(|trail: &Trail| Tally::update().topic(trail.last.as_str()));
    let graph = Builder::new("outer").node("t", inside).edge(START, "t").edge("t", END);
    graph.compile().unwrap().with_store(memory())
}

// F60, P14, clause 50
#[tokio::test]
async fn a_sub_graph_counts_per_call_per_thread_or_leaves_nothing() {
    for (persistence, second) in [
        (Persistence::PerCall, "own=1 "),
        (Persistence::PerThread, "own=2 two"),
        (Persistence::Off, "own=1 "),
    ] {
        let graph = tallying(persistence);
        let t = thread("t");
        graph.run(empty()).thread(t.clone()).await.unwrap();
        let end = graph.continue_with(&t, Trail::update().last("two")).await.unwrap();
        assert_eq!(end.state.log(), ["own=1 ", second], "{persistence:?}");
        let history = graph.history(&t, &HistoryQuery::default()).await.unwrap();
        let calls: usize = history.iter().map(|entry| inner_calls(&entry.tasks).len()).sum();
        assert_eq!(calls, if persistence == Persistence::Off { 0 } else { 2 });
        let other = graph.run(empty()).thread(thread("other")).await.unwrap();
        assert_eq!(other.state.log(), ["own=1 "]);
    }
}

// F60: what is kept per thread is a part of its checkpoints: a fork has what was then
#[tokio::test]
async fn what_is_kept_per_thread_goes_back_with_a_fork() {
    let graph = tallying(Persistence::PerThread);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    for turn in 2..8 {
        let end = graph.continue_with(&t, Trail::update().last("x")).await.unwrap();
        assert_eq!(end.state.log.last().unwrap(), &format!("own={turn} x"));
    }
    let forked = graph.resume_at(&"t@3".parse().unwrap()).await.unwrap();
    assert_eq!(forked.state.log.last().unwrap(), "own=2 x");
}

// F60: also a checkpoint that stands for itself has it, such as that of an update
#[tokio::test]
async fn what_is_kept_per_thread_is_in_every_snapshot() {
    let graph = tallying(Persistence::PerThread);
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.update(&t, Trail::update().last("by hand"), None).await.unwrap();
    graph.prune(&t, Retention::keep_last(1)).await.unwrap();
    let end = graph.continue_with(&t, Trail::update().last("two")).await.unwrap();
    assert_eq!(end.state.log(), ["own=1 ", "own=2 two"]);
}

fn asking() -> (Graph<Calls>, Calls) {
    let inner = Builder::<Calls>::new("inner").node("p", say).node("q", ask).node("r", say);
    nested(inner, &["START p", "p q", "q r", "r END"])
}

// F59, F61, clause 49
#[tokio::test]
async fn a_question_inside_stops_all_and_the_answer_goes_on_inside() {
    for durability in [Durability::Sync, Durability::ASYNC, Durability::Exit] {
        let (graph, calls) = asking();
        let t = thread("t");
        let waiting = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap();
        assert_eq!(waiting.state.log(), ["a"]);
        assert_eq!(asked(&waiting).iter().map(|(_, asks)| asks.as_str()).collect::<Vec<_>>(), ["\"q?\""]);
        let seen = graph.state(&t, None).await.unwrap();
        assert_eq!((seen.next.join(" "), seen.questions[0].node.as_str()), ("inner".into(), "inner"));
        let [inner] = seen.inner.as_slice() else { panic!("{:?}", seen.inner) };
        assert_eq!(
            (inner.node.as_str(), inner.checkpoint, inner.next.join(" ")),
            ("inner", Seq(2), "q".into())
        );
        assert!(inner.state.as_ref().unwrap().get().contains(r#""log":["a","p"]"#));
        let question = asked(&waiting)[0].0.parse().unwrap();
        let end = graph.resume(&t).durability(durability).answer(question, &"yes").await.unwrap();
        assert_eq!(end.state.log(), ["a", "p", "q=yes", "r", "z"], "{durability:?}");
        assert_eq!((calls.of("a"), calls.of("p"), calls.of("q"), calls.of("r")), (1, 1, 2, 1));
        let history = graph.history(&t, &HistoryQuery::default()).await.unwrap();
        assert!(history.iter().all(|entry| entry.checkpoint.namespace.is_root()));
    }
}

// D6, clause 42 inside a sub-graph: one of two answers is enough to go on with that one
#[tokio::test]
async fn of_two_questions_inside_each_is_answered_for_itself() {
    let inner = Builder::<Calls>::new("inner").node("p", ask).node("q", ask).node("r", say);
    let (graph, calls) = nested(inner, &["START p", "START q", "p+q r", "r END"]);
    let t = thread("t");
    let both = asked(&graph.run(empty()).thread(t.clone()).await.unwrap());
    assert_eq!(both.len(), 2);
    let half = graph.resume(&t).answer(both[1].0.parse().unwrap(), &"Q").await.unwrap();
    assert_eq!(asked(&half), [both[0].clone()]);
    assert_eq!((calls.of("p"), calls.of("q")), (1, 2));
    assert_eq!(asked(&graph.resume(&t).await.unwrap()), [both[0].clone()]);
    let end = graph.resume(&t).answer(both[0].0.parse().unwrap(), &"P").await.unwrap();
    assert_eq!(end.state.log(), ["a", "p=P", "q=Q", "r", "z"]);
    assert_eq!((calls.of("p"), calls.of("q"), calls.of("r")), (2, 2, 1));
}

async fn wants_a_number(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().sum(cx.interrupt::<i64>(&"how many?").await?))
}

// Clause 44 inside a sub-graph, of a sub-graph
#[tokio::test]
async fn an_answer_that_does_not_fit_inside_opens_the_question_again_outside() {
    let deepest = Builder::<Calls>::new("deepest").node("n", wants_a_number);
    let deepest = wired(deepest, &["START n", "n END"]).compile_with(Calls::default()).unwrap();
    let (graph, _) = nested(Builder::new("inner").node("deep", deepest), &["START deep", "deep END"]);
    let t = thread("t");
    let question = asked(&graph.run(empty()).thread(t.clone()).await.unwrap())[0].0.parse().unwrap();
    let error = graph.resume(&t).answer(question, &"many").await.unwrap_err();
    assert_eq!(error.to_string(), "node `inner` failed in step 2");
    assert_eq!(graph.state(&t, None).await.unwrap().questions.len(), 1);
    assert_eq!(asked(&graph.resume(&t).await.unwrap()).len(), 1);
    let end = graph.resume(&t).answer(question, &7).await.unwrap();
    assert_eq!((end.state.sum, end.state.log()), (7, vec!["a", "z"]));
}

// D5: without a log of its own it cannot wait
#[tokio::test]
async fn a_sub_graph_that_keeps_nothing_cannot_ask() {
    let inner = wired(Builder::<Calls>::new("inner").node("q", ask), &["START q", "q END"]);
    let inner =
        Subgraph::shared(&inner.compile_with(Calls::default()).unwrap()).persistence(Persistence::Off);
    let graph = wired(Builder::<Calls>::new("outer").node("inner", inner), &["START inner", "inner END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    let error = graph.run(empty()).await.unwrap_err();
    let inside = std::error::Error::source(&error).unwrap();
    assert_eq!(inside.to_string(), "node `q` failed in step 1");
}

// F34 inside: what finished there is not run again
#[tokio::test]
async fn after_a_failure_inside_only_the_failed_task_inside_is_run_again() {
    let inner = Builder::<Calls>::new("inner").node("p", say).node("q", fail_once).node("r", say);
    let (graph, calls) = nested(inner, &["START p", "p q", "p r", "q END", "r END"]);
    let t = thread("t");
    let error = graph.run(empty()).thread(t.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "node `inner` failed in step 2");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "node `q` failed in step 2");
    let end = graph.resume(&t).await.unwrap();
    assert_eq!(end.state.log(), ["a", "p", "q", "r", "z"]);
    assert_eq!((calls.of("p"), calls.of("q"), calls.of("r")), (1, 2, 1));
}

// F32: another attempt of the node goes on inside as a resume does
#[tokio::test(start_paused = true)]
async fn a_retry_of_a_sub_graph_goes_on_inside() {
    let calls = Calls::default();
    let inner = Builder::<Calls>::new("inner").node("p", say).node("q", fail_once);
    let inner = wired(inner, &["START p", "p q", "q END"]).compile_with(calls.clone()).unwrap();
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2));
    let graph =
        wired(Builder::<Calls>::new("o").node_with("inner", policy, inner), &["START inner", "inner END"]);
    let graph = graph.compile_with(calls.clone()).unwrap().with_store(memory());
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["p", "q"]);
    assert_eq!((calls.of("p"), calls.of("q")), (1, 2));
}

async fn stops(_: &Trail, cx: &Cx<Stop>) -> TrailUpdate {
    cx.services().drain();
    Trail::update().log(cx.node())
}

// F30, clause 27
#[tokio::test]
async fn a_drain_inside_stops_there_and_a_resume_goes_on_there() {
    let stop = Stop::new();
    let inner = Builder::<Stop>::new("inner").node("p", stops).node("q", stops);
    let inner = wired(inner, &["START p", "p q", "q END"]).compile_with(stop.clone()).unwrap();
    let graph = Builder::<Stop>::new("outer").node("inner", inner).node("z", stops);
    let graph = wired(graph, &["START inner", "inner z", "z END"]).compile_with(stop.clone()).unwrap();
    let graph = graph.with_store(memory());
    let t = thread("t");
    let drained = graph.run(empty()).thread(t.clone()).stop(&stop).await.unwrap();
    assert!(matches!(drained.status, Status::Drained));
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.next.join(" "), seen.inner[0].next.join(" ")), ("inner".into(), "q".into()));
    assert_eq!(graph.resume(&t).await.unwrap().state.log(), ["p", "q", "z"]);
}

async fn sends_up(_: &Trail) -> Command<Trail> {
    Command::update(Trail::update().log("up")).goto_parent("other")
}

fn commanding() -> Builder {
    let builder =
        Builder::new("inner").node("p", says("p")).node("up", sends_up).node("never", says("never"));
    wired(builder, &["START p", "p up", "up never", "never END"]).goto_parent("up", ["other"])
}

// F23, clause 53 (LangGraph runs the static edges besides; see D2)
#[tokio::test]
async fn a_node_inside_ends_its_graph_and_sends_the_one_around_elsewhere() {
    let graph = Builder::new("outer").node("inner", commanding().compile().unwrap());
    let graph = graph.node("next", says("next")).node("other", says("other"));
    let graph = wired(graph, &["START inner", "inner next", "next END", "other END"]).compile().unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["p", "up", "other"]);
    let stored = graph.with_store(memory());
    assert_eq!(stored.run(empty()).await.unwrap().state.log(), ["p", "up", "other"]);
}

// F23 at depth 2: the nearest graph around is meant
#[tokio::test]
async fn a_command_goes_to_the_nearest_graph_around() {
    let middle =
        Builder::new("middle").node("deep", commanding().compile().unwrap()).node("other", says("middle"));
    let middle = wired(middle, &["START deep", "deep END", "other END"]).compile().unwrap();
    let graph = Builder::new("outer").node("inner", middle).node("z", says("z"));
    let graph = wired(graph, &["START inner", "inner z", "z END"]).compile().unwrap();
    assert_eq!(graph.run(empty()).await.unwrap().state.log(), ["p", "up", "middle", "z"]);
}

// D1
#[tokio::test]
async fn a_command_to_a_graph_around_that_has_no_such_node_does_not_compile() {
    let graph = Builder::new("outer").node("inner", commanding().compile().unwrap()).node("othr", says("x"));
    let defects = wired(graph, &["START inner", "inner othr", "othr END"]).defects();
    assert_eq!(defects[0].kind.to_string(), "there is no node `other`");
    assert_eq!(defects[0].kind.hint(), "did you mean `othr`?");
    let alone = commanding().compile().unwrap().run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&alone).unwrap().to_string();
    assert_eq!(cause, "it sent the graph around to `other`, and there is none");
}

// F62: the limit is for each graph
#[tokio::test]
async fn every_graph_has_the_whole_limit_of_steps() {
    let inner = saying(&["x", "y"], &["START x", "x y", "y END"]).compile().unwrap();
    let graph = around(inner, (), says_context).with_store(memory());
    assert!(graph.run(empty()).step_limit(3).await.is_ok());
    let error = graph.run(empty()).thread(thread("t")).step_limit(1).await.unwrap_err();
    assert!(matches!(error, RunError::StepLimit { .. }));
    let long = saying(&["v", "w", "x", "y"], &["START v", "v w", "w x", "x y", "y END"]).compile().unwrap();
    let error = around(long, (), says_context).run(empty()).step_limit(3).await.unwrap_err();
    let inside = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(inside, "the run reached its limit of 3 steps; `y` would run next");
}

// F69, P15: events from inside carry the namespace and are counted with the others
#[tokio::test]
async fn events_inside_say_where_they_come_from() {
    let inner = saying(&["x"], &["START x", "x END"]).compile().unwrap();
    let graph = around(inner, (), says_context);
    let (events, _) = played(graph.run(empty()).stream(EventKinds::UPDATES).await.unwrap()).await;
    let lines: Vec<String> =
        events.iter().map(|event| format!("[{}] {}", event.namespace, line(event))).collect();
    assert_eq!(
        lines,
        [
            "[] 0 run started outer",
            "[] 1 updates a {\"log\":{\"+\":\"a\"}}",
            "[inner:1.0] 1 updates x {\"log\":{\"+\":\"x\"}}",
            "[] 2 updates inner {\"log\":{\"+\":\"x\"}}",
            "[] 3 updates z {\"log\":{\"+\":\"z\"}}",
            "[] 3 run done",
        ]
    );
    assert!(events.windows(2).all(|pair| pair[0].seq < pair[1].seq));
}

// Clause 30: `exit` leaves one checkpoint, whatever ran inside
#[tokio::test]
async fn durability_is_the_same_inside() {
    let count = async |durability| {
        let inner = saying(&["x", "y"], &["START x", "x y", "y END"]).compile().unwrap();
        let graph = around(inner, (), says_context).with_store(memory());
        graph.run(empty()).thread(thread("t")).durability(durability).await.unwrap();
        let history = graph.history(&thread("t"), &HistoryQuery::default()).await.unwrap();
        let inside = history.iter().flat_map(|entry| &entry.tasks);
        (history.len(), inside.filter(|record| matches!(record.entry, TaskEntry::Inner { .. })).count())
    };
    assert_eq!(count(Durability::Sync).await, (4, 3));
    assert_eq!(count(Durability::ASYNC).await, (4, 3));
    assert_eq!(count(Durability::Exit).await, (1, 0));
}

// F61: time travel into a sub-graph, and into one inside it
#[tokio::test]
async fn a_fork_inside_runs_again_what_came_after_it_inside() {
    let (graph, calls) = asking();
    let t = thread("t");
    let first = graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.resume(&t).answer(asked(&first)[0].0.parse().unwrap(), &"yes").await.unwrap();
    let step = InnerStep { task: TaskId { base: Seq(2), index: 0 }, key: String::new(), checkpoint: Seq(2) };
    let target = InnerCheckpoint { outer: "t@2".parse().unwrap(), path: vec![step.clone()] };
    let forked = graph.fork_inside(&target).await.unwrap();
    assert_eq!(graph.state(&t, None).await.unwrap().inner[0].next, ["q"]);
    let again = graph.resume(&t).await.unwrap();
    let question = asked(&again)[0].0.clone();
    assert_eq!(question, format!("{}.0.0", forked.seq));
    let end = graph.resume(&t).answer(question.parse().unwrap(), &"no").await.unwrap();
    assert_eq!(end.state.log(), ["a", "p", "q=no", "r", "z"]);
    assert_eq!((calls.of("a"), calls.of("p")), (1, 1));
    let nowhere = InnerStep { checkpoint: Seq(9), ..step };
    let error = graph.fork_inside(&InnerCheckpoint { path: vec![nowhere], ..target }).await.unwrap_err();
    assert!(matches!(error, RunError::NothingInside { .. }));
}

async fn calls_twice(_: &Trail, cx: &Cx<(Calls, Graph<Calls>)>) -> NodeResult<TrailUpdate> {
    let (calls, inner) = cx.services();
    calls.count("body");
    let mine: String = cx.interrupt(&"mine").await?;
    let one = cx.subgraph("one", inner, empty()).await?;
    let two = cx.subgraph("two", inner, one.clone()).await?;
    Ok(Trail::update().log(format!("{mine} {} {}", one.log.join("+"), two.log.join("+"))))
}

// F59 (LangGraph: the node ran 2x, the sub-graph goes on inside)
#[tokio::test]
async fn a_node_that_runs_graphs_itself_goes_on_in_them() {
    let calls = Calls::default();
    let inner = Builder::<Calls>::new("inner").node("p", say).node("q", ask);
    let inner = wired(inner, &["START p", "p q", "q END"]).compile_with(calls.clone()).unwrap();
    let graph = StateGraph::<Trail, _>::new("outer").node("n", calls_twice).edge(START, "n").edge("n", END);
    let graph = graph.compile_with((calls.clone(), inner)).unwrap().with_store(memory());
    let t = thread("t");
    let mut outcome = graph.run(empty()).thread(t.clone()).await.unwrap();
    for answer in ["M", "1", "2"] {
        if answer == "2" {
            // Each graph inside the task has a log of its own: the first has ended, the second waits at `q`.
            let inner = graph.state(&t, None).await.unwrap().inner;
            let seen: Vec<_> =
                inner.iter().map(|it| (it.key.as_str(), it.checkpoint.0, it.next.join(" "))).collect();
            assert_eq!(seen, [("one", 3, String::new()), ("two", 2, "q".to_owned())]);
        }
        let question = asked(&outcome)[0].0.parse().unwrap();
        outcome = graph.resume(&t).answer(question, &answer).await.unwrap();
    }
    assert_eq!(outcome.state.log(), ["M p+q=1 p+q=1+p+q=2"]);
    assert_eq!((calls.of("body"), calls.of("p"), calls.of("q")), (4, 2, 4));
}

// Clause 61, P7: the process dies at any append, and the end is the same
#[tokio::test]
async fn a_crash_at_any_append_inside_or_outside_changes_nothing() {
    for (fault, name) in
        (0..24).flat_map(|at| [(Fault::From(at), "from"), (Fault::Unacknowledged(at), "late")])
    {
        let (graph, _) = asking();
        let faulty = Faulty::new(fault);
        let sound = graph.clone().with_store(std::sync::Arc::new(faulty.inner.clone()));
        let mut graph = graph.with_store(faulty.shared());
        let t = thread("t");
        let mut ended = graph.run(empty()).thread(t.clone()).await;
        let end = loop {
            ended = match ended {
                Ok(outcome) if matches!(outcome.status, Status::Done) => break outcome,
                Ok(outcome) => {
                    let question = asked(&outcome)[0].0.parse().unwrap();
                    graph.resume(&t).answer(question, &"yes").await
                }
                Err(RunError::NotAsked { .. }) => graph.resume(&t).await,
                Err(RunError::Store(_)) => {
                    graph = sound.clone();
                    match graph.resume(&t).await {
                        Err(RunError::Store(_)) => graph.run(empty()).thread(t.clone()).await,
                        other => other,
                    }
                }
                Err(error) => panic!("{fault:?} {error}"),
            };
        };
        assert_eq!(end.state.log(), ["a", "p", "q=yes", "r", "z"], "{name} {fault:?}");
        assert_eq!(graph.state(&t, None).await.unwrap().state, end.state);
    }
}

// F70: what is inside can be drawn, and counts for the digest
#[test]
fn the_shape_of_a_graph_has_the_shapes_inside() {
    let inner = |names: &[&'static str], edges: &[&str]| saying(names, edges).compile().unwrap();
    let one = around(inner(&["x"], &["START x", "x END"]), (), says_context);
    let two = around(inner(&["y"], &["START y", "y END"]), (), says_context);
    let node = one.topology().nodes.iter().find(|node| node.name == "inner").unwrap();
    assert_eq!(node.inner.as_ref().unwrap().nodes[0].name, "x");
    assert_ne!(one.digest(), two.digest());
}

#[test]
fn a_sub_graph_kept_per_thread_cannot_take_items() {
    let inner = saying(&["x"], &["START x", "x END"]).compile().unwrap();
    let inside = Subgraph::shared(&inner).persistence(Persistence::PerThread);
    let graph = Builder::<()>::new("o").node("inner", inside).edge("inner", END);
    let defects = graph.fan_out(START, |_: &Trail| [1, 2], "inner").defects();
    assert_eq!(defects.len(), 1);
    assert!(defects[0].kind.to_string().contains("takes no items"));
}

async fn fails(_: &Trail) -> NodeResult<TrailUpdate> {
    Err(NodeError::msg("no").with_hint("do something else"))
}

#[tokio::test]
async fn the_hint_of_an_error_inside_reaches_the_user() {
    let inner = wired(Builder::<()>::new("inner").node("x", fails), &["START x", "x END"]).compile().unwrap();
    let error = around(inner, (), says_context).run(empty()).await.unwrap_err();
    assert_eq!(error.hint().unwrap(), "do something else");
}
