//! A workload to be interrupted, and the check of what it left: checkpoints of 2 and 80 KiB, task records, lazy and synced appends,
//! prunes, on several threads at once. Everything is a function of thread and position, so that a reader knows what must be there.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stategraph_core::{
    Ack, Checkpoint, CheckpointStore, Flush, HistoryQuery, Record, Retention, Seq, StoreError, TaskEntry,
    TaskRecord, ThreadId, ThreadWriter, WholeState, Write,
};
use stategraph_sled::SledStore;

use super::kit::{json, next, task, thread};

/// How many threads are written at once.
pub(super) const THREADS: u64 = 3;

/// How many checkpoints a prune leaves.
const KEPT: usize = 12;

/// Journals of so many bytes are indexed, so that the index is part of what is interrupted.
pub(super) const INDEX_FROM: u64 = 64 << 10;

/// What was acknowledged of a thread: a checkpoint and how many records of its tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) seq: u64,
    pub(super) tasks: usize,
}

/// What was acknowledged, by thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Acknowledged {
    /// At all.
    pub(super) written: BTreeMap<String, Position>,
    /// As synced, or before something synced.
    pub(super) synced: BTreeMap<String, Position>,
    /// The checkpoints that processes went on from: an earlier one may have been interrupted there.
    pub(super) begun: BTreeSet<(String, u64)>,
}

impl Acknowledged {
    /// Takes a line of [`run`].
    pub(super) fn take(&mut self, line: &str) {
        if let Some((thread, seq)) = line.strip_prefix("from ").and_then(|line| line.split_once(' ')) {
            self.begun.insert((thread.to_owned(), seq.parse().unwrap()));
        }
        let Some((_, line)) = line.split_once("ack ") else { return };
        let words: Vec<&str> = line.split(' ').collect();
        let [thread, seq, tasks, flush] = words.as_slice() else { return };
        let at = Position { seq: seq.parse().unwrap(), tasks: tasks.parse().unwrap() };
        self.written.insert((*thread).to_owned(), at);
        if *flush == "synced" {
            self.synced.insert((*thread).to_owned(), at);
        }
    }
}

/// Writes to all threads until each has `rounds` more checkpoints, or is refused; `say` gets a line for each acknowledgement. Gives the
/// errors.
pub(super) async fn run(store: &SledStore, rounds: u64, say: &(dyn Fn(&str) + Sync)) -> Vec<StoreError> {
    let threads = (0..THREADS).map(|number| one(store, number, rounds, say));
    let ends = futures_util::future::join_all(threads).await;
    ends.into_iter().filter_map(Result::err).collect()
}

async fn one(
    store: &SledStore,
    number: u64,
    rounds: u64,
    say: &(dyn Fn(&str) + Sync),
) -> Result<(), StoreError> {
    let thread = thread(&format!("thread-{number}"));
    let mut writer = store.claim(&thread).await?;
    let begun = writer.head().map_or(0, |head| head.0);
    say(&format!("from {thread} {begun}\n"));
    for seq in begun + 1..=begun + rounds {
        if seq > 25 && seq % 25 == number {
            drop(writer);
            store.prune(&thread, Retention::keep_last(KEPT), &rebuild).await?;
            writer = store.claim(&thread).await?;
        }
        superstep(&writer, &thread, number, seq, say).await?;
    }
    Ok(())
}

/// A checkpoint and then what its tasks leave; some appends are under way together, as in a run with `async` durability.
async fn superstep(
    writer: &Arc<dyn ThreadWriter>,
    thread: &ThreadId,
    number: u64,
    seq: u64,
    say: &(dyn Fn(&str) + Sync),
) -> Result<(), StoreError> {
    let records = std::iter::once(Record::Checkpoint(Arc::new(wanted(number, seq))))
        .chain((0..tasks(number, seq)).map(|index| Record::Task(left(seq, index))));
    let mut under_way: Vec<(usize, Flush, Ack)> = Vec::new();
    for (index, record) in records.enumerate() {
        let flush = if (seq + index as u64 + number).is_multiple_of(3) { Flush::Lazy } else { Flush::Synced };
        under_way.push((index, flush, writer.append(record, flush)?));
        if !seq.is_multiple_of(4) {
            settle(&mut under_way, thread, seq, say).await?;
        }
    }
    settle(&mut under_way, thread, seq, say).await
}

async fn settle(
    under_way: &mut Vec<(usize, Flush, Ack)>,
    thread: &ThreadId,
    seq: u64,
    say: &(dyn Fn(&str) + Sync),
) -> Result<(), StoreError> {
    for (tasks, flush, ack) in under_way.drain(..) {
        ack.wait().await?;
        let flush = if flush == Flush::Synced { "synced" } else { "lazy" };
        say(&format!("ack {thread} {seq} {tasks} {flush}\n"));
    }
    Ok(())
}

/// How many records the tasks of a checkpoint leave.
fn tasks(number: u64, seq: u64) -> usize {
    usize::try_from((seq * 7 + number) % 4).unwrap()
}

fn wanted(number: u64, seq: u64) -> Checkpoint {
    let size = if (seq + number).is_multiple_of(20) { 80 << 10 } else { 2 << 10 };
    let filler: String = ('a'..='z').cycle().skip(usize::try_from(seq % 26).unwrap()).take(size).collect();
    let update = serde_json::json!({ "seq": seq, "filler": filler });
    Checkpoint { writes: vec![Write { node: "walk".into(), update: json(update) }], ..next(seq) }
}

fn left(seq: u64, index: usize) -> TaskRecord {
    let key = format!("{seq}-{index}");
    task(seq, 0, TaskEntry::Once { value: json("x".repeat(300)), key: key.into(), inner: Vec::new() })
}

#[allow(clippy::unnecessary_wraps, reason = "the shape of a Rebuild")]
fn rebuild(chain: &[Arc<Checkpoint>]) -> Result<WholeState, StoreError> {
    Ok(WholeState { state: json(chain.last().map(|tip| tip.seq)), schema: chain[0].schema })
}

/// Checks a store that a run was interrupted in: that it opens by itself, holds everything up to `acknowledged`, nothing that
/// was never written, and takes more. `interrupted` are the checkpoints of which records may be missing since earlier times.
pub(super) async fn check(
    store: &SledStore,
    acknowledged: &BTreeMap<String, Position>,
    interrupted: &mut BTreeSet<(String, u64)>,
) {
    for number in 0..THREADS {
        let thread = thread(&format!("thread-{number}"));
        let due = acknowledged.get(thread.as_str()).copied().unwrap_or_default();
        let writer = store.claim(&thread).await.unwrap();
        let found = found(store, &thread, number, interrupted).await;
        assert!(found >= due, "{thread}: {found:?} is there, {due:?} was acknowledged");
        assert_eq!(writer.head().map_or(0, |head| head.0), found.seq);
        let more = Record::Checkpoint(Arc::new(wanted(number, found.seq + 1)));
        writer.append(more, Flush::Synced).unwrap().wait().await.unwrap();
        drop(writer);
        interrupted.extend([found.seq, found.seq + 1].map(|seq| (thread.to_string(), seq)));
        let after = self::found(store, &thread, number, interrupted).await;
        assert_eq!(after, Position { seq: found.seq + 1, tasks: 0 });
    }
}

/// How far a thread is there, with everything before in its place.
async fn found(
    store: &SledStore,
    thread: &ThreadId,
    number: u64,
    interrupted: &BTreeSet<(String, u64)>,
) -> Position {
    let history = store.history(thread, &HistoryQuery::default()).await.unwrap();
    let newest = history.first().map_or(0, |entry| entry.checkpoint.seq.0);
    let mut expected = newest;
    for entry in &history {
        assert_eq!(entry.checkpoint.seq, Seq(expected), "{thread} has a gap");
        let wanted = wanted(number, expected);
        assert_eq!(entry.checkpoint.writes[0].update.get(), wanted.writes[0].update.get());
        // Its parent is there, or it stands alone since a prune.
        let root = entry.checkpoint.snapshot.is_some();
        assert!(root || entry.checkpoint.parent == wanted.parent, "{thread}@{expected} lost its parent");
        let keys: Vec<_> = (0..tasks(number, expected)).map(|index| format!("{expected}-{index}")).collect();
        let there = super::kit::keys(&entry.tasks);
        assert_eq!(there, keys[..there.len()], "{thread}@{expected}");
        let may_miss = expected == newest || interrupted.contains(&(thread.to_string(), expected));
        assert!(may_miss || there.len() == keys.len(), "{thread}@{expected} lost records of its tasks");
        expected -= 1;
    }
    assert!(expected == 0 || history.len() >= KEPT, "{thread} was pruned too far");
    let lineage = store.load(thread, None).await.unwrap();
    let rooted =
        lineage.is_none_or(|found| found.chain[0].snapshot.is_some() || found.chain[0].seq == Seq(1));
    assert!(rooted, "{thread} cannot be rebuilt");
    Position { seq: newest, tasks: history.first().map_or(0, |entry| entry.tasks.len()) }
}
