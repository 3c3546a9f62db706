//! Items of a `map` that wait, go on and fail each for itself. Parity P16, D6, D16.

use std::sync::Arc;

use futures_util::StreamExt;
use serde_json::json;
use stategraph_core::store::MemoryStore;
use stategraph_core::{CompiledGraph, EventKind, EventKinds, RunError, Status, ThreadId};
use stategraph_files::Definition;
use stategraph_files::inline::JsonState;
use stategraph_kinds::{Services, graph};
use stategraph_llm::{ModelErrorKind, Scripted};

use super::kinds::{asking, compiled, offline, one, start};

/// Asks, waits a while, and gives ten times its input.
const CHILD: &str = "name: child
inputs: { x: integer }
state: { y: integer, said: string }
outputs: [y]
nodes:
  ask: { interrupt: { question: \"{{ state.x }}?\" }, to: said }
  pause: { sleep: 1s }
  times: { set: { y: state.x * 10 } }
edges:
  - { from: START, to: ask }
  - { from: ask, to: pause }
  - { from: pause, to: times }
  - { from: times, to: END }
";

fn asking_items(text: &str) -> CompiledGraph<JsonState, Services> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("child.yaml"), CHILD).unwrap();
    let definition = Definition::parse(text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let graph = graph(&definition).unwrap_or_else(|found| panic!("{found}"));
    graph.compile_with(offline()).unwrap().with_store(Arc::new(MemoryStore::new()))
}

// Before, a question of one item ended the attempt at once, and the others stood where they were.
#[tokio::test(start_paused = true)]
async fn an_item_whose_question_is_answered_runs_on_while_others_wait() {
    for at_once in [1, 2, 3] {
        let node = format!(
            "{{ map: {{ over: state.list, at_once: {at_once}, do: {{ subgraph: {{ file: child.yaml, with: {{ x: item }} }} }} }}, \
             to: {{ out: \"result | map(attribute='y') | list\" }} }}"
        );
        let text = one("{ list: { type: list, default: [1, 2, 3] }, out: list }", &node);
        let (graph, thread) = (asking_items(&text), ThreadId::new("t").unwrap());
        let waiting = graph.run(start(&text)).thread(thread.clone()).await.unwrap();
        let Status::Waiting(questions) = waiting.status else { panic!("{at_once}") };
        assert_eq!(
            questions.iter().map(|q| q.payload.get()).collect::<Vec<_>>(),
            ["\"1?\"", "\"2?\"", "\"3?\""]
        );
        let answered = graph.resume(&thread).answer(questions[1].id, &"yes").await.unwrap();
        let Status::Waiting(left) = answered.status else { panic!("{at_once}") };
        assert_eq!(left.iter().map(|q| q.payload.get()).collect::<Vec<_>>(), ["\"1?\"", "\"3?\""]);
        let inside = graph.state(&thread, None).await.unwrap().inner;
        let next: Vec<String> = inside.iter().map(|inner| inner.next.join(" ")).collect();
        assert_eq!(next, ["ask", "", "ask"], "at once: {at_once}");
        let run = graph.resume(&thread).answer(left[1].id, &"yes").answer(left[0].id, &"yes");
        assert_eq!(run.await.unwrap().state.get("out"), Some(&json!([10, 20, 30])));
    }
}

// Before, the failure of one item counted as an attempt of the whole node, and was made again with all items that were missing.
#[tokio::test(start_paused = true)]
async fn each_item_is_tried_again_by_itself() {
    let node = "{ map: { over: state.list, at_once: 1, do: { model: { prompt: \"{{ item }}\" } } }, to: out, retry: { attempts: 2 } }";
    let text = one("{ list: { type: list, default: [a, b, c] }, out: list }", node);
    let fail = || ModelErrorKind::Unreachable { reason: "down".into() };
    // Each item fails once: three failures, with two attempts in all they would be one too many.
    let model =
        Scripted::new("test/m").fail(fail()).answer("A").fail(fail()).answer("B").fail(fail()).answer("C");
    let (services, _) = asking(model);
    let graph = compiled(&text, services);
    let mut run = graph.run(start(&text)).stream(EventKinds::TASKS).await.unwrap();
    let mut retried = Vec::new();
    while let Some(event) = run.next().await {
        if let EventKind::TaskRetried { part, attempt, .. } = event.kind {
            retried.push((part.unwrap(), attempt));
        }
    }
    assert_eq!(run.outcome().unwrap().unwrap().state.get("out"), Some(&json!(["A", "B", "C"])));
    assert_eq!(retried, ["0.", "1.", "2."].map(|part| (part.to_owned(), 1)));
}

// An item keeps what an earlier attempt of it has journaled, and may use the same keys again.
#[tokio::test(start_paused = true)]
async fn an_item_that_is_tried_again_does_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let child = "name: child
inputs: { x: string }
state: { first: string, second: string }
outputs: [second]
nodes:
  one: { model: { prompt: \"one {{ state.x }}\" }, to: first }
  two: { model: { prompt: \"two {{ state.first }}\" }, to: second }
edges:
  - { from: START, to: one }
  - { from: one, to: two }
  - { from: two, to: END }
";
    std::fs::write(folder.path().join("child.yaml"), child).unwrap();
    let node = "{ map: { over: state.list, do: { subgraph: { file: child.yaml, with: { x: item } } } }, to: out, retry: { attempts: 2 } }";
    let text = one("{ list: { type: list, default: [a] }, out: list }", node);
    let definition = Definition::parse(&text, folder.path().join("t.yaml").display().to_string()).unwrap();
    let fail = ModelErrorKind::Unreachable { reason: "down".into() };
    let (services, asked) = asking(Scripted::new("test/m").answer("A").fail(fail).answer("B"));
    let graph = graph(&definition).unwrap().compile_with(services).unwrap();
    let graph = graph.with_store(Arc::new(MemoryStore::new()));
    let done = graph.run(start(&text)).thread(ThreadId::new("t").unwrap()).await.unwrap();
    assert_eq!(done.state.get("out"), Some(&json!([{ "second": "B" }])));
    assert_eq!(asked.requests().len(), 3, "the first model is asked once, the second twice");
}

#[tokio::test]
async fn the_error_of_an_item_names_its_index() {
    let text = one(
        "{ list: { type: list, default: [a, b, c] }, out: list }",
        "{ map: { over: state.list, at_once: 1, do: { model: { prompt: \"{{ item }}\" } } }, to: out }",
    );
    let kind = ModelErrorKind::ScriptEnded { answers: 0, question: 0 };
    let (services, _) = asking(Scripted::new("test/m").answer("A").fail(kind).answer("B").answer("C"));
    let error = compiled(&text, services).run(start(&text)).await.unwrap_err();
    let RunError::Node { source, .. } = &error else { panic!("{error}") };
    assert!(source.to_string().starts_with("item 1: "), "{source}");
}
