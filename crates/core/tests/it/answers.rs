//! Answers that are held against a schema before they count. Parity D6, F53, clause 44.

use serde_json::json;
use stategraph_core::{Cx, NodeResult, RunError, State};

use super::kit::{Builder, Calls, Graph, Trail, TrailUpdate, asked, empty, memory, thread, wired};

async fn wants_age(_: &Trail, cx: &Cx<Calls>) -> NodeResult<TrailUpdate> {
    cx.services().count("runs");
    let schema = json!({ "type": "object", "required": ["age"], "properties": { "age": { "type": "integer", "minimum": 0 } } });
    let answer: serde_json::Value = cx.interrupt_with(&"how old?", &schema).await?;
    Ok(Trail::update().log(answer["age"].to_string()))
}

fn wanting() -> (Graph<Calls>, Calls) {
    let calls = Calls::default();
    let graph = Builder::<Calls>::new("q").node("n", wants_age).node("m", super::kit::ask);
    let graph = wired(graph, &["START n", "START m", "n END", "m END"]).compile_with(calls.clone()).unwrap();
    (graph.with_store(memory()), calls)
}

// Clause 44, D6
#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_and_nothing_given_with_it_counts() {
    let (graph, calls) = wanting();
    let t = thread("t");
    let open = graph.run(empty()).thread(t.clone()).await.unwrap();
    let [m, n] = asked(&open).map_ids();
    assert!(open.status.questions()[1].schema.as_ref().unwrap().get().contains("minimum"));
    for (bad, said) in [
        (json!({ "age": -1 }), "at /age: -1 is less than the minimum of 0"),
        (json!({}), "\"age\" is a required property"),
        (json!("old"), "\"old\" is not of type \"object\""),
    ] {
        let error = graph.resume(&t).answer(m, &"fine").answer(n, &bad).await.unwrap_err();
        assert_eq!(error.to_string(), format!("the answer to question {n} does not fit: {said}"));
        assert!(matches!(error, RunError::AnswerRefused { .. }));
    }
    // The node was not run for any of them, and both questions are still open.
    assert_eq!((calls.of("n"), calls.of("runs")), (0, 1));
    assert_eq!(graph.state(&t, None).await.unwrap().questions.len(), 2);
    let end = graph.resume(&t).answer(m, &"fine").answer(n, &json!({ "age": 7 })).await.unwrap();
    assert_eq!(end.state.log(), ["m=fine", "7"]);
}

trait Ids {
    fn map_ids(self) -> [stategraph_core::QuestionId; 2];
}

impl Ids for Vec<(String, String)> {
    fn map_ids(self) -> [stategraph_core::QuestionId; 2] {
        [self[0].0.parse().unwrap(), self[1].0.parse().unwrap()]
    }
}

// The schema goes out through a sub-graph as well
#[tokio::test]
async fn a_question_inside_keeps_its_schema_outside() {
    let inner = wired(Builder::<Calls>::new("inner").node("n", wants_age), &["START n", "n END"]);
    let inner = inner.compile_with(Calls::default()).unwrap();
    let graph = wired(Builder::<Calls>::new("outer").node("inner", inner), &["START inner", "inner END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    let t = thread("t");
    let open = graph.run(empty()).thread(t.clone()).await.unwrap();
    let id = open.status.questions()[0].id;
    assert!(matches!(graph.resume(&t).answer(id, &1).await, Err(RunError::AnswerRefused { .. })));
    let end = graph.resume(&t).answer(id, &json!({ "age": 3 })).await.unwrap();
    assert_eq!(end.state.log(), ["3"]);
}

async fn wants_nonsense(_: &Trail, cx: &Cx<Calls>) -> NodeResult<()> {
    cx.interrupt_with(&"?", &json!({ "type": "nonsense" })).await
}

#[tokio::test]
async fn a_schema_that_is_none_is_an_error_of_the_node() {
    let graph = wired(Builder::<Calls>::new("q").node("n", wants_nonsense), &["START n", "n END"]);
    let graph = graph.compile_with(Calls::default()).unwrap().with_store(memory());
    let error = graph.run(empty()).await.unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.starts_with("the schema of the answer cannot be used"), "{cause}");
}
