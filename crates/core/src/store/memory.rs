//! The checkpoint store in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::lineage::{self, ChainLink};
use super::lock;
use super::retention::{PrunePlan, plan_prune, plan_run_removal};
use super::summary::summarize;
use crate::{
    Ack, Checkpoint, CheckpointStore, Flush, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Record,
    Retention, Seq, StoreError, TaskRecord, ThreadId, ThreadSummary, ThreadWriter, to_root,
};

/// A checkpoint store in memory. Clones share the threads; they are gone with the last clone.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// use std::sync::Arc;
/// use stategraph_core::store::MemoryStore;
///
/// # fn main() { show(async {
/// let graph = counter().compile()?.with_store(Arc::new(MemoryStore::new()));
/// assert!(graph.run(Count::default()).await?.thread.is_some());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    threads: Arc<Mutex<BTreeMap<ThreadId, SharedLog>>>,
}

type SharedLog = Arc<Mutex<ThreadLog>>;

/// The log of one thread.
#[derive(Debug, Default)]
struct ThreadLog {
    /// Sorted by position. A prune leaves gaps between the positions.
    checkpoints: Vec<Arc<Checkpoint>>,
    /// The records of tasks in log order, by the checkpoint that planned them.
    tasks: BTreeMap<Seq, Vec<TaskRecord>>,
    /// A run holds the thread.
    is_claimed: bool,
}

/// The claim of one run on a thread. Dropping it ends the claim.
struct MemoryWriter {
    thread: ThreadId,
    log: SharedLog,
}

impl MemoryStore {
    /// Makes an empty store.
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
        let shared = lock(&self.threads).entry(thread.clone()).or_default().clone();
        let mut log = lock(&shared);
        log.check_unclaimed(thread)?;
        log.is_claimed = true;
        drop(log);
        Ok(Arc::new(MemoryWriter { thread: thread.clone(), log: shared }))
    }

    fn delete_now(&self, thread: &ThreadId) -> Result<(), StoreError> {
        let mut threads = lock(&self.threads);
        if let Some(log) = threads.get(thread) {
            lock(log).check_unclaimed(thread)?;
        }
        threads.remove(thread);
        Ok(())
    }

    fn copy_now(&self, from: &ThreadId, to: &ThreadId) -> Result<(), StoreError> {
        let source = self.log(from).ok_or_else(|| self.no_thread(from))?;
        // Copied before the target is locked, because two copies in opposite directions would wait for each other.
        let (checkpoints, tasks) = {
            let source = lock(&source);
            (source.checkpoints.clone(), source.tasks.clone())
        };
        if checkpoints.is_empty() {
            return Err(self.no_thread(from));
        }
        let target = lock(&self.threads).entry(to.clone()).or_default().clone();
        let mut target = lock(&target);
        target.check_unclaimed(to)?;
        if !target.checkpoints.is_empty() {
            return Err(StoreError::Exists { thread: to.clone() });
        }
        (target.checkpoints, target.tasks) = (checkpoints, tasks);
        Ok(())
    }

    /// Removes the checkpoints that `plan` does not keep, with the records of their tasks. Fails while a run
    /// holds the thread.
    fn prune_now(
        &self,
        thread: &ThreadId,
        plan: impl FnOnce(&ThreadLog) -> Result<PrunePlan, StoreError>,
        rebuild: Rebuild<'_>,
    ) -> Result<Pruned, StoreError> {
        let log = self.log(thread).ok_or_else(|| self.no_thread(thread))?;
        let mut log = lock(&log);
        log.check_unclaimed(thread)?;
        let plan = plan(&log)?;
        let kept = log.kept_checkpoints(thread, &plan, rebuild)?;
        let bytes = text_bytes(&log.checkpoints).saturating_sub(text_bytes(&kept)) as u64;
        log.checkpoints = kept;
        log.tasks.retain(|seq, _| plan.keep.binary_search(seq).is_ok());
        Ok(Pruned { checkpoints: plan.removed, bytes })
    }
}

fn text_bytes(checkpoints: &[Arc<Checkpoint>]) -> usize {
    checkpoints.iter().map(|checkpoint| checkpoint.text_bytes()).sum()
}

impl ThreadLog {
    fn check_unclaimed(&self, thread: &ThreadId) -> Result<(), StoreError> {
        if self.is_claimed {
            return Err(StoreError::Busy {
                thread: thread.clone(),
                holder: "another run in this process".into(),
            });
        }
        Ok(())
    }

    fn head(&self) -> Option<Seq> {
        self.checkpoints.last().map(|newest| newest.seq)
    }

    fn find(&self, seq: Seq) -> Option<&Arc<Checkpoint>> {
        let at = self.checkpoints.binary_search_by_key(&seq, |checkpoint| checkpoint.seq).ok()?;
        Some(&self.checkpoints[at])
    }

    /// Returns all checkpoints, oldest first, each as its [`ChainLink`] with the number of the run that wrote
    /// it.
    fn links_and_runs(&self) -> Vec<(ChainLink, u64)> {
        self.checkpoints.iter().map(|checkpoint| (ChainLink::of(checkpoint), checkpoint.run)).collect()
    }

    fn tasks_of(&self, checkpoint: &Checkpoint) -> Vec<TaskRecord> {
        lineage::visible_records(checkpoint, self.tasks.get(&checkpoint.seq).cloned().unwrap_or_default())
    }

    /// Returns the checkpoints that the state at `tip` is rebuilt from, oldest first.
    fn chain(&self, thread: &ThreadId, tip: &Checkpoint) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let find = |seq| self.find(seq).map(|checkpoint| ChainLink::of(checkpoint));
        let chain = lineage::chain_to(ChainLink::of(tip), find)
            .map_err(|seq| StoreError::NoCheckpoint { thread: thread.clone(), seq })?;
        Ok(chain.into_iter().filter_map(|seq| self.find(seq).cloned()).collect())
    }

    fn lineage(&self, thread: &ThreadId, seq: Option<Seq>) -> Result<Option<Lineage>, StoreError> {
        let tip = match seq {
            Some(seq) => self.find(seq),
            None => self.checkpoints.last(),
        };
        let Some(tip) = tip else { return Ok(None) };
        Ok(Some(Lineage { chain: self.chain(thread, tip)?, tasks: self.tasks_of(tip) }))
    }

    fn history(&self, query: &HistoryQuery) -> Vec<HistoryEntry> {
        let is_older =
            |checkpoint: &&Arc<Checkpoint>| query.before.is_none_or(|before| checkpoint.seq < before);
        let entry = |checkpoint: &Arc<Checkpoint>| HistoryEntry {
            checkpoint: checkpoint.clone(),
            tasks: self.tasks_of(checkpoint),
        };
        let newest_first = self.checkpoints.iter().rev().filter(is_older);
        newest_first.take(query.limit.unwrap_or(usize::MAX)).map(entry).collect()
    }

    /// Returns the checkpoints that a prune keeps, oldest first. A checkpoint whose parent is removed becomes
    /// a root with a snapshot, which `rebuild` makes.
    fn kept_checkpoints(
        &self,
        thread: &ThreadId,
        plan: &PrunePlan,
        rebuild: Rebuild<'_>,
    ) -> Result<Vec<Arc<Checkpoint>>, StoreError> {
        let kept = plan.keep.iter().filter_map(|seq| self.find(*seq));
        kept.map(|checkpoint| {
            if plan.roots.contains(&checkpoint.seq) {
                Ok(Arc::new(to_root(&self.chain(thread, checkpoint)?, rebuild)?))
            } else {
                Ok(checkpoint.clone())
            }
        })
        .collect()
    }

    fn append(&mut self, thread: &ThreadId, record: Record) -> Result<(), StoreError> {
        match record {
            Record::Checkpoint(checkpoint) => {
                let head = self.head();
                if checkpoint.seq != head.map_or(Seq(1), Seq::next) {
                    return Err(super::conflict(thread, checkpoint.seq, head));
                }
                self.checkpoints.push(checkpoint);
            }
            Record::Task(record) => {
                let seq = record.task.base;
                if self.find(seq).is_none() {
                    return Err(StoreError::NoCheckpoint { thread: thread.clone(), seq });
                }
                self.tasks.entry(seq).or_default().push(record);
            }
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
}

impl Drop for MemoryWriter {
    fn drop(&mut self) {
        lock(&self.log).is_claimed = false;
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
        let entry = |(thread, log): (&ThreadId, &SharedLog)| {
            let log = lock(log);
            let newest = log.checkpoints.last()?;
            Some(summarize(thread, newest, &log.tasks_of(newest)))
        };
        Box::pin(async move { Ok(lock(&self.threads).iter().filter_map(entry).collect()) })
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
        let plan = move |log: &ThreadLog| {
            let newest = || StoreError::NewestRun { thread: thread.clone(), run };
            plan_run_removal(&log.links_and_runs(), run).ok_or_else(newest)
        };
        Box::pin(async move { self.prune_now(thread, plan, rebuild) })
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        let plan = move |log: &ThreadLog| {
            let links: Vec<ChainLink> =
                log.checkpoints.iter().map(|checkpoint| ChainLink::of(checkpoint)).collect();
            Ok(plan_prune(&links, keep))
        };
        Box::pin(async move { self.prune_now(thread, plan, rebuild) })
    }
}
