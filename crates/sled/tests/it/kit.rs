//! Checkpoints to store, and short ways to do what every test of a store does.
//!
//! The state of these threads is the list of the positions that led to it: a checkpoint's one update is its own position, so
//! that what was rebuilt can be told from what should have been.

use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use stategraph_core::{
    AskedQuestion, Checkpoint, CheckpointStore, Digest, FORMAT, Flush, HistoryQuery, Lineage, Namespace,
    PlannedTask, Record, Seq, Source, StoreError, TaskEntry, TaskId, TaskRecord, ThreadId, ThreadWriter,
    WholeState, Write,
};

pub(super) fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).unwrap()
}

pub(super) fn json(value: impl serde::Serialize) -> Box<RawValue> {
    to_raw_value(&value).unwrap()
}

/// A checkpoint without a snapshot.
pub(super) fn checkpoint(seq: u64, parent: Option<u64>) -> Checkpoint {
    Checkpoint {
        format: FORMAT,
        seq: Seq(seq),
        parent: parent.map(Seq),
        namespace: Namespace::ROOT,
        run: 1,
        step: seq - 1,
        source: if seq == 1 { Source::Input } else { Source::Loop },
        at_ms: 1_700_000_000_000 + seq,
        name: "kit".into(),
        graph: Digest::of("graph"),
        schema: Digest::of("schema"),
        writes: vec![Write { node: "walk".into(), update: json(seq) }],
        snapshot: None,
        next: vec![PlannedTask { node: "walk".into(), item: None }],
        joins: Vec::new(),
        rare: None,
    }
}

/// The checkpoint after `seq - 1`.
pub(super) fn next(seq: u64) -> Checkpoint {
    checkpoint(seq, seq.checked_sub(1).filter(|parent| *parent > 0))
}

pub(super) fn with_snapshot(mut checkpoint: Checkpoint, state: &[u64]) -> Checkpoint {
    checkpoint.snapshot = Some(json(state));
    checkpoint
}

pub(super) fn task(base: u64, index: u32, entry: TaskEntry) -> TaskRecord {
    TaskRecord { task: TaskId { base: Seq(base), index }, entry }
}

pub(super) fn asks(call: u32, question: &str) -> TaskEntry {
    TaskEntry::Asked(AskedQuestion {
        call,
        question: json(question),
        schema: None,
        dropped_answer: None,
        inner: None,
    })
}

pub(super) fn once(base: u64, key: &str) -> TaskRecord {
    task(base, 0, TaskEntry::Once { key: key.into(), value: json(key), inner: Vec::new() })
}

/// Appends and waits.
pub(super) async fn put(
    writer: &Arc<dyn ThreadWriter>,
    record: impl Into<Entry>,
    flush: Flush,
) -> Result<(), StoreError> {
    writer.append(record.into().0, flush)?.wait().await
}

/// Appends the checkpoints `from..=to` of a straight line.
pub(super) async fn walk(writer: &Arc<dyn ThreadWriter>, from: u64, to: u64) {
    for seq in from..=to {
        put(writer, next(seq), Flush::Synced).await.unwrap();
    }
}

/// A thread with the checkpoints `1..=to`, and nobody who writes to it.
pub(super) async fn walked(store: &dyn CheckpointStore, name: &str, to: u64) -> ThreadId {
    let thread = thread(name);
    let writer = store.claim(&thread).await.unwrap();
    walk(&writer, 1, to).await;
    thread
}

/// What can be appended.
pub(super) struct Entry(Record);

impl From<Checkpoint> for Entry {
    fn from(checkpoint: Checkpoint) -> Self {
        Self(Record::Checkpoint(Arc::new(checkpoint)))
    }
}

impl From<TaskRecord> for Entry {
    fn from(record: TaskRecord) -> Self {
        Self(Record::Task(record))
    }
}

/// The state at the end of a chain.
pub(super) fn state(chain: &[Arc<Checkpoint>]) -> Vec<u64> {
    let mut state: Vec<u64> = Vec::new();
    for checkpoint in chain {
        match &checkpoint.snapshot {
            Some(snapshot) => state = serde_json::from_str(snapshot.get()).unwrap(),
            None => {
                state
                    .extend(checkpoint.writes.iter().map(|write| write.update.get().parse::<u64>().unwrap()));
            }
        }
    }
    state
}

/// Makes snapshots for a prune.
#[allow(clippy::unnecessary_wraps, reason = "the shape of a Rebuild")]
pub(super) fn rebuild(chain: &[Arc<Checkpoint>]) -> Result<WholeState, StoreError> {
    Ok(WholeState { state: json(state(chain)), schema: chain[0].schema })
}

pub(super) async fn load(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    seq: Option<u64>,
) -> Option<Lineage> {
    store.load(thread, seq.map(Seq)).await.unwrap()
}

/// The state at a checkpoint, which must exist.
pub(super) async fn state_at(store: &dyn CheckpointStore, thread: &ThreadId, seq: Option<u64>) -> Vec<u64> {
    state(&load(store, thread, seq).await.expect("the checkpoint exists").chain)
}

/// The positions in a listing, newest first.
pub(super) async fn listed(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    before: Option<u64>,
    limit: Option<usize>,
) -> Vec<u64> {
    let query = HistoryQuery::default().before(before.map(Seq)).limit(limit);
    let history = store.history(thread, &query).await.unwrap();
    history.iter().map(|entry| entry.checkpoint.seq.0).collect()
}

/// The keys of the journaled calls among these records.
pub(super) fn keys(tasks: &[TaskRecord]) -> Vec<String> {
    let key = |record: &TaskRecord| match &record.entry {
        TaskEntry::Once { key, .. } => Some(key.to_string()),
        _ => None,
    };
    tasks.iter().filter_map(key).collect()
}

/// A thread's entry in the listing of all.
pub(super) async fn summary(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
) -> Option<stategraph_core::ThreadSummary> {
    store.threads().await.unwrap().into_iter().find(|summary| summary.thread == *thread)
}
