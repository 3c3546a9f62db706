//! A store of one's own: here one that counts what is written and leaves the rest to the store in memory.
#![allow(clippy::print_stdout, reason = "an example shows what it does")]
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use futures_util::future::BoxFuture;
use stategraph::engine::{
    Ack, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record, Retention,
    Seq, StoreError, ThreadSummary, ThreadWriter,
};
use stategraph::prelude::*;
use stategraph::store::MemoryStore;

struct Counting(MemoryStore, Arc<AtomicUsize>);
struct Writer(Arc<dyn ThreadWriter>, Arc<AtomicUsize>);
type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

impl ThreadWriter for Writer {
    fn head(&self) -> Option<Seq> {
        self.0.head()
    }
    fn append(&self, record: Record, flush: Flush) -> Result<Ack, StoreError> {
        self.1.fetch_add(1, Relaxed);
        self.0.append(record, flush)
    }
}

#[rustfmt::skip]
impl CheckpointStore for Counting {
    fn place(&self) -> String { self.0.place() }
    fn claim<'a>(&'a self, thread: &'a ThreadId) -> Answer<'a, Arc<dyn ThreadWriter>> {
        Box::pin(async { Ok(Arc::new(Writer(self.0.claim(thread).await?, self.1.clone())) as Arc<dyn ThreadWriter>) })
    }
    fn load<'a>(&'a self, thread: &'a ThreadId, seq: Option<Seq>) -> Answer<'a, Option<Lineage>> { self.0.load(thread, seq) }
    fn history<'a>(&'a self, thread: &'a ThreadId, query: &'a HistoryQuery) -> Answer<'a, Vec<HistoryEntry>> { self.0.history(thread, query) }
    fn threads(&self) -> Answer<'_, Vec<ThreadSummary>> { self.0.threads() }
    fn delete<'a>(&'a self, thread: &'a ThreadId) -> Answer<'a, ()> { self.0.delete(thread) }
    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> Answer<'a, ()> { self.0.copy(from, to) }
    fn delete_run<'a>(&'a self, thread: &'a ThreadId, run: u64, rebuild: Rebuild<'a>) -> Answer<'a, Pruned> { self.0.delete_run(thread, run, rebuild) }
    fn prune<'a>(&'a self, thread: &'a ThreadId, keep: Retention, rebuild: Rebuild<'a>) -> Answer<'a, Pruned> { self.0.prune(thread, keep, rebuild) }
}

#[derive(State, Clone, Default, Serialize, Deserialize)]
struct Counter {
    n: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let written = Arc::new(AtomicUsize::new(0));
    let graph = StateGraph::new("counter")
        .node("add", async |counter: &Counter| Counter::update().n(counter.n + 1))
        .edge(START, "add")
        .branch("add", |counter: &Counter| counter.n < 5, [(true, "add"), (false, END)])
        .compile()?
        .with_store(Arc::new(Counting(MemoryStore::new(), written.clone())));
    graph.run(Counter::default()).await?;
    println!("{} records", written.load(Relaxed));
    Ok(())
}
