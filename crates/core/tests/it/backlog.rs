//! Streams whose reader is slow: bounded memory, and a run that loses nothing but pieces of texts and emitted events. Ids of events of
//! graphs inside tasks.

use futures_util::StreamExt;
use stategraph_core::{
    Cx, END, Event, EventKind, EventKinds, NodeResult, QuestionId, RunStream, START, State as _, Status,
    ThreadId,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, asked, empty, line, memory, played, say, thread, wired,
};

/// Sends more pieces than a subscriber may leave waiting.
async fn floods(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let message = cx.message("flood");
    (0..50_000).for_each(|_| message.push("x"));
    cx.services().count("flooded");
    Trail::update().log(cx.node())
}

/// Emits 64 MiB.
async fn emits(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    let page = "x".repeat(64 << 10);
    for _ in 0..1_000 {
        cx.emit("page", &page)?;
    }
    cx.services().count("flooded");
    Ok(Trail::update().log(cx.node()))
}

/// Runs two nodes that flood the stream, and reads nothing until they have finished.
async fn flooded(graph: Builder<Calls>) -> (Vec<Event>, u64) {
    let calls = Calls::default();
    let graph = graph.node("c", say);
    let graph = wired(graph, &["START a", "START b", "a+b c", "c END"]).compile_with(calls.clone()).unwrap();
    let kinds = EventKinds::MESSAGES | EventKinds::TASKS | EventKinds::CUSTOM;
    let mut run = graph.run(empty()).stream(kinds).await.unwrap();
    let mut events = Vec::new();
    let has_started = |event: &Event| matches!(event.kind, EventKind::TaskStarted { .. });
    while !events.last().is_some_and(has_started) {
        events.push(run.next().await.expect("the tasks start"));
    }
    // The tasks of a superstep go on while the stream is not polled.
    while calls.of("flooded") < 2 {
        tokio::task::yield_now().await;
    }
    while let Some(event) = run.next().await {
        events.push(event);
    }
    let dropped = run.dropped_events();
    let told = events.last().map(|event| match &event.kind {
        EventKind::RunFinished { dropped, .. } => *dropped,
        other => panic!("{other:?}"),
    });
    assert_eq!(told, Some(dropped), "the end of the stream says how many are missing");
    let finished = events.iter().filter(|event| matches!(event.kind, EventKind::TaskFinished { .. })).count();
    assert_eq!(finished, 3);
    (events, dropped)
}

#[tokio::test]
async fn a_subscriber_that_does_not_read_loses_pieces_of_texts_alone_and_is_told_how_many() {
    let (events, dropped) = flooded(Builder::new("flood").node("a", floods).node("b", floods)).await;
    let pieces = events.iter().filter(|event| matches!(event.kind, EventKind::Message { .. })).count();
    assert!((65_000..70_000).contains(&pieces), "{pieces}");
    assert_eq!(dropped, 100_000 - pieces as u64);
}

#[tokio::test]
async fn emitted_events_that_nobody_reads_take_bounded_memory() {
    let (events, dropped) = flooded(Builder::new("flood").node("a", emits).node("b", emits)).await;
    let emitted = events.iter().filter(|event| matches!(event.kind, EventKind::Custom { .. })).count();
    assert!((500..600).contains(&emitted), "32 MiB of pages of 64 KiB: {emitted}");
    assert_eq!(dropped, 2_000 - emitted as u64);
}

/// Two graphs inside tasks of one superstep, each with so many supersteps.
fn looping(calls: &Calls, turns: i64) -> Graph<Calls> {
    let turn = async |_: &Trail, cx: &Cx<Calls>| {
        cx.services().count("turns");
        Trail::update().sum(1)
    };
    let inner = Builder::<Calls>::new("inner").node("turn", turn).edge(START, "turn").branch(
        "turn",
        move |trail: &Trail| trail.sum < turns,
        [(true, "turn"), (false, END)],
    );
    let inner = inner.compile_with(calls.clone()).unwrap();
    let graph = Builder::<Calls>::new("outer").node("a", inner.clone()).node("b", inner);
    wired(graph, &["START a", "START b", "a END", "b END"]).compile_with(calls.clone()).unwrap()
}

async fn read_to_the_end(mut run: RunStream<Trail>) -> (usize, Trail) {
    let mut count = 0;
    while run.next().await.is_some() {
        count += 1;
    }
    (count, run.outcome().unwrap().unwrap().state)
}

#[tokio::test]
async fn graphs_inside_tasks_wait_for_a_reader_and_lose_no_event() {
    const TURNS: u32 = 60_000;
    let calls = Calls::default();
    let request = looping(&calls, TURNS.into()).run(empty()).step_limit(u64::from(TURNS) + 1);
    let mut run = request.stream(EventKinds::TASKS).await.unwrap();
    run.next().await.unwrap();
    run.next().await.unwrap();
    // Every yield lets both graphs execute a superstep, unless they wait for the reader.
    for _ in 0..2 * TURNS {
        tokio::task::yield_now().await;
    }
    // Two events of 512 bytes for each superstep: 32 MiB are full after 32,768 of them.
    let turns = calls.of("turns");
    assert!((30_000..34_000).contains(&turns), "{turns} supersteps while nothing was read");
    let (rest, end) = read_to_the_end(run).await;
    assert_eq!(end.sum, 2 * i64::from(TURNS));
    // Of the outermost graph: one start and one end for each node, and the end of the run; two were read above.
    assert_eq!(rest, 2 * 2 * TURNS as usize + 5 - 1);
}

#[tokio::test]
async fn a_graph_inside_a_task_does_not_wait_for_a_reader_that_is_gone() {
    let calls = Calls::default();
    let graph = looping(&calls, 40_000);
    let request = graph.run(empty()).step_limit(50_000);
    let (kinds, t) = (EventKinds::TASKS, ThreadId::random());
    let mut run = request.thread(t).stream(kinds).await.unwrap();
    run.next().await.unwrap();
    drop(run);
    let before = calls.of("turns");
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert!(calls.of("turns") <= before + 2, "a dropped run goes on with nothing");
}

/// `deep` asks inside `middle`, inside `outer`.
fn nested() -> Graph<Calls> {
    let calls = Calls::default();
    let deep = wired(Builder::<Calls>::new("deep").node("q", ask), &["START q", "q END"]);
    let deep = deep.compile_with(calls.clone()).unwrap();
    let middle = Builder::<Calls>::new("middle").node("first", say).node("deep", deep);
    let middle =
        wired(middle, &["START first", "first deep", "deep END"]).compile_with(calls.clone()).unwrap();
    let outer = Builder::<Calls>::new("outer").node("middle", middle).node("last", say);
    let outer = wired(outer, &["START middle", "middle last", "last END"]);
    outer.compile_with(calls).unwrap().with_store(memory())
}

// F61, F66: an id in an event names one checkpoint, and one question
#[tokio::test]
async fn ids_of_checkpoints_and_questions_are_those_of_the_thread_at_every_depth() {
    let (graph, t) = (nested(), thread("t"));
    let stream = graph.run(empty()).thread(t.clone()).stream(EventKinds::ALL).await.unwrap();
    let (events, outcome) = played(stream).await;
    let waiting = outcome.unwrap();
    let of_root: Vec<String> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Checkpoint { .. } | EventKind::Asked { .. }))
        .inspect(|event| assert!(event.namespace.is_root(), "{event:?}"))
        .map(line)
        .collect();
    assert_eq!(of_root, [r#"0 checkpoint t@1 ["middle"]"#, r#"1 asked 1.0.0 "q?""#]);
    let inside: Vec<String> = events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::InnerCheckpoint { .. }))
        .map(|event| format!("{} {}", event.namespace, line(event)))
        .collect();
    assert_eq!(
        inside,
        [
            r#"middle:1.0 0 inner checkpoint 1 ["first"]"#,
            r#"middle:1.0 1 inner checkpoint 2 ["deep"]"#,
            r#"middle:1.0|deep:2.0 0 inner checkpoint 1 ["q"]"#,
        ]
    );
    let Status::Waiting(questions) = &waiting.status else { panic!("{:?}", waiting.status) };
    assert_eq!(questions[0].id, "1.0.0".parse::<QuestionId>().unwrap());
    assert_eq!(asked(&waiting).len(), 1);
    let end = graph.resume(&t).answer(questions[0].id, &"yes").await.unwrap();
    assert_eq!(end.state.log(), ["first", "q=yes", "last"]);
}
