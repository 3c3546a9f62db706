//! What can be watched while a graph runs, event by event. ENG-5, parity F63-F69, clauses 55, 56.

use std::time::Duration;

use futures_util::StreamExt;
use stategraph::engine::{
    Cx, Event, EventKind, EventKinds, NodePolicy, NodeResult, RetryPolicy, State, Status,
};

use super::kit::{
    Builder, Calls, Graph, Trail, TrailUpdate, ask, empty, fail_once, line, memory, played, say, thread,
    wired,
};

fn lines(events: &[Event]) -> Vec<String> {
    events.iter().map(line).collect()
}

fn compiled(graph: Builder<Calls>, edges: &[&str]) -> Graph<Calls> {
    wired(graph, edges).compile_with(Calls::default()).unwrap().with_store(memory())
}

async fn silent(_: &Trail) {}

async fn talks(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.emit("progress", &1)?;
    if cx.wants_messages() {
        let message = cx.message("greeting");
        ["hel", "", "lo"].iter().for_each(|piece| message.push(piece));
    }
    Ok(Trail::update().log("talks"))
}

fn talking() -> Graph<Calls> {
    compiled(Builder::new("talk").node("a", talks).node("b", silent), &["START a", "a b", "b END"])
}

// Clause 55
#[tokio::test]
async fn a_subscriber_to_everything_sees_every_step_in_order() {
    let (events, outcome) = played(talking().run(empty()).thread(thread("t")).stream(EventKinds::ALL)).await;
    assert_eq!(
        lines(&events),
        [
            "0 run started talk",
            "0 values []",
            "0 checkpoint t@1 [\"a\"]",
            "1 started a 1.0 #1",
            "1 custom a progress 1",
            "1 message a hel",
            "1 message a lo",
            "1 finished a 1.0",
            "1 updates a {\"log\":{\"+\":\"talks\"}}",
            "1 values [\"talks\"]",
            "1 checkpoint t@2 [\"b\"]",
            "2 started b 2.0 #1",
            "2 finished b 2.0",
            "2 updates b null",
            "2 values [\"talks\"]",
            "2 checkpoint t@3 []",
            "2 run done",
        ]
    );
    assert!(matches!(outcome.unwrap().status, Status::Done));
    assert!(events.iter().all(|event| event.thread == Some(thread("t"))));
}

// F63-F68: a kind is what was asked for and nothing else; numbers count what was not asked for too
#[tokio::test]
async fn each_kind_is_given_out_alone() {
    let all = played(talking().run(empty()).thread(thread("t")).stream(EventKinds::ALL)).await.0;
    let kinds = [
        EventKinds::RUN,
        EventKinds::VALUES,
        EventKinds::UPDATES,
        EventKinds::TASKS,
        EventKinds::CHECKPOINTS,
        EventKinds::CUSTOM,
        EventKinds::VALUES | EventKinds::TASKS,
    ];
    for kind in kinds {
        let some = played(talking().run(empty()).thread(thread("t")).stream(kind)).await.0;
        let expected: Vec<_> = all
            .iter()
            .filter(|event| event.kind.group() == EventKinds::RUN || kind.contains(event.kind.group()))
            .map(line)
            .collect();
        assert_eq!(lines(&some), expected);
    }
    let messages = played(talking().run(empty()).stream(EventKinds::MESSAGES)).await.0;
    assert_eq!(lines(&messages)[1..3], ["1 message a hel", "1 message a lo"]);
}

// What ports get wrong: "a stream mode that runs every node twice"
#[tokio::test]
async fn watching_changes_neither_what_runs_nor_what_comes_out() {
    let calls = Calls::default();
    let graph = wired(Builder::<Calls>::new("w").node("a", say), &["START a", "a END"]);
    let graph = graph.compile_with(calls.clone()).unwrap();
    let (_, outcome) = played(graph.run(empty()).stream(EventKinds::ALL)).await;
    assert_eq!((outcome.unwrap().state.log(), calls.of("a")), (vec!["a"], 1));
}

#[tokio::test]
async fn the_events_of_a_failure_and_of_a_question_name_task_and_step() {
    let builder = Builder::new("f").node("a", say).node("b", ask).node("c", fail_once);
    let graph = compiled(builder, &["START a", "a b", "a c", "b END", "c END"]);
    let t = thread("t");
    let (events, outcome) = played(graph.run(empty()).thread(t.clone()).stream(EventKinds::TASKS)).await;
    assert!(outcome.is_err());
    let mut shown = lines(&events);
    shown[3..5].sort();
    assert_eq!(
        shown[3..],
        [
            "2 started b 2.0 #1",
            "2 started c 2.1 #1",
            "2 asked 2.0.0 \"b?\"",
            "2 failed c: not yet",
            "1 run failed"
        ]
    );
    let (events, outcome) = played(graph.resume(&t).stream(EventKinds::TASKS)).await;
    assert!(matches!(outcome.unwrap().status, Status::Waiting(_)));
    assert_eq!(
        lines(&events),
        [
            "1 run started f",
            "2 started c 2.1 #1",
            "2 finished c 2.1",
            "2 asked 2.0.0 \"b?\"",
            "1 run waiting"
        ]
    );
    let answered = graph.resume(&t).answer("2.0.0".parse().unwrap(), &"y").stream(EventKinds::VALUES);
    assert_eq!(
        lines(&played(answered).await.0),
        ["1 run started f", "1 values [\"a\"]", "2 values [\"a\", \"b=y\", \"c\"]", "2 run done"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_says_why_and_how_long_it_waits() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2).first_wait(Duration::from_secs(4)));
    let graph = compiled(Builder::new("r").node_with("c", policy, fail_once), &["START c", "c END"]);
    let events = played(graph.run(empty()).stream(EventKinds::TASKS)).await.0;
    assert_eq!(
        lines(&events)[1..],
        [
            "1 started c 1.0 #1",
            "1 retried c #1: not yet",
            "1 started c 1.0 #2",
            "1 finished c 1.0",
            "1 run done"
        ]
    );
    let EventKind::TaskRetried { wait_ms, .. } = events[2].kind else { panic!("{:?}", events[2]) };
    assert!((4_000..=5_000).contains(&wait_ms), "{wait_ms}");
}

async fn talks_slowly(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    for number in 0..2 {
        cx.emit("n", &number)?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

// Clause 56
#[tokio::test(start_paused = true)]
async fn what_a_node_says_arrives_while_it_runs() {
    let graph = compiled(Builder::new("s").node("a", talks_slowly), &["START a", "a END"]);
    let mut run = graph.run(empty()).stream(EventKinds::CUSTOM);
    let start = tokio::time::Instant::now();
    let mut times = Vec::new();
    while run.next().await.is_some() {
        times.push(start.elapsed().as_secs());
    }
    assert_eq!(times, [0, 0, 1, 2]);
}

async fn chatters(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    for number in 0..200 {
        cx.emit("n", &number)?;
        if number % 16 == 0 {
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_rise_by_one_also_when_tasks_speak_on_several_threads() {
    let graph = ["a", "b", "c", "d"].into_iter().fold(Builder::<Calls>::new("c"), |graph, name| {
        graph.node(name, chatters).edge("START", name).edge(name, "END")
    });
    let graph = graph.compile_with(Calls::default()).unwrap();
    for _ in 0..5 {
        let events = played(graph.run(empty()).stream(EventKinds::ALL)).await.0;
        let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
        let rising: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, rising);
    }
}

// The lines of `--json` and of the server
#[tokio::test]
async fn an_event_is_a_flat_json_object() {
    let events = played(talking().run(empty()).thread(thread("t")).stream(EventKinds::ALL)).await.0;
    let json: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    assert_eq!(json[0], r#"{"seq":1,"thread":"t","step":0,"event":"run_started","graph":"talk"}"#);
    assert_eq!(
        json[2],
        r#"{"seq":3,"thread":"t","step":0,"event":"checkpoint","checkpoint":"t@1","next":["a"]}"#
    );
    assert_eq!(
        json[3],
        r#"{"seq":4,"thread":"t","step":1,"event":"task_started","node":"a","task":"1.0","attempt":1}"#
    );
    assert_eq!(
        json.last().unwrap(),
        r#"{"seq":17,"thread":"t","step":2,"event":"run_finished","status":"done"}"#
    );
}

#[tokio::test]
async fn a_run_that_cannot_start_gives_no_event_and_its_error() {
    let (events, outcome) = played(talking().resume(&thread("nobody")).stream(EventKinds::ALL)).await;
    assert!(events.is_empty() && outcome.is_err());
}
