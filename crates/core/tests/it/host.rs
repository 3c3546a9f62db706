//! A graph of any state, run in JSON: the same loop, the same errors. ENG-5, ENG-6.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use stategraph_core::{
    Durability, EventKinds, HistoryQuery, HostRequest, HostStart, Outcome, Retention, RunError, Seq,
    SharedHost, Status, Stop,
};

use super::kit::{Builder, Calls, ask, fail_once, line, memory, played, say, thread, wired};

fn host() -> SharedHost {
    let builder = Builder::<Calls>::new("host").node("a", say).node("b", ask).node("c", fail_once);
    let graph = wired(builder, &["START a", "a b", "b c", "c END"]);
    Arc::new(graph.compile_with(Calls::default()).unwrap().with_store(memory()))
}

fn input(log: &Value) -> HostStart {
    let state = json!({ "log": log, "sum": 0, "last": "", "turns": 0, "seen": [] });
    HostStart::Input { state, thread: Some(thread("t")) }
}

async fn run(host: &SharedHost, request: HostRequest) -> Result<Outcome<Box<RawValue>>, RunError> {
    let mut run = host.stream(request).await?;
    while futures_util::StreamExt::next(&mut run).await.is_some() {}
    run.outcome().expect("the stream has ended")
}

fn log(outcome: &Outcome<Box<RawValue>>) -> Value {
    serde_json::from_str::<Value>(outcome.state.get()).unwrap()["log"].clone()
}

fn resume(at: Option<u64>) -> HostRequest {
    HostRequest::new(HostStart::Resume { thread: thread("t"), at: at.map(Seq) })
}

#[tokio::test]
async fn a_graph_runs_waits_fails_and_goes_on_in_json() {
    let host = host();
    let waiting = run(&host, HostRequest::new(input(&json!(["in"])))).await.unwrap();
    let question = waiting.status.questions()[0].id;
    assert_eq!((log(&waiting), question.to_string()), (json!(["in", "a"]), "2.0.0".into()));
    let answered = resume(None).answer(question, json!("yes"));
    assert_eq!(run(&host, answered).await.unwrap_err().to_string(), "node `c` failed in step 3");
    let done = run(&host, resume(None)).await.unwrap();
    assert!(matches!(done.status, Status::Done));
    assert_eq!(log(&done), json!(["in", "a", "b=yes", "c"]));
}

#[tokio::test]
async fn threads_are_looked_at_and_changed_in_json() {
    let host = host();
    let t = thread("t");
    run(&host, HostRequest::new(input(&json!([])))).await.unwrap();
    assert_eq!((host.name(), host.topology().nodes.len()), ("host", 3));
    let state = serde_json::to_value(host.state(&t, None).await.unwrap()).unwrap();
    assert_eq!(
        (&state["checkpoint"], &state["next"], &state["step"]),
        (&json!("t@2"), &json!(["b"]), &json!(1))
    );
    assert_eq!(state["questions"], json!([{ "id": "2.0.0", "node": "b", "payload": "b?" }]));
    host.update(&t, json!({ "log": { "+": "by hand" } }), Some("b")).await.unwrap();
    assert_eq!(host.history(&t, &HistoryQuery::default()).await.unwrap().len(), 3);
    assert_eq!(host.fork(&"t@1".parse().unwrap()).await.unwrap().to_string(), "t@4");
    assert_eq!(host.prune(&t, Retention::keep_last(1)).await.unwrap().checkpoints, 3);
    let over = run(&host, resume(None)).await.unwrap();
    assert_eq!(log(&over), json!(["a"]));
}

// D10
#[tokio::test]
async fn json_that_is_no_state_or_no_update_is_refused_before_anything_runs() {
    let host = host();
    let state = json!({ "log": "a" });
    let wrong = host.stream(HostRequest::new(HostStart::Input { state, thread: Some(thread("t")) }));
    let Err(error) = wrong.await else { panic!("it ran") };
    assert!(error.to_string().starts_with("the input cannot be stored: "), "{error}");
    run(&host, HostRequest::new(input(&json!([])))).await.unwrap();
    for update in [json!({ "lgo": { "+": "x" } }), json!({ "log": ["x"] }), json!(7)] {
        let error = host.update(&thread("t"), update, None).await.unwrap_err();
        assert!(matches!(error, RunError::Encoding { .. }), "{error}");
    }
    assert_eq!(host.history(&thread("t"), &HistoryQuery::default()).await.unwrap().len(), 2);
}

#[tokio::test]
async fn limits_stop_events_and_durability_are_those_asked_for() {
    let host = host();
    let events = EventKinds::CHECKPOINTS;
    let start = input(&json!([]));
    let asked = HostRequest::new(start).durability(Durability::Exit).events(events);
    let (events, outcome) = played(host.stream(asked).await.unwrap()).await;
    assert_eq!(outcome.unwrap().checkpoint.unwrap().to_string(), "t@1");
    let lines: Vec<String> = events.iter().map(line).collect();
    assert_eq!(lines, ["0 run started host", "1 checkpoint t@1 [\"b\"]", "2 run waiting"]);
    let request = HostRequest::new(input(&json!([]))).step_limit(0).max_concurrency(1);
    assert!(matches!(run(&host, request).await, Err(RunError::StepLimit { limit: 0, .. })));
    let stop = Stop::new();
    stop.cancel();
    let request = resume(Some(1)).stop(&stop);
    assert!(matches!(run(&host, request).await, Err(RunError::Cancelled { .. })));
}
