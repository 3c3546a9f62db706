//! Questions and effects belong to what they were asked and done for: keys of `once`, the texts of questions, tasks that stay planned
//! while the thread is written to from outside. Parity D7, D6, F47.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use stategraph_core::{
    CompiledGraph, Cx, Durability, END, Event, EventKind, EventKinds, NodeError, NodeResult, RepeatedKey,
    Retryable, RunError, START, Seq, State, StateGraph, Status, Subgraph,
};

use super::any_store::{keeps_a_question_through_an_update, paid, pays_and_asks, waiting_beside};
use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, memory, played, thread, wired,
};

const ALL: [Durability; 3] = [Durability::Sync, Durability::ASYNC, Durability::Exit];

fn one<M>(node: impl stategraph_core::IntoNode<Trail, Calls, M>) -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = wired(Builder::new("one").node("n", node), &["START n", "n END"]);
    (graph.compile_with(calls.clone()).unwrap(), calls)
}

async fn pays_twice(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let sum = paid(cx, "pay", "first").await? + paid(cx, "pay", "second").await?;
    Ok(Trail::update().sum(i64::from(sum)))
}

// D7
#[tokio::test]
async fn a_second_once_with_the_key_of_the_first_is_an_error_and_does_nothing() {
    for store in [None, Some(memory())] {
        let (graph, calls) = one(pays_twice);
        let graph = if let Some(store) = store { graph.with_store(store) } else { graph };
        let error = graph.run(empty()).await.unwrap_err();
        let RunError::Node { source, attempts: 1, .. } = &error else { panic!("{error}") };
        assert_eq!(source.downcast_ref(), Some(&RepeatedKey { key: "pay".into() }));
        assert_eq!(
            source.to_string(),
            "`once` was called twice with the key `pay` in one attempt of the task"
        );
        assert_eq!(source.retryable(), Retryable::Never);
        assert_eq!(error.hint().unwrap(), "give each piece of work a key of its own, such as `pay.2`");
        assert_eq!((calls.of("first"), calls.of("second")), (1, 0));
    }
}

async fn pays_twice_at_once(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    let work = |what: &'static str| {
        cx.once("pay", async move {
            tokio::task::yield_now().await;
            Ok::<_, NodeError>(cx.services().count(what))
        })
    };
    let (first, second) = tokio::join!(work("first"), work("second"));
    first?;
    second.map(drop)
}

#[tokio::test]
async fn a_key_cannot_be_used_while_its_work_is_under_way() {
    let (graph, calls) = one(pays_twice_at_once);
    let error = graph.run(empty()).await.unwrap_err();
    let RunError::Node { source, .. } = &error else { panic!("{error}") };
    assert!(source.downcast_ref::<RepeatedKey>().is_some());
    assert_eq!((calls.of("first"), calls.of("second")), (1, 0));
}

/// Work that fails, work that is dropped, work that is done, under one key.
async fn tries_again(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.once("k", async { Err::<u32, _>(NodeError::msg("no")) }).await.unwrap_err();
    let never = cx.once("k", std::future::pending::<NodeResult<u32>>());
    assert!(futures_util::FutureExt::now_or_never(never).is_none());
    Ok(Trail::update().sum(i64::from(paid(cx, "k", "work").await? + 7)))
}

#[tokio::test]
async fn the_key_of_work_that_came_to_nothing_may_be_used_again() {
    let (graph, _) = one(tries_again);
    assert_eq!(graph.with_store(memory()).run(empty()).await.unwrap().state.sum, 7);
}

/// What a node asks; the test changes it between runs.
#[derive(Clone)]
struct Text(Arc<Mutex<Value>>);

impl Text {
    fn new(text: Value) -> Self {
        Self(Arc::new(Mutex::new(text)))
    }

    fn now(&self) -> Value {
        self.0.lock().unwrap().clone()
    }

    fn change(&self, text: Value) {
        *self.0.lock().unwrap() = text;
    }
}

async fn asks_text(_: &Trail, cx: &Cx<Text>) -> NodeResult<TrailUpdate> {
    let answer: String = cx.interrupt(&cx.services().now()).await?;
    Ok(Trail::update().log(answer))
}

fn asking(text: &Text) -> CompiledGraph<Trail, Text> {
    let graph = StateGraph::<Trail, Text>::new("asking").node("n", asks_text).edge(START, "n").edge("n", END);
    graph.compile_with(text.clone()).unwrap()
}

fn dropped(events: &[Event]) -> Vec<Option<String>> {
    let asked = events.iter().filter_map(|event| match &event.kind {
        EventKind::Asked { dropped_answer, .. } => Some(dropped_answer.as_ref().map(ToString::to_string)),
        _ => None,
    });
    asked.collect()
}

// D6: an answer belongs to the question that was read when it was given
#[tokio::test]
async fn a_question_that_has_changed_does_not_take_the_old_answer() {
    let subgraph = |text: &Text| {
        let graph = StateGraph::<Trail, Text>::new("outer").node("sub", Subgraph::shared(&asking(text)));
        graph.edge(START, "sub").edge("sub", END).compile_with(text.clone()).unwrap()
    };
    for durability in ALL {
        for make in [asking as fn(&Text) -> _, subgraph] {
            let text = Text::new(json!("delete a?"));
            let (graph, t) = (make(&text).with_store(memory()), thread("t"));
            let waiting = graph.run(empty()).thread(t.clone()).durability(durability).await.unwrap();
            let id = asked(&waiting)[0].0.parse().unwrap();
            text.change(json!("delete everything?"));
            let run = graph
                .resume(&t)
                .durability(durability)
                .answer(id, &"yes")
                .stream(EventKinds::TASKS)
                .await
                .unwrap();
            let (events, waiting) = played(run).await;
            let waiting = waiting.unwrap();
            assert_eq!(
                asked(&waiting),
                [(id.to_string(), "\"delete everything?\"".into())],
                "{durability:?}"
            );
            assert_eq!(dropped(&events).first(), Some(&Some("\"yes\"".to_owned())));
            let questions = graph.state(&t, None).await.unwrap().questions;
            let open: Vec<&str> = questions.iter().map(|question| question.payload.get()).collect();
            assert_eq!(open, ["\"delete everything?\""]);
            // Nothing is dropped twice, and a run without an answer asks the same again.
            let (events, again) = played(graph.resume(&t).stream(EventKinds::TASKS).await.unwrap()).await;
            assert_eq!(asked(&again.unwrap()).len(), 1);
            assert!(dropped(&events).iter().all(Option::is_none));
            let end = graph.resume(&t).durability(durability).answer(id, &"no").await.unwrap();
            assert_eq!(end.state.log(), ["no"]);
        }
    }
}

#[tokio::test]
async fn the_order_of_keys_does_not_make_another_question() {
    let text = Text::new(json!({"a": 1, "b": 2}));
    let (graph, t) = (asking(&text).with_store(memory()), thread("t"));
    graph.run(empty()).thread(t.clone()).await.unwrap();
    text.change(json!({"b": 2, "a": 1}));
    let end = graph.resume(&t).answer("1.0.0".parse().unwrap(), &"yes").await.unwrap();
    assert_eq!(end.state.log(), ["yes"]);
}

// LangGraph: `update_state`, then `Command(resume=…)`
#[tokio::test]
async fn an_update_while_a_question_waits_keeps_it_and_what_its_task_has_done() {
    for durability in ALL {
        let store = memory();
        keeps_a_question_through_an_update(durability, &|| store.clone()).await;
    }
}

#[tokio::test]
async fn an_update_as_another_node_keeps_a_question_at_its_new_place_in_the_plan() {
    let (graph, calls) = waiting_beside();
    let (graph, t) = (graph.with_store(memory()), thread("t"));
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.update(&t, Trail::update().log("a by hand"), Some("a")).await.unwrap();
    graph.update(&t, Trail::update(), Some("s")).await.unwrap();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.next.join(" "), seen.questions[0].id.to_string()), ("a w".into(), "3.1.0".into()));
    let end = graph.resume(&t).answer(seen.questions[0].id, &"y").await.unwrap();
    assert!(end.state.log().contains(&"w=y0") && calls.of("w") == 1, "{:?}", end.state);
}

#[tokio::test]
async fn an_update_as_the_node_that_waits_counts_as_its_run_and_drops_the_question() {
    let (graph, _) = waiting_beside();
    let (graph, t) = (graph.with_store(memory()), thread("t"));
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.update(&t, Trail::update().log("w by hand"), Some("w")).await.unwrap();
    let seen = graph.state(&t, None).await.unwrap();
    assert_eq!((seen.next.join(" "), seen.questions.len()), ("a z".into(), 0));
}

async fn each(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let item = *cx.item::<u32>()?;
    if item == 1 {
        return Ok(Trail::update().log("1"));
    }
    let paid = paid(cx, "pay", &format!("item {item}")).await?;
    let answer: String = cx.interrupt(&format!("{item}?")).await?;
    Ok(Trail::update().log(format!("{item}={answer}{paid}")))
}

// Equal items are two tasks, and each keeps its own answer.
#[tokio::test]
async fn an_update_keeps_the_questions_of_dispatched_tasks_apart() {
    let calls = Calls::default();
    let graph = Builder::new("f").node("each", each).edge("each", END);
    let graph =
        graph.fan_out(START, |_: &Trail| vec![2_u32, 1, 2], "each").compile_with(calls.clone()).unwrap();
    let (graph, t) = (graph.with_store(memory()), thread("t"));
    graph.run(empty()).thread(t.clone()).await.unwrap();
    graph.resume(&t).answer("1.2.0".parse().unwrap(), &"last").await.unwrap();
    graph.update(&t, Trail::update().turns(1), None).await.unwrap();
    let open: Vec<String> =
        graph.state(&t, None).await.unwrap().questions.iter().map(|open| open.id.to_string()).collect();
    assert_eq!(open, ["2.0.0"]);
    let end = graph.resume(&t).answer(open[0].parse().unwrap(), &"first").await.unwrap();
    assert_eq!(end.state.log(), ["1", "2=last1", "2=first0"]);
    assert_eq!(calls.of("item 2"), 2);
}

// What is carried over is part of the checkpoint: a crash between the two would do paid work again.
#[tokio::test]
async fn what_an_update_carries_over_is_written_with_its_checkpoint() {
    let (graph, calls) = waiting_beside();
    let store = super::stores::Faulty::new(super::stores::Fault::None);
    let (graph, t) = (graph.with_store(store.shared()), thread("t"));
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let before = store.appends();
    graph.update(&t, Trail::update(), None).await.unwrap();
    assert_eq!(store.appends() - before, 1);
    assert_eq!(graph.state(&t, None).await.unwrap().checkpoint.seq, Seq(2));
    let waiting = graph.resume(&t).await.unwrap();
    assert!(matches!(waiting.status, Status::Waiting(_)) && calls.of("w") == 1);
}

#[tokio::test]
async fn a_command_from_outside_keeps_the_question_of_a_task_that_stays_planned() {
    let calls = Calls::default();
    let graph =
        wired(Builder::new("c").node("w", pays_and_asks).node("q", ask), &["START w", "w END", "q END"]);
    let graph = graph.edge(START, "q").compile_with(calls.clone()).unwrap().with_store(memory());
    let t = thread("t");
    graph.run(empty()).thread(t.clone()).await.unwrap();
    let command = stategraph_core::Command::update(Trail::update().turns(5));
    let waiting = graph.command(&t, command).await.unwrap();
    assert_eq!(asked(&waiting).len(), 2);
    let (q, w) = (asked(&waiting)[0].0.parse().unwrap(), asked(&waiting)[1].0.parse().unwrap());
    let end = graph.resume(&t).answer(q, &"1").answer(w, &"2").await.unwrap();
    assert_eq!((end.state.log().join(" "), calls.of("w"), calls.of("q")), ("q=1 w=20".into(), 1, 2));
}
