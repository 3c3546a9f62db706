//! What can be watched while a graph runs, event by event. ENG-5, parity F63-F69, clauses 55, 56.

use std::time::Duration;

use futures_util::StreamExt;
use stategraph_core::{
    CheckpointId, Command, Cx, Event, EventKind, EventKinds, NodePolicy, NodeResult, Outcome, QuestionId,
    RetryPolicy, RunError, Seq, Source, State, Status, StoreError,
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
    let (events, outcome) =
        played(talking().run(empty()).thread(thread("t")).stream(EventKinds::ALL).await.unwrap()).await;
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

// F63, F64, F65, F66, F68, F69: a kind is what was asked for and nothing else; numbers count what was not asked for too
#[tokio::test]
async fn each_kind_is_given_out_alone() {
    let all =
        played(talking().run(empty()).thread(thread("t")).stream(EventKinds::ALL).await.unwrap()).await.0;
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
        let some = played(talking().run(empty()).thread(thread("t")).stream(kind).await.unwrap()).await.0;
        let expected: Vec<_> = all
            .iter()
            .filter(|event| event.kind.group() == EventKinds::RUN || kind.contains(event.kind.group()))
            .map(line)
            .collect();
        assert_eq!(lines(&some), expected);
    }
    let messages = played(talking().run(empty()).stream(EventKinds::MESSAGES).await.unwrap()).await.0;
    assert_eq!(lines(&messages)[1..3], ["1 message a hel", "1 message a lo"]);
}

// What ports get wrong: "a stream mode that runs every node twice"
#[tokio::test]
async fn watching_changes_neither_what_runs_nor_what_comes_out() {
    let calls = Calls::default();
    let graph = wired(Builder::<Calls>::new("w").node("a", say), &["START a", "a END"]);
    let graph = graph.compile_with(calls.clone()).unwrap();
    let (_, outcome) = played(graph.run(empty()).stream(EventKinds::ALL).await.unwrap()).await;
    assert_eq!((outcome.unwrap().state.log(), calls.of("a")), (vec!["a"], 1));
}

#[tokio::test]
async fn the_events_of_a_failure_and_of_a_question_name_task_and_step() {
    let builder = Builder::new("f").node("a", say).node("b", ask).node("c", fail_once);
    let graph = compiled(builder, &["START a", "a b", "a c", "b END", "c END"]);
    let t = thread("t");
    let (events, outcome) =
        played(graph.run(empty()).thread(t.clone()).stream(EventKinds::TASKS).await.unwrap()).await;
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
            "2 run failed"
        ]
    );
    let (events, outcome) = played(graph.resume(&t).stream(EventKinds::TASKS).await.unwrap()).await;
    assert!(matches!(outcome.unwrap().status, Status::Waiting(_)));
    assert_eq!(
        lines(&events),
        [
            "1 run started f",
            "2 started c 2.1 #1",
            "2 finished c 2.1",
            "2 asked 2.0.0 \"b?\"",
            "2 run waiting"
        ]
    );
    let answered =
        graph.resume(&t).answer("2.0.0".parse().unwrap(), &"y").stream(EventKinds::VALUES).await.unwrap();
    assert_eq!(
        lines(&played(answered).await.0),
        ["1 run started f", "1 values [\"a\"]", "2 values [\"a\", \"b=y\", \"c\"]", "2 run done"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_retry_says_why_and_how_long_it_waits() {
    let policy = NodePolicy::new().retry(RetryPolicy::attempts(2).first_wait(Duration::from_secs(4)));
    let graph = compiled(Builder::new("r").node_with("c", policy, fail_once), &["START c", "c END"]);
    let events = played(graph.run(empty()).stream(EventKinds::TASKS).await.unwrap()).await.0;
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

// F68, clause 56
#[tokio::test(start_paused = true)]
async fn what_a_node_says_arrives_while_it_runs() {
    let graph = compiled(Builder::new("s").node("a", talks_slowly), &["START a", "a END"]);
    let mut run = graph.run(empty()).stream(EventKinds::CUSTOM).await.unwrap();
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
        let events = played(graph.run(empty()).stream(EventKinds::ALL).await.unwrap()).await.0;
        let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
        let rising: Vec<u64> = (1..=numbers.len() as u64).collect();
        assert_eq!(numbers, rising);
    }
}

async fn plans(_: &Trail) -> Command<Trail> {
    Command::update(Trail::update().log("plans")).dispatch("work", 3_i64).dispatch("work", 1_i64)
}

async fn works(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    Ok(Trail::update().sum(*cx.item::<i64>()?))
}

/// Two items, then a failure beside a question.
fn eventful() -> Graph<Calls> {
    let builder = Builder::new("eventful").node("plans", plans).node("work", works);
    let builder = builder.takes::<i64>("work").dispatches("plans", ["work"]);
    let builder = builder.node("check", ask).node("note", fail_once);
    compiled(builder, &["START plans", "work check", "work note", "check END", "note END"])
}

/// The lines of `--json` and of the server.
fn json_lines(events: &[Event]) -> String {
    events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
}

// Clause 55, F63, F64, F65, F66, F67: all that is told of a run, byte for byte; ids are positions, and times are not told
#[tokio::test]
async fn the_events_of_a_graph_are_what_they_were() {
    let (graph, t) = (eventful(), thread("t"));
    let failed = played(graph.run(empty()).thread(t.clone()).stream(EventKinds::ALL).await.unwrap()).await;
    assert!(failed.1.is_err());
    let waits = played(graph.resume(&t).stream(EventKinds::ALL).await.unwrap()).await;
    let question = waits.1.unwrap().status.questions()[0].id;
    let done = played(graph.resume(&t).answer(question, &"yes").stream(EventKinds::ALL).await.unwrap()).await;
    assert_eq!(done.1.unwrap().state.log(), ["plans", "check=yes", "note"]);
    let told = [failed.0, waits.0, done.0].map(|events| json_lines(&events)).join("\n");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/events.jsonl");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(&path).unwrap(), "UPDATE=1 writes it anew");
}

// F65, F67: what `debug` adds is tasks and checkpoints at once; a task is the same in all its events
#[tokio::test]
async fn the_events_of_a_task_say_which_task() {
    let kinds = EventKinds::TASKS | EventKinds::UPDATES | EventKinds::CHECKPOINTS;
    let (events, _) = played(eventful().run(empty()).thread(thread("t")).stream(kinds).await.unwrap()).await;
    let (mut items, mut ends, mut parents) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        match event.kind {
            EventKind::TaskStarted { task, item: Some(item), .. } => items.push(format!("{task} {item}")),
            EventKind::Updates { node, task, update, .. } if node == "work" => {
                ends.push(format!("{task} {}", update.unwrap()));
            }
            EventKind::Asked { task, .. } => ends.push(format!("{task} asked")),
            EventKind::TaskFailed { task, error, attempts, .. } => {
                ends.push(format!("{task} {error} #{attempts}"));
            }
            EventKind::Checkpoint { checkpoint, parent, source, .. } => {
                parents.push((checkpoint.seq.0, parent.map(|parent| parent.seq.0), source));
            }
            _ => {}
        }
    }
    assert_eq!(items, ["2.0 3", "2.1 1"]);
    let sums = ["2.0 {\"sum\":{\"+\":3}}", "2.1 {\"sum\":{\"+\":1}}"];
    assert_eq!(ends, [sums[0], sums[1], "3.0 asked", "3.1 not yet #1"]);
    assert_eq!(parents, [(1, None, Source::Input), (2, Some(1), Source::Loop), (3, Some(2), Source::Loop)]);
}

/// Finishes the later, the earlier its name.
async fn takes_its_time(_: &Trail, cx: &Cx<Calls>) -> TrailUpdate {
    let place = u64::from(cx.node().as_bytes()[0] - b'a');
    tokio::time::sleep(Duration::from_secs(9 - place)).await;
    Trail::update().log(cx.node())
}

// F64: `updates` come as tasks finish, one a task, and the state is folded by name all the same
#[tokio::test(start_paused = true)]
async fn updates_come_in_the_order_in_which_tasks_finish() {
    let builder = Builder::new("u").node("a", takes_its_time).node("b", takes_its_time).node("c", silent);
    let graph = compiled(builder, &["START a", "START b", "START c", "a END", "b END", "c END"]);
    let (events, outcome) = played(graph.run(empty()).stream(EventKinds::UPDATES).await.unwrap()).await;
    assert_eq!(
        lines(&events)[1..4],
        ["1 updates c null", "1 updates b {\"log\":{\"+\":\"b\"}}", "1 updates a {\"log\":{\"+\":\"a\"}}"]
    );
    assert_eq!(outcome.unwrap().state.log(), ["a", "b"]);
}

// F68: a piece says which message it belongs to and where
#[tokio::test]
async fn the_pieces_of_a_message_say_where_they_belong() {
    let (events, _) =
        played(talking().run(empty()).thread(thread("t")).stream(EventKinds::MESSAGES).await.unwrap()).await;
    let pieces = [(5, 0, "hel"), (6, 3, "lo")].map(|(seq, at, text)| {
        format!(
            r#"{{"seq":{seq},"thread":"t","step":1,"event":"message","node":"a","task":"1.0","message":"1.0/1/greeting","at":{at},"text":"{text}"}}"#
        ) + "\n"
    });
    assert_eq!(json_lines(&events[1..3]), pieces.concat());
}

// A service answers 404 or 409 before it sends the first event
#[tokio::test]
async fn what_keeps_a_run_from_starting_is_an_error_before_the_stream() {
    let graph = compiled(Builder::new("s").node("s", say).node("w", ask), &["START s", "s w", "w END"]);
    let t = thread("t");
    let unknown = graph.resume(&t).stream(EventKinds::ALL).await.err().unwrap();
    assert!(matches!(&unknown, RunError::Store(StoreError::NoThread { .. })), "{unknown}");
    assert!(unknown.is_not_found() && !unknown.is_conflict());
    let asked = graph.run(empty()).thread(t.clone()).await.unwrap().status.questions()[0].id;
    let closed: QuestionId = "2.0.7".parse().unwrap();
    let closed = graph.resume(&t).answer(closed, "yes").stream(EventKinds::ALL).await.err().unwrap();
    assert!(matches!(&closed, RunError::NotAsked { .. }) && closed.is_not_found(), "{closed}");
    let twice = graph.resume(&t).answer(asked, "yes").answer(asked, "no");
    let twice = twice.stream(EventKinds::ALL).await.err().unwrap();
    assert!(matches!(&twice, RunError::AnsweredTwice { .. }) && twice.is_conflict(), "{twice}");
    let gone = CheckpointId { thread: t.clone(), seq: Seq(9) };
    assert!(graph.resume_at(&gone).stream(EventKinds::ALL).await.err().unwrap().is_not_found());
    let held = graph.resume(&t).stream(EventKinds::ALL).await.unwrap();
    let busy = graph.resume(&t).stream(EventKinds::ALL).await.err().unwrap();
    assert!(matches!(&busy, RunError::Store(StoreError::Busy { .. })) && busy.is_conflict(), "{busy}");
    drop(held);
    let (_, end) = played(graph.resume(&t).answer(asked, "yes").stream(EventKinds::ALL).await.unwrap()).await;
    assert!(matches!(end.unwrap().status, Status::Done));
}

async fn speaks_in_text(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.emit("progress", "half")?;
    // More than a buffered number holds.
    cx.emit("much", &u128::MAX)?;
    let answer: String = cx.interrupt("which?").await?;
    Ok(Trail::update().log(answer))
}

#[tokio::test]
async fn events_and_outcomes_are_read_back_as_they_were_written() {
    let builder = Builder::new("both").node("ask", speaks_in_text).node("flaky", fail_once);
    let retry = NodePolicy::new().retry(RetryPolicy::attempts(2).first_wait(Duration::ZERO));
    let builder = builder.node_with("again", retry, fail_once);
    let graph = compiled(builder, &["START ask", "START again", "ask flaky", "again END", "flaky END"]);
    let t = thread("t");
    let (mut events, waits) =
        played(graph.run(empty()).thread(t.clone()).stream(EventKinds::ALL).await.unwrap()).await;
    let waits = waits.unwrap();
    let answered = graph.resume(&t).answer(waits.status.questions()[0].id, "this");
    events.extend(played(answered.stream(EventKinds::ALL).await.unwrap()).await.0);
    let (last, done) = played(graph.resume(&t).stream(EventKinds::ALL).await.unwrap()).await;
    events.extend(last);
    for event in &events {
        let text = serde_json::to_string(event).unwrap();
        let back: Event = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
        let kind: EventKind = serde_json::from_value(serde_json::to_value(event).unwrap()).unwrap();
        assert_eq!(kind.group(), event.kind.group());
    }
    let kinds: std::collections::BTreeSet<String> = events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned())
        .collect();
    assert!(kinds.len() > 10, "{kinds:?}");
    for outcome in [waits, done.unwrap()] {
        let text = serde_json::to_string(&outcome).unwrap();
        let back: Outcome<Trail> = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
        assert_eq!((&back.state, back.checkpoint.as_ref()), (&outcome.state, outcome.checkpoint.as_ref()));
        assert_eq!(back.status.questions().len(), outcome.status.questions().len());
    }
    let paused = r#"{"paused":{"before":["a"],"after":[]}}"#;
    let status: Status = serde_json::from_str(paused).unwrap();
    assert_eq!(serde_json::to_string(&status).unwrap(), paused);
}
