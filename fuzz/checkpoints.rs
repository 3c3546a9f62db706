//! Whatever stands in a journal, a store opens, and looking at the thread ends with its state or with an error; a run can then
//! be started, or is refused.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use serde::{Deserialize, Serialize};
use stategraph::engine::{
    CheckpointStore, CompiledGraph, END, HistoryQuery, START, State, StateGraph, ThreadId,
};
use stategraph::store::SledStore;
use tokio::runtime::{Builder, Runtime};

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(append)]
    lines: Vec<String>,
}

struct Bench {
    journal: PathBuf,
    sound: Vec<u8>,
    graph: CompiledGraph<Talk>,
    store: SledStore,
    thread: ThreadId,
    runtime: Runtime,
    _folder: tempfile::TempDir,
}

static BENCH: LazyLock<Bench> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let store = SledStore::open(folder.path()).expect("the folder can be written");
    let graph = StateGraph::new("talk")
        .node("say", async |talk: &Talk| Talk::update().lines(talk.lines.len().to_string()))
        .edge(START, "say")
        .branch("say", |talk: &Talk| talk.lines.len() < 4, [(true, "say"), (false, END)])
        .compile()
        .expect("the graph has no defects")
        .with_store(Arc::new(store.clone()));
    let thread = ThreadId::new("fuzzed").expect("it is a name");
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async { graph.run(Talk::default()).thread(thread.clone()).await }).expect("it runs");
    let journal = folder.path().join("threads/fuzzed.log");
    let sound = fs::read(&journal).expect("it was just written");
    Bench { journal, sound, graph, store, thread, runtime, _folder: folder }
});

fuzz_target!(|bytes: &[u8]| {
    let bench = &*BENCH;
    // The first byte says how much of a sound journal comes first, so that the fuzzer need not find checksums.
    let (at, bytes) = bytes.split_first().map_or((0, bytes), |(at, rest)| (usize::from(*at), rest));
    let kept = bench.sound.len() * at / 255;
    let content = [&bench.sound[..kept], bytes].concat();
    fs::write(&bench.journal, content).expect("the folder can be written");
    bench.runtime.block_on(async {
        let _ = bench.graph.history(&bench.thread, &HistoryQuery::default()).await;
        let _ = bench.graph.state(&bench.thread, None).await;
        let _ = bench.store.threads().await;
        let _ = bench.graph.resume(&bench.thread).await;
        let _ = bench.graph.state(&bench.thread, None).await;
    });
});
