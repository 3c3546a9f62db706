//! What a store costs: bytes on disk in the suite, times on request:
//! `cargo test --release --test it -- --ignored --nocapture store::figures`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stategraph::engine::{
    Checkpoint, CheckpointStore, Flush, HistoryQuery, Record, ThreadId, ThreadWriter, Write as Update,
};
use stategraph::store::{MemoryStore, SledStore};

use super::kit::{json, load, next, put, thread};

const KIB: u64 = 1 << 10;

/// A list of messages of 1 KiB, one more with each checkpoint, and a snapshot whenever the updates since the first are twice as
/// long as at the last.
struct Conversation {
    state: String,
    updates: usize,
    at_snapshot: usize,
}

impl Conversation {
    fn new() -> Self {
        Self { state: String::new(), updates: 0, at_snapshot: 0 }
    }

    fn checkpoint(&mut self, seq: u64) -> Checkpoint {
        let message = format!(r#""{}""#, "m".repeat(1 << 10));
        let update = format!(r#"{{"messages":[{message}]}}"#);
        self.state += if seq > 1 { "," } else { "" };
        self.state += &message;
        self.updates += update.len();
        let mut checkpoint = next(seq);
        let raw = |json: String| serde_json::value::RawValue::from_string(json).unwrap();
        checkpoint.writes = vec![Update { node: "model".into(), update: raw(update) }];
        if self.updates >= 2 * self.at_snapshot {
            self.at_snapshot = self.updates;
            checkpoint.snapshot = Some(raw(format!(r#"{{"messages":[{}]}}"#, self.state)));
        }
        checkpoint
    }
}

/// A thread of so many messages.
async fn talked(store: &dyn CheckpointStore, name: &str, messages: u64) -> ThreadId {
    let (thread, mut conversation) = (thread(name), Conversation::new());
    let writer = store.claim(&thread).await.unwrap();
    for seq in 1..=messages {
        let flush = if seq == messages { Flush::Synced } else { Flush::Lazy };
        put(&writer, conversation.checkpoint(seq), flush).await.unwrap();
    }
    thread
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(
            |entry| {
                if entry.path().is_dir() { bytes_in(&entry.path()) } else { entry.metadata().unwrap().len() }
            },
        )
        .sum()
}

/// P1, D14: 2,000 appended messages of 1 KiB take at most 8 MB in all, twice as many 2.0 to 2.1 times as much.
#[tokio::test]
async fn an_append_only_list_is_stored_in_linear_space() {
    let mut sizes = Vec::new();
    for messages in [1_000, 2_000, 4_000] {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path()).unwrap();
        let thread = talked(&store, "conversation", messages).await;
        assert!(load(&store, &thread, None).await.is_some());
        drop(store);
        sizes.push(bytes_in(folder.path()));
    }
    assert!(sizes[1] <= 8_000_000, "{sizes:?}");
    for pair in sizes.windows(2) {
        assert!((199..=210).contains(&(pair[1] * 100 / pair[0])), "{sizes:?}");
    }
}

/// The median, and the best, which other work on the machine disturbs least.
fn p50(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    format!("{:.1?} (best {:.1?})", times[times.len() / 2], times[0])
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    std::hint::black_box(work());
    begin.elapsed()
}

async fn timed_load(folder: &Path, index_from: u64, thread: &ThreadId) -> (Duration, String) {
    let begin = Instant::now();
    let store = SledStore::open_indexed_from(folder, index_from).unwrap();
    load(&store, thread, None).await.unwrap();
    let first = begin.elapsed();
    let mut again = Vec::new();
    for _ in 0..50 {
        let begin = Instant::now();
        load(&store, thread, None).await.unwrap();
        again.push(begin.elapsed());
    }
    (first, p50(again))
}

/// Prints; asserts nothing, since other work on the machine would make it fail.
#[allow(clippy::print_stderr, reason = "the figures are what it is for")]
#[tokio::test]
#[ignore = "measures"]
async fn figures() {
    let folder = tempfile::tempdir().unwrap();
    appends(folder.path()).await;
    for messages in [2_000, 4_000, 40_000] {
        let name = format!("talk-{messages}");
        let path = folder.path().join(&name);
        let thread = talked(&SledStore::open(&path).unwrap(), &name, messages).await;
        eprintln!("{messages} messages of 1 KiB: {} KiB of journal", bytes_in(&path) / KIB);
        let (first, again) = timed_load(&path, u64::MAX, &thread).await;
        eprintln!("  open and load by scan {first:.1?}, load again {again}");
        drop(timed_load(&path, 0, &thread).await);
        let (first, again) = timed_load(&path, 0, &thread).await;
        eprintln!(
            "  open and load by index {first:.1?}, load again {again}; index {} KiB",
            bytes_in(&path.join("index")) / KIB
        );
        let store = SledStore::open(&path).unwrap();
        let mut histories = Vec::new();
        for _ in 0..10 {
            let begin = Instant::now();
            store.history(&thread, &HistoryQuery::default()).await.unwrap();
            histories.push(begin.elapsed());
        }
        eprintln!("  history {}", p50(histories));
        let begin = Instant::now();
        drop(store.claim(&thread).await.unwrap());
        eprintln!("  claim {:.1?}", begin.elapsed());
    }
    memory().await;
}

/// An append and its acknowledgement as synced against a bare append with fdatasync, turn by turn.
#[allow(clippy::print_stderr, reason = "the figures are what it is for")]
async fn appends(folder: &Path) {
    let store = SledStore::open(folder.join("appends")).unwrap();
    let writer: Arc<dyn ThreadWriter> = store.claim(&thread("appends")).await.unwrap();
    let mut bare = fs::File::create(folder.join("bare")).unwrap();
    let (mut ours, mut floor, mut lazy) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..1_000 {
        let mut checkpoint = next(2 * round + 1);
        checkpoint.writes[0].update = json("m".repeat(2 << 10));
        let bytes = serde_json::to_vec(&checkpoint).unwrap();
        floor.push(timed(|| bare.write_all(&bytes).and_then(|()| bare.sync_data()).unwrap()));
        let begin = Instant::now();
        put(&writer, checkpoint.clone(), Flush::Synced).await.unwrap();
        ours.push(begin.elapsed());
        checkpoint.seq = checkpoint.seq.next();
        let begin = Instant::now();
        put(&writer, checkpoint, Flush::Lazy).await.unwrap();
        lazy.push(begin.elapsed());
    }
    eprintln!(
        "append of 2 KiB, p50: synced {}, bare append + fdatasync {}, lazy {}",
        p50(ours),
        p50(floor),
        p50(lazy)
    );
}

/// A checkpoint is appended while it still is in the processor's cache, as in a run.
#[allow(clippy::print_stderr, reason = "the figures are what it is for")]
async fn memory() {
    const AT_A_TIME: usize = 100;
    let store = MemoryStore::new();
    for steps in [1_000_u64, 10_000, 100_000] {
        let writer = store.claim(&thread(&format!("steps-{steps}"))).await.unwrap();
        let mut spent = Duration::ZERO;
        for first in (1..=steps).step_by(AT_A_TIME) {
            let made = (first..first + AT_A_TIME as u64).map(|seq| Record::Checkpoint(Arc::new(next(seq))));
            let records: Vec<Record> = made.collect();
            spent += timed(|| {
                for record in records {
                    drop(writer.append(record, Flush::Synced).unwrap());
                }
            });
        }
        eprintln!("memory: {} ns an append at {steps} steps", spent.as_nanos() / u128::from(steps));
    }
}
