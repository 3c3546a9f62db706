//! Results that are given again, and the long-term store that nodes reach. Parity F37, F71, clause 57.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use stategraph_core::store::MemoryItems;
use stategraph_core::{
    CachePolicy, Clock, Command, CompiledGraph, Cx, Dispatch, END, EventKinds, ItemPath, NodeError,
    NodePolicy, NodeResult, PutItem, RetryPolicy, START, State, StateGraph,
};

use super::kit::{Calls, line, played};

#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Ask {
    question: String,
    #[state(append)]
    answers: Vec<String>,
    noise: u32,
}

fn asking(question: &str) -> Ask {
    Ask { question: question.to_owned(), ..Ask::default() }
}

/// A graph that answers, calls how often it had to, and may keep the answers.
fn graph(policy: Option<CachePolicy<Ask>>) -> StateGraph<Ask, Calls> {
    let graph = StateGraph::new("ask")
        .node("answer", async |ask: &Ask, cx: &Cx<Calls>| {
            cx.services().count("answer");
            Ask::update().answers(format!("{}!", ask.question))
        })
        .edge(START, "answer")
        .edge("answer", END);
    match policy {
        Some(policy) => graph.cache("answer", policy),
        None => graph,
    }
}

fn compiled(calls: &Calls, policy: CachePolicy<Ask>, cache: &MemoryItems) -> CompiledGraph<Ask, Calls> {
    graph(Some(policy)).compile_with(calls.clone()).unwrap().with_cache(Arc::new(cache.clone()))
}

// F37, clause 57
#[tokio::test]
async fn a_kept_result_is_given_for_the_same_input_and_said_to_be_kept() {
    let (calls, cache) = (Calls::default(), MemoryItems::new());
    let graph = compiled(&calls, CachePolicy::new(), &cache);
    for _ in 0..3 {
        assert_eq!(graph.run(asking("why")).await.unwrap().state.answers, ["why!"]);
    }
    assert_eq!(calls.of("answer"), 1);
    graph.run(asking("how")).await.unwrap();
    assert_eq!(calls.of("answer"), 2);
    let (events, _) = played(graph.run(asking("why")).stream(EventKinds::TASKS).await.unwrap()).await;
    let kinds: Vec<String> = events.iter().map(line).collect();
    assert_eq!(
        kinds,
        [
            "0 run started ask",
            "1 started answer 1.0 #1",
            "1 cached answer 1.0",
            "1 finished answer 1.0",
            "1 run done"
        ]
    );
}

// F37
#[tokio::test]
async fn what_is_not_input_does_not_count() {
    let (calls, cache) = (Calls::default(), MemoryItems::new());
    let graph = compiled(&calls, CachePolicy::with_key(|ask: &Ask| ask.question.clone()), &cache);
    graph.run(Ask { noise: 1, ..asking("why") }).await.unwrap();
    graph.run(Ask { noise: 2, ..asking("why") }).await.unwrap();
    assert_eq!(calls.of("answer"), 1);
}

/// [`Ask`] with another channel.
#[derive(State, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct LaterAsk {
    question: String,
    #[state(append)]
    answers: Vec<String>,
    noise: u32,
    tone: String,
}

// F37: the node may have read and written what the other state does not have
#[tokio::test]
async fn a_result_of_another_schema_of_the_state_is_not_given() {
    let (calls, cache) = (Calls::default(), MemoryItems::new());
    let graph = compiled(&calls, CachePolicy::with_key(|ask: &Ask| ask.question.clone()), &cache);
    graph.run(asking("why")).await.unwrap();
    let later = StateGraph::new("ask")
        .node("answer", async |_: &LaterAsk| LaterAsk::update().answers("in another tone"))
        .edge(START, "answer")
        .edge("answer", END)
        .cache("answer", CachePolicy::with_key(|ask: &LaterAsk| ask.question.clone()));
    let later = later.compile().unwrap().with_cache(Arc::new(cache));
    let end = later.run(LaterAsk { question: "why".to_owned(), ..LaterAsk::default() }).await.unwrap();
    assert_eq!(end.state.answers, ["in another tone"]);
}

// F37, clause 57
#[tokio::test]
async fn results_are_over_after_their_time_and_when_they_are_cleared() {
    let now = Arc::new(AtomicU64::new(0));
    let told = now.clone();
    let cache = MemoryItems::with_clock(Clock::from_fn(move || told.load(Ordering::Relaxed)));
    let calls = Calls::default();
    let graph = compiled(&calls, CachePolicy::new().ttl(Duration::from_millis(10)), &cache);
    for (at, expected) in [(0, 1), (9, 1), (18, 1), (28, 2)] {
        now.store(at, Ordering::Relaxed);
        graph.run(asking("why")).await.unwrap();
        assert_eq!(calls.of("answer"), expected, "at {at} ms");
    }
    graph.clear_cache(&["another"]).await.unwrap();
    graph.run(asking("why")).await.unwrap();
    assert_eq!(calls.of("answer"), 2);
    graph.clear_cache(&[]).await.unwrap();
    graph.run(asking("why")).await.unwrap();
    assert_eq!(calls.of("answer"), 3);
}

// F37: without a place for results, the node runs
#[tokio::test]
async fn without_a_cache_every_run_runs() {
    let calls = Calls::default();
    let graph = graph(Some(CachePolicy::new())).compile_with(calls.clone()).unwrap();
    graph.run(asking("why")).await.unwrap();
    graph.run(asking("why")).await.unwrap();
    assert_eq!(calls.of("answer"), 2);
}

// F37: errors are not kept
#[tokio::test(start_paused = true)]
async fn errors_are_not_kept() {
    let (calls, cache) = (Calls::default(), MemoryItems::new());
    let graph = StateGraph::new("ask")
        .node_with(
            "answer",
            NodePolicy::new().retry(RetryPolicy::attempts(2)),
            async |_: &Ask, cx: &Cx<Calls>| -> NodeResult<AskUpdate> {
                match cx.services().count("answer") {
                    0 => Err(NodeError::msg("busy")),
                    _ => Ok(Ask::update().answers("yes")),
                }
            },
        )
        .edge(START, "answer")
        .edge("answer", END)
        .cache("answer", CachePolicy::new())
        .compile_with(calls.clone())
        .unwrap()
        .with_cache(Arc::new(cache));
    graph.run(asking("why")).await.unwrap();
    graph.run(asking("why")).await.unwrap();
    assert_eq!(calls.of("answer"), 2);
}

// F37 with F21 and F22: where a command went is kept as well, and an item is input
#[tokio::test]
async fn a_kept_command_goes_where_it_went() {
    let (calls, cache) = (Calls::default(), MemoryItems::new());
    let graph = StateGraph::new("ask")
        .node("split", async |_: &Ask, cx: &Cx<Calls>| {
            cx.services().count("split");
            Command::<Ask>::none()
                .dispatch_all(["a", "b", "a"].map(|of| Dispatch::new("part", of.to_owned())))
        })
        .node("part", async |_: &Ask, cx: &Cx<Calls>| -> NodeResult<AskUpdate> {
            cx.services().count("part");
            Ok(Ask::update().answers(cx.item::<String>()?.clone()))
        })
        .edge(START, "split")
        .dispatches("split", ["part"])
        .takes::<String>("part")
        .edge("part", END)
        .cache("split", CachePolicy::new())
        .cache("part", CachePolicy::new())
        .compile_with(calls.clone())
        .unwrap()
        .with_cache(Arc::new(cache));
    for _ in 0..2 {
        let run = graph.run(asking("why")).max_concurrency(1);
        assert_eq!(run.await.unwrap().state.answers, ["a", "b", "a"]);
    }
    assert_eq!((calls.of("split"), calls.of("part")), (1, 2));
}

#[test]
fn a_cache_of_a_node_that_is_not_there_is_a_defect() {
    let calls = Calls::default();
    let graph = graph(None).cache("anser", CachePolicy::new());
    let defects = graph.compile_with(calls).err().unwrap().to_string();
    assert!(defects.contains("`anser`") && defects.contains("`answer`"), "{defects}");
}

// F71
#[tokio::test]
async fn nodes_reach_the_long_term_store() {
    let items = MemoryItems::new();
    let graph = StateGraph::<Ask>::new("remember")
        .node("remember", async |ask: &Ask, cx: &Cx| -> NodeResult<AskUpdate> {
            let facts: ItemPath = "facts".parse()?;
            let before = cx.store()?.get(&facts, "last").await?;
            cx.store()?.put(PutItem::new(&facts, "last", ask.question.as_str())?).await?;
            Ok(Ask::update().answers(before.map_or("nothing".to_owned(), |item| item.value.to_string())))
        })
        .edge(START, "remember")
        .edge("remember", END)
        .compile()
        .unwrap();
    let error = graph.run(asking("why")).await.unwrap_err().to_string();
    assert!(error.contains("remember"), "{error}");
    let graph = graph.with_long_term(Arc::new(items));
    assert_eq!(graph.run(asking("why")).await.unwrap().state.answers, ["nothing"]);
    assert_eq!(graph.run(asking("how")).await.unwrap().state.answers, [json!("why").to_string()]);
}
