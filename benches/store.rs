//! What durability costs, beside the floor in the same run: a bare append with `fdatasync`. Also bytes on disk, loading, history.
//! `cargo bench --bench store`
#![allow(clippy::print_stderr, reason = "sizes are no times, so criterion has no place for them")]

mod support;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use stategraph::engine::{CompiledGraph, Durability, END, HistoryQuery, START, State, StateGraph, ThreadId};
use stategraph::store::SledStore;
use tokio::runtime::Runtime;

use self::support::processor_ms;

/// Supersteps of one measured run.
const STEPS: u64 = 200;

/// A message of 1 KiB.
const MESSAGE: usize = 1024;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(append)]
    messages: Vec<String>,
    limit: u64,
}

fn talk(folder: &Path) -> CompiledGraph<Talk> {
    let graph = StateGraph::new("talk")
        .node("say", async |talk: &Talk| {
            Talk::update().messages(format!("{:0>MESSAGE$}", talk.messages.len()))
        })
        .edge(START, "say")
        .branch("say", |talk: &Talk| (talk.messages.len() as u64) < talk.limit, [(true, "say"), (false, END)])
        .compile()
        .expect("the graph has no defects");
    graph.with_store(Arc::new(SledStore::open(folder).expect("the folder can be written")))
}

async fn run(graph: &CompiledGraph<Talk>, thread: &ThreadId, limit: u64, durability: Durability) {
    let state = Talk { messages: Vec::new(), limit };
    let run = graph.run(state).thread(thread.clone()).durability(durability);
    run.await.expect("it runs");
}

fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).expect("it is a name")
}

fn folder() -> tempfile::TempDir {
    // The floor and the store have to be on the same disk: the one that the build is on.
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written")
}

fn superstep(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = c.benchmark_group("durable superstep");
    group.sample_size(20).throughput(Throughput::Elements(STEPS));
    group.bench_function("floor: append + fdatasync", |b| {
        let folder = folder();
        let record = vec![b'x'; MESSAGE + 300];
        b.iter_batched(
            || File::create(folder.path().join("floor")).expect("the folder can be written"),
            |mut file| {
                for _ in 0..STEPS {
                    file.write_all(&record).and_then(|()| file.sync_data()).expect("the disk is there");
                }
            },
            BatchSize::PerIteration,
        );
    });
    for (name, durability) in [("sync", Durability::Sync), ("async", Durability::ASYNC)] {
        let folder = folder();
        let graph = talk(folder.path());
        let mut runs = 0_u64;
        group.bench_function(format!("sled, {name}"), |b| {
            b.iter(|| {
                runs += 1;
                runtime.block_on(run(&graph, &thread(&format!("t{runs}")), STEPS, durability));
            });
        });
    }
    group.finish();
}

fn reading(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let folder = folder();
    let written = thread("long");
    runtime.block_on(run(&talk(folder.path()), &written, 2_000, Durability::ASYNC));
    let mut group = c.benchmark_group("a thread of 2,000 checkpoints, 1 KiB appended in each");
    group.sample_size(20);
    let graph = talk(folder.path());
    // What was loaded, and the store, are dropped when the time has been taken.
    let load = |graph: &CompiledGraph<Talk>| {
        let loaded = runtime.block_on(graph.state(&written, None)).expect("it is there");
        assert_eq!(loaded.state.messages.len(), 2_000);
        loaded
    };
    group.bench_function("load the state, a store that knows nothing", |b| {
        let first = |graph: CompiledGraph<Talk>| (load(&graph), graph);
        b.iter_batched(|| talk(folder.path()), first, BatchSize::PerIteration);
    });
    let killed = self::folder();
    runtime.block_on(run(&talk(killed.path()), &written, 2_000, Durability::ASYNC));
    cut_last_entry(&killed.path().join("threads/long.log"));
    group.bench_function("load the state, a store that knows nothing, after a kill", |b| {
        let first = |graph: CompiledGraph<Talk>| (load(&graph), graph);
        b.iter_batched(|| talk(killed.path()), first, BatchSize::PerIteration);
    });
    group.bench_function("load the state, again", |b| b.iter_with_large_drop(|| load(&graph)));
    group.bench_function("whole history", |b| {
        let all = HistoryQuery::default();
        b.iter(|| runtime.block_on(graph.history(&written, &all)).expect("it is there").len());
    });
    let mut copies = 0_u64;
    group.bench_function("one more step", |b| {
        // Of a copy each time, so that the thread does not grow from one to the next; the process has seen it, as after a run.
        let copy = || {
            copies += 1;
            let copy = thread(&format!("copy{copies}"));
            let made = async {
                graph.copy(&written, &copy).await?;
                graph.state(&copy, None).await
            };
            runtime.block_on(made).expect("it is there");
            copy
        };
        let step = |copy: ThreadId| {
            let more = graph.continue_with(&copy, Talk::update().limit(2_001));
            runtime.block_on(more).expect("it runs").state.messages.len()
        };
        b.iter_batched(copy, step, BatchSize::PerIteration);
    });
    group.finish();
    for messages in [2_000, 4_000, 8_000] {
        let folder = self::folder();
        runtime.block_on(run(&talk(folder.path()), &thread("grows"), messages, Durability::ASYNC));
        let kilobytes = bytes_below(folder.path()) / 1000;
        eprintln!("{messages} messages of 1 KiB: {kilobytes} kB on disk, index and all");
    }
}

/// As a kill leaves a journal: without the entry that ends its run, 40 bytes.
fn cut_last_entry(journal: &Path) {
    let file = File::options().write(true).open(journal).expect("it was just written");
    let len = file.metadata().expect("it is there").len();
    file.set_len(len - 40).expect("it is longer");
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Wide {
    #[state(merge)]
    values: BTreeMap<String, String>,
    #[state(add)]
    steps: u64,
}

/// How many values the wide state has, and how long each of them is, in bytes.
const VALUES: u64 = 100;
const VALUE: usize = 300;

/// The bytes of a superstep that touches one value of many.
fn wide(_: &mut Criterion) {
    let value = |key: u64, step: u64| (format!("key{key}"), format!("{step:0>VALUE$}"));
    let touch = move |wide: &Wide| {
        let touched = BTreeMap::from([value(wide.steps % VALUES, wide.steps)]);
        async move { Wide::update().values(touched).steps(1) }
    };
    let folder = folder();
    let steps = 2_000;
    let graph = StateGraph::new("wide")
        .node("touch", touch)
        .edge(START, "touch")
        .branch("touch", move |wide: &Wide| wide.steps < steps, [(true, "touch"), (false, END)])
        .compile()
        .expect("the graph has no defects")
        .with_store(Arc::new(SledStore::open(folder.path()).expect("the folder can be written")));
    let start = Wide { values: (0..VALUES).map(|key| value(key, 0)).collect(), steps: 0 };
    let run = graph.run(start).thread(thread("wide")).durability(Durability::ASYNC);
    Runtime::new().expect("a runtime").block_on(run).expect("it runs");
    drop(graph);
    let bytes = bytes_below(folder.path()) / steps;
    eprintln!(
        "one value of {VALUES} touched, {VALUE} bytes each: {bytes} bytes a step on disk, index and all"
    );
}

/// The processor time of a superstep whose commit nobody waits for: a small state, a long run.
fn processor(_: &mut Criterion) {
    let steps = 50_000;
    let folder = folder();
    let graph = StateGraph::new("count")
        .node("tick", async |_: &Wide| Wide::update().steps(1))
        .edge(START, "tick")
        .branch("tick", move |wide: &Wide| wide.steps < steps, [(true, "tick"), (false, END)])
        .compile()
        .expect("the graph has no defects")
        .with_store(Arc::new(SledStore::open(folder.path()).expect("the folder can be written")));
    let run =
        graph.run(Wide::default()).thread(thread("count")).durability(Durability::ASYNC).step_limit(steps);
    let before = processor_ms();
    Runtime::new().expect("a runtime").block_on(run).expect("it runs");
    drop(graph);
    let micros = (processor_ms() - before) * 1000 / steps;
    eprintln!("sled, async, a counter: {micros} µs of processor a superstep, all threads together");
}

fn bytes_below(folder: &Path) -> u64 {
    let entries =
        std::fs::read_dir(folder).expect("it is a folder").map(|entry| entry.expect("it is read").path());
    entries
        .map(|path| if path.is_dir() { bytes_below(&path) } else { path.metadata().map_or(0, |it| it.len()) })
        .sum()
}

criterion_group!(benches, superstep, reading, wide, processor);
criterion_main!(benches);
