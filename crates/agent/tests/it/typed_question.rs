//! A typed question of a node: re-asks, the journal, and the end after refused answers. ENG-14, ARD-75.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};
use stategraph_agent::TypedQuestion;
use stategraph_core::store::MemoryStore;
use stategraph_core::{CompiledGraph, Cx, END, NodeResult, START, State, StateGraph, ThreadId};
use stategraph_llm::{AskPolicy, ChatAnswer, ChatRequest, Message, Scripted, SharedModel, TypedRequest};

#[derive(State, Clone, Debug, Default, Serialize, Deserialize)]
struct Sum {
    number: u32,
    refused_attempts: u32,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Number {
    number: u32,
}

/// The model, and the number of answers that the node was told about.
type Services = (SharedModel, Arc<AtomicUsize>);

fn asking() -> TypedRequest<Number> {
    TypedRequest::new(ChatRequest::new("tester", vec![Message::user("1 + 1?")]), AskPolicy::reasks(1))
}

fn is_even(answer: &Number) -> Result<(), String> {
    if answer.number.is_multiple_of(2) { Ok(()) } else { Err(format!("{} is odd", answer.number)) }
}

async fn ask(_: &Sum, cx: &Cx<Services>) -> NodeResult<SumUpdate> {
    let (model, counter) = cx.services();
    let count = |_: &ChatAnswer| {
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let reply = TypedQuestion::new(cx, model, "sum", asking()).on_answer(&count).ask(is_even).await?;
    Ok(Sum::update().number(reply.value.number))
}

async fn try_ask(_: &Sum, cx: &Cx<Services>) -> NodeResult<SumUpdate> {
    let (model, _) = cx.services();
    Ok(match TypedQuestion::new(cx, model, "sum", asking()).try_ask(is_even).await? {
        Ok(reply) => Sum::update().number(reply.value.number),
        Err(refused) => Sum::update().refused_attempts(refused.attempts),
    })
}

fn script(numbers: &[u32]) -> Arc<Scripted> {
    let answer = |script: Scripted, number: &u32| script.answer(format!("{{\"number\": {number}}}"));
    Arc::new(numbers.iter().fold(Scripted::new("test/model"), answer))
}

fn graph(
    graph: StateGraph<Sum, Services>,
    model: &Arc<Scripted>,
    counter: &Arc<AtomicUsize>,
) -> CompiledGraph<Sum, Services> {
    let graph = graph.edge(START, "ask").edge("ask", END);
    let services: Services = (model.clone(), counter.clone());
    graph.compile_with(services).unwrap().with_store(Arc::new(MemoryStore::new()))
}

#[tokio::test]
async fn a_run_that_gave_up_asks_once_more_when_it_is_resumed_and_repeats_no_request() {
    let (model, counter) = (script(&[1, 3, 2]), Arc::default());
    let graph = graph(StateGraph::new("sum").node("ask", ask), &model, &counter);
    let thread = ThreadId::new("t").unwrap();
    let error = graph.run(Sum::default()).thread(thread.clone()).await.unwrap_err();
    assert!(error.hint().unwrap().ends_with("Its answer: {\"number\": 3}"), "{:?}", error.hint());
    assert_eq!(model.requests().len(), 2);

    let resumed = graph.resume(&thread).await.unwrap();
    assert_eq!(resumed.state.number, 2);
    let asked = model.requests();
    assert_eq!(asked.len(), 3, "the two refused answers come from the journal");
    let last = &asked[2].messages;
    assert_eq!(last.len(), 5, "the question, and two refused answers with their objections");
    assert!(last[2].content.contains("1 is odd") && last[4].content.contains("3 is odd"));
    assert_eq!(counter.load(Ordering::Relaxed), 5, "two answers, and three after the resume");
}

#[tokio::test]
async fn a_node_that_continues_after_a_refusal_gets_the_last_refused_answer() {
    let model = script(&[1, 3]);
    let graph = graph(StateGraph::new("sum").node("ask", try_ask), &model, &Arc::default());
    let done = graph.run(Sum::default()).await.unwrap();
    assert_eq!((done.state.number, done.state.refused_attempts, model.requests().len()), (0, 2, 2));
}
