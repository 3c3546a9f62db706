//! `--json` as a contract: real streams of several graphs against `docs/events.schema.json`, ids, tokens of models, and readers that are
//! slow or go away.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use super::kit::{Place, done};
use stategraph_testing::fake_server::{FakeServer, Play};

const SCHEMA: &str = include_str!("../../../docs/events.schema.json");
const PAGE: &str = include_str!("../../../docs/events.md");

/// A sub-graph that asks, a `map`, a cache, a handler after a retry, and a model.
const WHOLE: &str = r#"name: whole
state:
  words: { type: list, default: [one, two] }
  lines: list
  body: string?
  said: string
  n: { type: integer, default: 0 }
  ok: boolean
nodes:
  each: { map: { over: state.words, as: word, do: { template: "{{ word | title }}" } }, to: lines }
  kept: { set: { n: "5" }, cache: { ttl: 1h, by: "'always'" } }
  fetch:
    http: { url: "http://127.0.0.1:1/" }
    to: { body: result.body }
    retry: { attempts: 2, first_wait: 1ms }
    error_handler: { set: { body: "'none'" } }
  say: { model: { name: local/model, prompt: Hello }, to: said }
  inside: { subgraph: { file: inner.yaml }, to: { ok: result.ok } }
edges:
  - { from: START, to: each }
  - { from: each, to: kept }
  - { from: kept, to: fetch }
  - { from: fetch, to: say }
  - { from: say, to: inside }
  - { from: inside, to: END }
"#;

const INNER: &str = r#"name: inner
state: { ok: boolean }
outputs: [ok]
nodes:
  first: { set: { ok: "false" } }
  ask: { interrupt: { question: Go on?, answer: { type: boolean } }, to: ok }
edges:
  - { from: START, to: first }
  - { from: first, to: ask }
  - { from: ask, to: END }
"#;

/// A map of HTTP requests whose items fail, which are retried one by one.
const FAILING: &str = r#"name: failing
state: { found: list }
nodes:
  each:
    map: { over: "[1, 2]", do: { http: { url: "http://127.0.0.1:1/" } } }
    to: found
    retry: { attempts: 2, first_wait: 1ms }
edges:
  - { from: START, to: each }
  - { from: each, to: END }
"#;

/// A long loop: four events for each superstep.
const LOOP: &str = "name: loop
state: { n: { type: integer, default: 0 } }
nodes:
  step: { set: { n: state.n + 1 } }
edges:
  - { from: START, to: step }
  - { from: step, when: state.n < 2600, to: step }
  - { from: step, else: END }
";

/// The events that runs printed, each checked against the schema.
struct Streams {
    validator: jsonschema::Validator,
    events: Vec<Value>,
}

impl Streams {
    fn new() -> Self {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        Self { validator: jsonschema::validator_for(&schema).unwrap(), events: Vec::new() }
    }

    /// Adds the events of a run, and returns them.
    #[track_caller]
    fn add(&mut self, out: &str) -> Vec<Value> {
        let events: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for event in &events {
            assert!(self.validator.is_valid(event), "{event} does not fit docs/events.schema.json");
        }
        assert!(events.is_sorted_by_key(|event| event["seq"].as_u64()), "{out}");
        let ends = [&events[0]["event"], &events[events.len() - 1]["event"]];
        assert_eq!(ends, ["run_started", "run_finished"]);
        self.events.extend(events.iter().cloned());
        events
    }

    fn kinds(&self) -> BTreeSet<&str> {
        self.events.iter().filter_map(|event| event["event"].as_str()).collect()
    }
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

/// Returns the kinds of the schema with their fields.
fn kinds_of_schema() -> Vec<(String, Vec<String>)> {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let definitions = schema["$defs"].as_object().unwrap();
    let kinds = definitions.iter().filter_map(|(name, kind)| {
        let fields = kind["properties"].as_object()?.keys().cloned().collect();
        Some((name.strip_prefix("event_")?.to_owned(), fields))
    });
    kinds.collect()
}

async fn whole() -> (Place, FakeServer) {
    let server = FakeServer::answering(|_, _| Play::streams(&["Hello", " there"])).await;
    let place = Place::new();
    place.configure(&server.base_url());
    place.write("whole.yaml", WHOLE);
    place.write("inner.yaml", INNER);
    place.write("failing.yaml", FAILING);
    (place, server)
}

const RUN: [&str; 9] =
    ["run", "whole.yaml", "--thread", "t", "--json", "--trust", "--allow-http", "127.0.0.1", "--restart"];

// F61, F64-F69
#[tokio::test]
async fn every_event_of_real_runs_fits_the_schema_and_every_kind_is_among_them() {
    let (place, _server) = whole().await;
    let mut streams = Streams::new();
    let asked = done(place.graph(RUN)).await.exits(3);
    let events = streams.add(&asked.out);
    let question = of_kind(&events, "asked");
    assert_eq!(question.len(), 1, "a question inside is asked once: {question:?}");
    assert_eq!(question[0].get("namespace"), None);
    // Over again: the question is dropped, and a result comes from the cache.
    let again = done(place.graph(RUN)).await.exits(3);
    let events = streams.add(&again.out);
    assert_eq!(of_kind(&events, "question_dropped")[0]["question"], question[0]["question"]);
    let id = of_kind(&events, "asked")[0]["question"].as_str().unwrap().to_owned();
    let answer = format!("{id}=true");
    let resume = ["resume", "t", "--json", "--trust", "--allow-http", "127.0.0.1"];
    let paused = done(place.graph([&resume[..], &["--break-before", "inside"]].concat())).await.exits(3);
    streams.add(&paused.out);
    let ended = done(place.graph([&resume[..], &["--answer", &answer]].concat())).await.exits(0);
    streams.add(&ended.out);
    let failing = ["run", "failing.yaml", "--json", "--allow-http", "127.0.0.1"];
    let failed = streams.add(&done(place.graph(failing)).await.exits(2).out);
    assert_eq!(failed.last().unwrap()["error"]["kind"], "node");
    assert!(of_kind(&failed, "task_retried").iter().all(|event| event["part"].is_string()), "{failed:?}");
    let mut expected = kinds_of_schema();
    expected.retain(|(kind, _)| kind != "values");
    let expected: BTreeSet<&str> = expected.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(streams.kinds(), expected);
}

#[tokio::test]
async fn the_page_names_every_kind_and_field_of_the_schema() {
    let validator = Streams::new().validator;
    for (kind, fields) in kinds_of_schema() {
        let row = PAGE.lines().find(|line| line.starts_with(&format!("| `{kind}` |"))).unwrap_or_default();
        assert!(!row.is_empty(), "no row for {kind}");
        for field in fields {
            let is_common = ["seq", "thread", "namespace", "step", "event"].contains(&field.as_str());
            let about = format!("| `{field}` |");
            assert!(PAGE.contains(&about), "docs/events.md does not explain {field}");
            assert!(is_common || row.contains(&format!("`{field}`")), "{kind} lacks {field}");
        }
    }
    let examples = PAGE.lines().filter(|line| line.starts_with("{\""));
    let events: Vec<Value> = examples.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.len() > 3, "{events:?}");
    for event in events {
        assert!(validator.is_valid(&event), "{event}");
        let unknown = json!({ "colour": "red" });
        let mut other = event.clone();
        other.as_object_mut().unwrap().extend(unknown.as_object().unwrap().clone());
        assert!(!validator.is_valid(&other), "the schema is strict: {other}");
    }
}

// F61, F66
#[tokio::test]
async fn the_ids_of_a_stream_are_those_that_commands_take() {
    let (place, _server) = whole().await;
    let told = done(place.graph(RUN)).await.exits(3);
    let events = Streams::new().add(&told.out);
    let printed: Vec<&str> =
        of_kind(&events, "checkpoint").iter().map(|event| event["checkpoint"].as_str().unwrap()).collect();
    let history = done(place.graph(["history", "t", "--json"])).await.exits(0).out;
    let rows: Vec<Value> = history.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stored: Vec<&str> = rows.iter().rev().map(|row| row["checkpoint"].as_str().unwrap()).collect();
    assert_eq!(printed, stored);
    let inside = of_kind(&events, "inner_checkpoint");
    assert_eq!(inside.len(), 2);
    assert!(inside.iter().all(|event| event["namespace"] == "inside:5.0:graph"), "{inside:?}");
    let next: Vec<&Value> = inside.iter().map(|event| &event["next"][0]).collect();
    assert_eq!(next, ["first", "ask"]);
    let question = of_kind(&events, "asked")[0]["question"].as_str().unwrap();
    let state = done(place.graph(["state", "t", "--json"])).await.exits(0).out;
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["questions"][0]["id"], question);
}

#[tokio::test]
async fn the_tokens_of_each_answer_are_told_once() {
    let (place, server) = whole().await;
    let told = done(place.graph(RUN)).await.exits(3);
    let usage = |out: &str| -> Vec<Value> {
        let events = Streams::new().add(out);
        let custom = of_kind(&events, "custom").into_iter().filter(|event| event["name"] == "usage");
        custom.map(|event| event["data"].clone()).collect()
    };
    let first = usage(&told.out);
    assert_eq!(first.len(), 1, "{first:?}");
    assert_eq!(first[0]["model"], "local/model");
    assert!(first[0]["prompt_tokens"].as_u64() > Some(0) && first[0]["completion_tokens"].as_u64() > Some(0));
    assert_eq!(server.requests().len(), 1);
    let resumed = done(place.graph(["resume", "t", "--json", "--trust", "--answer", "true"])).await.exits(0);
    assert_eq!(usage(&resumed.out), [Value::Null; 0], "nothing is asked again");
    assert!(!told.err.contains("usage"), "it is no line of progress: {}", told.err);
}

#[tokio::test]
async fn a_reader_gets_ten_thousand_events_and_one_that_goes_away_loses_no_run() {
    let place = Place::new();
    place.write("loop.yaml", LOOP);
    let run = |thread| {
        let mut command =
            place.graph(["run", "loop.yaml", "--json", "-q", "--durability", "async", "--thread", thread]);
        command.kill_on_drop(true);
        command
    };
    let whole = done(run("read")).await.exits(0);
    let events = Streams::new().add(&whole.out);
    assert!(events.len() > 10_000, "{}", events.len());
    let numbers: Vec<u64> =
        of_kind(&events, "task_finished").iter().map(|event| event["step"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=2600).collect::<Vec<u64>>());
    // The reader takes one line and closes the pipe, which holds a small part of the events.
    let mut child = run("left").spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains("run_started"));
    drop(lines);
    let ended: super::kit::Done = child.wait_with_output().await.unwrap().into();
    ended.exits(0);
    let state = done(place.graph(["state", "left", "--json"])).await.exits(0).out;
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!((&state["state"]["n"], &state["next"]), (&json!(2600), &json!([])));
}
