//! What a superstep costs, beside the floor in the same run: a hand-written loop over boxed futures.
//! `cargo bench --bench engine`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use stategraph::engine::{CompiledGraph, END, Frozen, START, State, StateGraph};
use stategraph::store::MemoryStore;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Counter {
    n: u64,
    limit: u64,
}

fn counter() -> CompiledGraph<Counter> {
    StateGraph::new("counter")
        .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
        .edge(START, "add")
        .branch("add", |counter: &Counter| counter.n < counter.limit, [(true, "add"), (false, END)])
        .compile()
        .expect("the graph has no defects")
}

/// The floor: what has to happen in any engine that runs nodes of different types.
async fn boxed_loop(limit: u64) -> Counter {
    type Node = Box<dyn for<'a> Fn(&'a Counter) -> BoxFuture<'a, CounterUpdate> + Send + Sync>;
    let node: Node = Box::new(|counter| Box::pin(async move { Counter::update().n(counter.n + 1) }));
    let nodes = black_box(vec![node]);
    let mut state = Counter { n: 0, limit };
    while state.n < state.limit {
        let update = nodes[0](&state).await;
        state.fold(update);
    }
    state
}

fn superstep(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut group = c.benchmark_group("superstep");
    for steps in [1_000_u64, 100_000] {
        group.throughput(Throughput::Elements(steps));
        group.bench_with_input(BenchmarkId::new("floor: boxed loop", steps), &steps, |b, steps| {
            b.to_async(&runtime).iter(|| boxed_loop(*steps));
        });
        let graph = counter();
        group.bench_with_input(BenchmarkId::new("in-memory store", steps), &steps, |b, steps| {
            // The threads live longer than the run that wrote them: dropping them is not part of it.
            b.to_async(&runtime).iter_batched(
                MemoryStore::new,
                |store| {
                    let graph = graph.clone().with_store(Arc::new(store.clone()));
                    let run = graph.run(Counter { n: 0, limit: *steps }).step_limit(*steps);
                    async { (run.await.expect("it runs").state.n, store) }
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_with_input(BenchmarkId::new("no checkpoints", steps), &steps, |b, steps| {
            let run = || graph.run(Counter { n: 0, limit: *steps }).step_limit(*steps);
            b.to_async(&runtime).iter(|| async { run().await.expect("it runs").state.n });
        });
    }
    group.finish();
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Sum {
    #[state(add)]
    total: u64,
}

/// Some work that no compiler takes away.
fn spun(rounds: u64) -> u64 {
    (0..rounds).fold(1, |x: u64, round| black_box(x.wrapping_mul(31).wrapping_add(round)))
}

fn fanned(rounds: u64) -> CompiledGraph<Sum> {
    StateGraph::new("fan")
        .node("work", move |_: Frozen<Sum>| async move { Sum::update().total(spun(rounds) & 1) })
        .fan_out(START, |_: &Sum| 0..1_000_u64, "work")
        .edge("work", END)
        .compile()
        .expect("the graph has no defects")
}

/// Tasks that do nothing, and tasks of about 20 µs each on one thread and on two.
fn fan_out(c: &mut Criterion) {
    let mut group = c.benchmark_group("fan-out of 1,000");
    group.throughput(Throughput::Elements(1_000));
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let double = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    for (name, runtime) in [("one thread", &single), ("two threads", &double)] {
        for (work, rounds) in [("nothing", 0), ("20 µs", 20_000)] {
            let graph = fanned(rounds);
            group.bench_function(BenchmarkId::new(work, name), |b| {
                b.to_async(runtime)
                    .iter(|| async { graph.run(Sum::default()).await.expect("it runs").state.total });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, superstep, fan_out);
criterion_main!(benches);
