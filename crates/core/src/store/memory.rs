//! Threads in memory. Clones share their threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::lineage::{self, Place};
use super::lock;
use super::retention::{self, Plan};
use super::rows::Rows;
use super::summary::summary;
use crate::{
    Ack, Checkpoint, CheckpointStore, Commit, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild,
    Record, Retention, Seq, StoreError, TaskRecord, ThreadId, ThreadSummary, ThreadWriter, rooted,
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
    rows: Rows,
    /// What the tasks planned by a checkpoint left, in log order.
    tasks: BTreeMap<Seq, Vec<TaskRecord>>,
    /// Whether a run holds the thread.
    claimed: bool,
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
        let (rows, tasks) = {
            let source = lock(&source);
            (source.rows.clone(), source.tasks.clone())
        };
        if rows.len() == 0 {
            return Err(self.no_thread(from));
        }
        let target = lock(&self.threads).entry(to.clone()).or_default().clone();
        let mut target = lock(&target);
        target.free(to)?;
        if target.rows.len() > 0 {
            return Err(StoreError::Exists { thread: to.clone() });
        }
        (target.rows, target.tasks) = (rows, tasks);
        Ok(())
    }

    /// Removes what a plan does not keep.
    fn prune_now(
        &self,
        thread: &ThreadId,
        plan: impl FnOnce(&Log) -> Result<Plan, StoreError>,
        rebuild: Rebuild<'_>,
    ) -> Result<Pruned, StoreError> {
        let log = self.log(thread).ok_or_else(|| self.no_thread(thread))?;
        let mut log = lock(&log);
        log.free(thread)?;
        let plan = plan(&log)?;
        let kept = log.kept(thread, &plan, rebuild)?;
        let bytes = log.rows.bytes().saturating_sub(kept.bytes()) as u64;
        log.tasks.retain(|seq, _| kept.find(*seq).is_some());
        log.rows = kept;
        Ok(Pruned { checkpoints: plan.removed, bytes })
    }
}

impl Log {
    fn free(&self, thread: &ThreadId) -> Result<(), StoreError> {
        if self.claimed {
            return Err(StoreError::Busy {
                thread: thread.clone(),
                holder: "another run in this process".into(),
            });
        }
        Ok(())
    }

    fn places(&self) -> Vec<Place> {
        (0..self.rows.len()).map(|at| self.rows.place(at)).collect()
    }

    /// The places with the runs that wrote them.
    fn runs(&self) -> Vec<(Place, u64)> {
        (0..self.rows.len()).map(|at| (self.rows.place(at), self.rows.run(at))).collect()
    }

    fn tasks_of(&self, checkpoint: &Checkpoint) -> Vec<TaskRecord> {
        lineage::settle(checkpoint, self.tasks.get(&checkpoint.seq).cloned().unwrap_or_default())
    }

    /// The checkpoints that rebuild the state at `tip`.
    fn chain(&self, thread: &ThreadId, tip: Place) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let find = |seq| self.rows.find(seq).map(|at| self.rows.place(at));
        let chain = lineage::chain(tip, find)
            .map_err(|seq| StoreError::NoCheckpoint { thread: thread.clone(), seq })?;
        let checkpoint = |seq| Some(Arc::new(self.rows.checkpoint(self.rows.find(seq)?)));
        Ok(chain.into_iter().filter_map(checkpoint).collect())
    }

    fn lineage(&self, thread: &ThreadId, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let tip = match seq {
            Some(seq) => self.rows.find(seq),
            None => self.rows.len().checked_sub(1),
        };
        let Some(tip) = tip.map(|at| self.rows.place(at)) else { return Ok(None) };
        let chain = self.chain(thread, tip)?;
        let tasks = self.tasks_of(chain.last().expect("a chain ends with its tip"));
        Ok(Some(Lineage { chain, tasks }))
    }

    fn history(&self, query: &HistoryQuery) -> Vec<HistoryEntry> {
        let older = |at: &usize| query.before.is_none_or(|before| self.rows.place(*at).seq < before);
        let shown = (0..self.rows.len()).rev().filter(older).take(query.limit.unwrap_or(usize::MAX));
        shown
            .map(|at| {
                let checkpoint = Arc::new(self.rows.checkpoint(at));
                HistoryEntry { tasks: self.tasks_of(&checkpoint), checkpoint }
            })
            .collect()
    }

    /// The rows that a prune leaves, the new roots with a snapshot.
    fn kept(&self, thread: &ThreadId, plan: &Plan, rebuild: Rebuild<'_>) -> Result<Rows, StoreError> {
        let mut kept = Rows::default();
        for at in plan.keep.iter().filter_map(|seq| self.rows.find(*seq)) {
            let place = self.rows.place(at);
            kept.push(if plan.roots.contains(&place.seq) {
                rooted(&self.chain(thread, place)?, rebuild)?
            } else {
                self.rows.checkpoint(at)
            });
        }
        Ok(kept)
    }

    fn append(&mut self, thread: &ThreadId, record: Record) -> Result<(), StoreError> {
        match record {
            Record::Checkpoint(checkpoint) => {
                self.follows(thread, checkpoint.seq)?;
                self.rows.push(Arc::unwrap_or_clone(checkpoint));
            }
            Record::Task(record) => {
                let seq = record.task.base;
                if self.rows.find(seq).is_none() {
                    return Err(StoreError::NoCheckpoint { thread: thread.clone(), seq });
                }
                self.tasks.entry(seq).or_default().push(record);
            }
        }
        Ok(())
    }

    fn follows(&self, thread: &ThreadId, seq: Seq) -> Result<(), StoreError> {
        let head = self.rows.head();
        if seq == head.map_or(Seq(1), Seq::next) { Ok(()) } else { Err(super::stale(thread, seq, head)) }
    }
}

impl ThreadWriter for MemoryWriter {
    fn head(&self) -> Option<Seq> {
        lock(&self.log).rows.head()
    }

    fn append(&self, record: Record, _flush: Flush) -> Result<Ack, StoreError> {
        lock(&self.log).append(&self.thread, record).map(|()| Ack::Done)
    }

    fn commit(&self, commit: &Commit<'_>, _flush: Flush) -> Result<Ack, StoreError> {
        let mut log = lock(&self.log);
        log.follows(&self.thread, commit.seq)?;
        log.rows.commit(commit);
        Ok(Ack::Done)
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
            let newest = log.rows.checkpoint(log.rows.len().checked_sub(1)?);
            Some(summary(thread, &newest, &log.tasks_of(&newest)))
        };
        Box::pin(async move { Ok(lock(&self.threads).iter().filter_map(listed).collect()) })
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.delete_now(thread) })
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move { self.copy_now(from, to) })
    }

    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        let plan = move |log: &Log| {
            let newest = || StoreError::NewestRun { thread: thread.clone(), run };
            retention::without_run(&log.runs(), run).ok_or_else(newest)
        };
        Box::pin(async move { self.prune_now(thread, plan, rebuild) })
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        let plan = move |log: &Log| Ok(retention::plan(&log.places(), keep));
        Box::pin(async move { self.prune_now(thread, plan, rebuild) })
    }
}
