//! Whether anything is left behind by many threads, one after the other, and by many runs at once: memory and file handles, in the
//! beginning, in the middle and at the end. `cargo bench --bench soak` is short; `SOAK=full` is all of it.
#![allow(clippy::print_stdout, reason = "its figures are what it is for")]

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stategraph::engine::{
    CheckpointStore, CompiledGraph, Cx, Durability, END, RunError, START, State, StateGraph, ThreadId,
};
use stategraph::store::{MemoryStore, SledStore};
use tokio::sync::Barrier;

/// How much is done.
struct Size {
    threads: u64,
    steps: u64,
    at_once: u64,
}

const SHORT: Size = Size { threads: 400, steps: 20, at_once: 100 };

const FULL: Size = Size { threads: 10_000, steps: 100, at_once: 1_000 };

/// Memory that an allocator may keep although nothing of it is in use, in MiB.
const SLACK: u64 = 32;

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Talk {
    #[state(append)]
    lines: Vec<String>,
    left: u64,
}

/// Where runs at once wait for one another.
type Gate = Option<Arc<Barrier>>;

async fn ask(talk: &Talk, cx: &Cx<Gate>) -> TalkUpdate {
    if let Some(gate) = cx.services().as_ref().filter(|_| talk.lines.is_empty()) {
        gate.wait().await;
    }
    tokio::task::yield_now().await;
    Talk::update().lines("a question of some length").left(talk.left.saturating_sub(2))
}

async fn answer(_: &Talk) -> TalkUpdate {
    tokio::task::yield_now().await;
    Talk::update().lines("an answer")
}

/// Every other superstep has two tasks; tasks give way, so that runs at once mix.
fn talk(store: Arc<dyn CheckpointStore>, gate: Gate) -> CompiledGraph<Talk, Gate> {
    let graph = StateGraph::<Talk, Gate>::new("soak")
        .node("ask", ask)
        .node("left", answer)
        .node("right", answer)
        .edge(START, "ask")
        .edge("ask", "left")
        .edge("ask", "right")
        .edge("left", END)
        .branch("right", |talk: &Talk| talk.left > 0, [(true, "ask"), (false, END)])
        .compile_with(gate)
        .expect("the graph has no defects");
    graph.with_store(store)
}

async fn run(graph: &CompiledGraph<Talk, Gate>, thread: ThreadId, steps: u64) -> Result<(), RunError> {
    let state = Talk { lines: Vec::new(), left: steps };
    let end = graph.run(state).thread(thread).durability(Durability::ASYNC).await?;
    assert_eq!(end.steps, steps);
    Ok(())
}

fn thread(kind: &str, number: u64) -> ThreadId {
    ThreadId::new(format!("{kind}-{number}")).expect("it is a name")
}

/// What the process holds.
#[derive(Clone, Copy)]
struct Held {
    mebibytes: u64,
    handles: usize,
}

impl Held {
    fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = resident.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        let handles = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self { mebibytes: kibibytes.unwrap_or(0) / 1024, handles }
    }
}

impl std::fmt::Display for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>5} MiB {:>5} handles", self.mebibytes, self.handles)
    }
}

/// Waits until what is given back in the background is back.
async fn settled(before: Held) -> Held {
    for _ in 0..200 {
        if Held::now().handles <= before.handles {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Held::now()
}

/// Does something that ends with nothing held that was not held before, and shows what is held in the middle of it.
async fn soak<F: Future<Output = Held>>(what: &str, work: impl Fn() -> F, before: Held) {
    let begun = Instant::now();
    let middle = work().await;
    let once = settled(before).await;
    let took = begun.elapsed();
    work().await;
    let twice = settled(before).await;
    println!("{what:<44} {took:>9.2?} | start {before} | middle {middle} | end {once} | again {twice}");
    assert!(
        twice.handles <= before.handles,
        "file handles are left: {} to {}",
        before.handles,
        twice.handles
    );
    let bound = once.mebibytes + once.mebibytes / 4 + SLACK;
    assert!(twice.mebibytes <= bound, "memory grows: {} to {} MiB", once.mebibytes, twice.mebibytes);
}

/// Threads one after the other, none of which is kept.
async fn one_by_one(store: Arc<dyn CheckpointStore>, size: &Size) -> Held {
    let graph = talk(store.clone(), None);
    for number in 0..size.threads {
        run(&graph, thread("t", number), size.steps).await.expect("it runs");
    }
    let middle = Held::now();
    for number in 0..size.threads {
        store.delete(&thread("t", number)).await.expect("nobody holds it");
    }
    middle
}

/// Runs at once: all of them are in their first superstep when the figures are taken.
async fn at_once(store: Arc<dyn CheckpointStore>, size: &Size) -> Held {
    let everybody = usize::try_from(size.at_once).expect("it is small") + 1;
    let gate = Arc::new(Barrier::new(everybody));
    let graph = talk(store.clone(), Some(gate.clone()));
    let runs: Vec<_> = (0..size.at_once)
        .map(|number| {
            let (graph, steps) = (graph.clone(), size.steps);
            tokio::spawn(async move { run(&graph, thread("r", number), steps).await })
        })
        .collect();
    gate.wait().await;
    let middle = Held::now();
    for ended in runs {
        ended.await.expect("no run panics").expect("it runs");
    }
    for number in 0..size.at_once {
        store.delete(&thread("r", number)).await.expect("nobody holds it");
    }
    middle
}

fn on_disk(folder: &Path) -> Arc<dyn CheckpointStore> {
    Arc::new(SledStore::open(folder).expect("the folder can be written"))
}

#[tokio::main]
async fn main() {
    let size = if std::env::var("SOAK").is_ok_and(|size| size == "full") { FULL } else { SHORT };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the target folder can be written");
    let Size { threads, steps, at_once: runs } = size;
    let (many, wide) = (format!("{threads} threads of {steps} steps"), format!("{runs} runs at once"));
    // Whatever the runtime opens once is open now.
    tokio::task::spawn_blocking(|| ()).await.expect("it does nothing");
    let before = Held::now();
    soak(&format!("{many}, memory"), || one_by_one(Arc::new(MemoryStore::new()), &size), before).await;
    soak(&format!("{wide}, memory"), || at_once(Arc::new(MemoryStore::new()), &size), before).await;
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    soak(&format!("{many}, sled async"), || one_by_one(on_disk(&one), &size), before).await;
    soak(&format!("{wide}, sled async"), || at_once(on_disk(&other), &size), before).await;
}
