//! Threads in memory, a row a checkpoint. Clones share their threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::lineage::{self, Place};
use super::lock;
use super::retention::{self, Plan};
use super::row::Row;
use super::summary::summary;
use crate::engine::{
    Ack, Checkpoint, CheckpointStore, Commit, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record,
    Retention, Seq, StoreError, TaskRecord, ThreadId, ThreadSummary, ThreadWriter,
};

/// Keeps threads for as long as the process, or the last clone of the store, lives.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    threads: Arc<Mutex<BTreeMap<ThreadId, SharedLog>>>,
}

type SharedLog = Arc<Mutex<Log>>;

/// One thread.
#[derive(Debug, Default)]
struct Log {
    /// Sorted by position.
    entries: Vec<Entry>,
    /// Whether a run holds the thread.
    claimed: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    row: Row,
    /// What its tasks left, in log order.
    tasks: Vec<TaskRecord>,
}

/// The claim of one run.
struct MemoryWriter {
    thread: ThreadId,
    log: SharedLog,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn log(&self, thread: &ThreadId) -> Option<SharedLog> {
        lock(&self.threads).get(thread).cloned()
    }

    fn no_thread(&self, thread: &ThreadId) -> StoreError {
        StoreError::NoThread { thread: thread.to_string(), place: self.place(), nearest: Vec::new() }
    }

    fn claim_now(&self, thread: &ThreadId) -> Result<Arc<dyn ThreadWriter>, StoreError> {
        let log = lock(&self.threads).entry(thread.clone()).or_default().clone();
        let mut claimed = lock(&log);
        claimed.free(thread)?;
        claimed.claimed = true;
        drop(claimed);
        Ok(Arc::new(MemoryWriter { thread: thread.clone(), log }))
    }

    fn delete_now(&self, thread: &ThreadId) -> Result<(), StoreError> {
        let mut threads = lock(&self.threads);
        if let Some(log) = threads.get(thread) {
            lock(log).free(thread)?;
        }
        threads.remove(thread);
        Ok(())
    }

    fn copy_now(&self, from: &ThreadId, to: &ThreadId) -> Result<(), StoreError> {
        let source = self.log(from).ok_or_else(|| self.no_thread(from))?;
        let entries = lock(&source).entries.clone();
        if entries.is_empty() {
            return Err(self.no_thread(from));
        }
        let target = lock(&self.threads).entry(to.clone()).or_default().clone();
        let mut target = lock(&target);
        target.free(to)?;
        if !target.entries.is_empty() {
            return Err(StoreError::Exists { thread: to.clone() });
        }
        target.entries = entries;
        Ok(())
    }

    fn prune_now(
        &self,
        thread: &ThreadId,
        keep: Retention,
        rebuild: Rebuild<'_>,
    ) -> Result<Pruned, StoreError> {
        let log = self.log(thread).ok_or_else(|| self.no_thread(thread))?;
        let mut log = lock(&log);
        log.free(thread)?;
        let plan = retention::plan(&log.places(), keep);
        let before = log.bytes();
        log.entries = log.kept(thread, &plan, rebuild)?;
        Ok(Pruned { checkpoints: plan.removed, bytes: before.saturating_sub(log.bytes()) })
    }
}

impl Log {
    fn head(&self) -> Option<Seq> {
        self.entries.last().map(|entry| entry.row.seq)
    }

    fn free(&self, thread: &ThreadId) -> Result<(), StoreError> {
        if self.claimed {
            return Err(StoreError::Busy {
                thread: thread.clone(),
                holder: "another run in this process".into(),
            });
        }
        Ok(())
    }

    fn find(&self, seq: Seq) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&seq, |entry| entry.row.seq).ok()?;
        Some(&self.entries[at])
    }

    fn places(&self) -> Vec<Place> {
        self.entries.iter().map(|entry| entry.row.place()).collect()
    }

    /// The checkpoints that rebuild the state at `tip`.
    fn chain(&self, thread: &ThreadId, tip: &Row) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let find = |seq| self.find(seq).map(|entry| entry.row.place());
        let chain = lineage::chain(tip.place(), find)
            .map_err(|seq| StoreError::NoCheckpoint { thread: thread.clone(), seq })?;
        Ok(chain.into_iter().filter_map(|seq| Some(Arc::new(self.find(seq)?.row.checkpoint()))).collect())
    }

    fn lineage(&self, thread: &ThreadId, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let tip = match seq {
            Some(seq) => self.find(seq),
            None => self.entries.last(),
        };
        let Some(tip) = tip else { return Ok(None) };
        Ok(Some(Lineage {
            chain: self.chain(thread, &tip.row)?,
            tasks: lineage::settle(tip.tasks.clone()),
        }))
    }

    fn history(&self, query: &HistoryQuery) -> Vec<HistoryEntry> {
        let older = |entry: &&Entry| query.before.is_none_or(|before| entry.row.seq < before);
        let shown = self.entries.iter().rev().filter(older).take(query.limit.unwrap_or(usize::MAX));
        shown
            .map(|entry| HistoryEntry {
                checkpoint: Arc::new(entry.row.checkpoint()),
                tasks: lineage::settle(entry.tasks.clone()),
            })
            .collect()
    }

    /// The entries that a prune leaves, the new roots with a snapshot.
    fn kept(&self, thread: &ThreadId, plan: &Plan, rebuild: Rebuild<'_>) -> Result<Vec<Entry>, StoreError> {
        let mut kept = self.entries[plan.removed..].to_vec();
        for Entry { row, .. } in kept.iter_mut().filter(|entry| plan.roots.contains(&entry.row.seq)) {
            if row.snapshot.is_none() {
                row.snapshot = Some(rebuild(&self.chain(thread, row)?)?);
            }
            row.parent = None;
        }
        Ok(kept)
    }

    /// The bytes of state and updates held.
    fn bytes(&self) -> u64 {
        self.entries.iter().map(|entry| entry.row.bytes() as u64).sum()
    }

    fn append(&mut self, thread: &ThreadId, record: Record) -> Result<(), StoreError> {
        match record {
            Record::Checkpoint(checkpoint) => {
                self.add(thread, checkpoint.seq, |_| Row::from(checkpoint.as_ref()))
            }
            Record::Task(record) => self.attach(thread, record),
        }
    }

    /// Adds the row that follows the last.
    fn add(
        &mut self,
        thread: &ThreadId,
        seq: Seq,
        row: impl FnOnce(Option<&Row>) -> Row,
    ) -> Result<(), StoreError> {
        let last = self.entries.last().map(|entry| &entry.row);
        let head = last.map(|row| row.seq);
        if seq != head.map_or(Seq(1), Seq::next) {
            return Err(super::stale(thread, seq, head));
        }
        let row = row(last);
        self.entries.push(Entry { row, tasks: Vec::new() });
        Ok(())
    }

    fn attach(&mut self, thread: &ThreadId, record: TaskRecord) -> Result<(), StoreError> {
        let base = record.task.base;
        match self.entries.binary_search_by_key(&base, |entry| entry.row.seq) {
            Ok(at) => self.entries[at].tasks.push(record),
            Err(_) => return Err(StoreError::NoCheckpoint { thread: thread.clone(), seq: base }),
        }
        Ok(())
    }
}

impl ThreadWriter for MemoryWriter {
    fn head(&self) -> Option<Seq> {
        lock(&self.log).head()
    }

    fn append(&self, record: Record, _flush: Flush) -> Result<Ack, StoreError> {
        lock(&self.log).append(&self.thread, record).map(|()| Ack::Done)
    }

    fn commit(&self, commit: &Commit<'_>, _flush: Flush) -> Result<Ack, StoreError> {
        lock(&self.log).add(&self.thread, commit.seq, |last| Row::of(commit, last)).map(|()| Ack::Done)
    }
}

impl Drop for MemoryWriter {
    fn drop(&mut self) {
        lock(&self.log).claimed = false;
    }
}

impl CheckpointStore for MemoryStore {
    fn place(&self) -> String {
        "memory".to_owned()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        Box::pin(async move { self.claim_now(thread) })
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>> {
        Box::pin(async move { self.log(thread).map_or(Ok(None), |log| lock(&log).lineage(thread, seq)) })
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        Box::pin(async move { Ok(self.log(thread).map_or_else(Vec::new, |log| lock(&log).history(query))) })
    }

    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>> {
        let listed = |(thread, log): (&ThreadId, &SharedLog)| {
            let log = lock(log);
            let newest = log.entries.last()?;
            Some(summary(thread, &newest.row.checkpoint(), &newest.tasks))
        };
        Box::pin(async move { Ok(lock(&self.threads).iter().filter_map(listed).collect()) })
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.delete_now(thread) })
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.copy_now(from, to) })
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        Box::pin(async move { self.prune_now(thread, keep, rebuild) })
    }
}
