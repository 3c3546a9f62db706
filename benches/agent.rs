//! What an agent's loop costs besides its model and tools: 100 rounds of a model node and a tools node over a growing
//! conversation, bare and stored. `cargo bench --bench agent`

#![allow(clippy::print_stderr, reason = "criterion has no place for processor time")]

mod support;

use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use stategraph::engine::{CompiledGraph, Durability, END, START, State, StateGraph};
use stategraph::llm::{Message, MessageChange, Messages, ToolCall};
use stategraph::store::SledStore;
use tokio::runtime::Runtime;

use self::support::processor_ms;

const ROUNDS: usize = 100;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(reduce = Messages::change, delta = MessageChange)]
    messages: Messages,
}

/// A model that calls a tool until it has seen enough results, then answers.
fn react() -> CompiledGraph<Talk> {
    let model = async |talk: &Talk| {
        let round = talk.messages.len() / 2;
        if round == ROUNDS {
            return Talk::update().messages(Message::assistant("done"));
        }
        let call =
            ToolCall { id: round.to_string(), name: "add".to_owned(), arguments: "{\"a\":1}".to_owned() };
        Talk::update().messages(Message::calling("", vec![call]))
    };
    let tools = async |talk: &Talk| {
        let called = &talk.messages.last().expect("the model spoke").message.tool_calls[0];
        Talk::update().messages(Message::tool(&called.id, "2"))
    };
    let calls = |talk: &Talk| talk.messages.last().is_some_and(|last| !last.message.tool_calls.is_empty());
    StateGraph::new("react")
        .node("model", model)
        .node("tools", tools)
        .edge(START, "model")
        .branch("model", calls, [(true, "tools"), (false, END)])
        .edge("tools", "model")
        .compile()
        .expect("the graph has no defects")
}

fn rounds(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = c.benchmark_group("one round of a tool loop, of 100");
    group.throughput(Throughput::Elements(ROUNDS as u64));
    let graph = react();
    group.bench_function("bare", |b| {
        b.to_async(&runtime)
            .iter(|| async { graph.run(Talk::default()).await.expect("it runs").state.messages.len() });
    });
    for (name, durability) in [("sled, async", Durability::ASYNC), ("sled, exit", Durability::Exit)] {
        let folder =
            tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written");
        let store = Arc::new(SledStore::open(folder.path()).expect("the folder can be written"));
        let stored = graph.clone().with_store(store);
        group.bench_function(name, |b| {
            let run = || stored.run(Talk::default()).durability(durability);
            b.to_async(&runtime).iter_batched(
                run,
                |run| async { run.await.expect("it runs").steps },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

/// The processor time of a round, all threads together.
fn processor(_: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written");
    let store = Arc::new(SledStore::open(folder.path()).expect("the folder can be written"));
    let bare = react();
    let stored = bare.clone().with_store(store);
    for (name, graph, runs) in [("bare", &bare, 5_000), ("sled, async", &stored, 200)] {
        let before = processor_ms();
        for _ in 0..runs {
            let run = graph.run(Talk::default()).durability(Durability::ASYNC);
            runtime.block_on(run).expect("it runs");
        }
        let nanos = (processor_ms() - before) * 1_000_000 / (runs * ROUNDS as u64);
        eprintln!("one round of a tool loop, {name}: {nanos} ns of processor, all threads together");
    }
}

criterion_group!(benches, rounds, processor);
criterion_main!(benches);
