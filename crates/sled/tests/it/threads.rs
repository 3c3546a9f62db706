//! Many threads, and threads of any name.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::BoxFuture;
use stategraph_core::store::resolve;
use stategraph_core::{
    CheckpointStore, HistoryEntry, HistoryQuery, Lineage, Pruned, Rebuild, Retention, Seq, StoreError,
    ThreadId, ThreadSummary, ThreadWriter,
};
use stategraph_sled::SledStore;

use super::kit::{listed, rebuild, state_at, thread, walk, walked};

const NAMES: [&str; 16] = [
    "a",
    "A",
    "CON",
    "Con",
    "con",
    "con.txt",
    "nul",
    "lpt1",
    "a.",
    "user@example.com",
    "a:b",
    "ü",
    "Ü",
    "日本",
    "a+b=c~d,e",
    "x-y_z.1",
];

#[tokio::test]
async fn threads_whose_ids_look_alike_have_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    for (to, name) in (1..).zip(NAMES) {
        walked(&store, name, to).await;
    }
    let mut small: Vec<String> = fs::read_dir(folder.path().join("threads"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().to_lowercase())
        .collect();
    small.sort();
    small.dedup();
    assert_eq!(small.len(), NAMES.len(), "{small:?}");
    for name in &small {
        let stem = name.split('.').next().unwrap();
        assert!(name.is_ascii() && !["con", "nul", "lpt1"].contains(&stem) && !name.contains(':'), "{name}");
    }
    let mut names: Vec<String> =
        store.threads().await.unwrap().into_iter().map(|summary| summary.thread.to_string()).collect();
    names.sort();
    let mut expected = NAMES.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(names, expected);
    for (to, name) in (1..).zip(NAMES) {
        assert_eq!(state_at(&store, &thread(name), None).await, (1..=to).collect::<Vec<u64>>());
        store.prune(&thread(name), Retention::keep_last(1), &rebuild).await.unwrap();
        assert_eq!(listed(&store, &thread(name), None, None).await, [to]);
        store.delete(&thread(name)).await.unwrap();
    }
    assert_eq!(fs::read_dir(folder.path().join("threads")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_named_by_an_earlier_version_is_found_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    walked(&store, "Old", 2).await;
    drop(store);
    let threads = folder.path().join("threads");
    fs::rename(threads.join("%4fld.log"), threads.join("Old.log")).unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    walk(&store.claim(&thread("Old")).await.unwrap(), 3, 3).await;
    store.prune(&thread("Old"), Retention::keep_last(2), &rebuild).await.unwrap();
    assert_eq!(listed(&store, &thread("Old"), None, None).await, [3, 2]);
    assert!(listed(&store, &thread("old"), None, None).await.is_empty());
    let names: Vec<_> = fs::read_dir(&threads).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["Old.log"]);
    assert_eq!(store.threads().await.unwrap().len(), 1);
}

#[test]
fn an_id_that_ends_like_a_checkpoint_is_refused() {
    assert_eq!(
        ThreadId::new("a@3").unwrap_err().to_string(),
        "the thread id `a@3` ends like a checkpoint: `@` and a number"
    );
    for refused in ["a/b", "a\\b", "a b", ".a", "a\u{202e}b", "a%b", "a\n"] {
        assert!(ThreadId::new(refused).is_err(), "{refused:?}");
    }
    let checkpoint: stategraph_core::CheckpointId = "user@example.com@3".parse().unwrap();
    assert_eq!((checkpoint.thread.as_str(), checkpoint.seq), ("user@example.com", Seq(3)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn two_thousand_runs_at_once_need_no_descriptor_each() {
    use super::child::{Running, limited};
    let folder = tempfile::tempdir().unwrap();
    let mut many = Running::start(limited("ulimit -n 1024", "many", folder.path()));
    many.hear("holding");
    let store = SledStore::open(folder.path()).unwrap();
    for held in [0, 700, 1_999] {
        // Its journal need not be open for that.
        let busy =
            store.claim(&thread(&format!("many-{held}"))).await.err().expect("another process holds it");
        assert!(matches!(busy, StoreError::Busy { .. }), "{busy}");
    }
    many.dismiss();
    assert_eq!(store.threads().await.unwrap().iter().filter(|summary| summary.head == Seq(2)).count(), 2_000);
    drop(store.claim(&thread("many-700")).await.unwrap());
}

#[cfg(target_os = "linux")]
#[test]
fn a_limit_that_is_reached_is_named() {
    for (number, limit) in [(24, "(`ulimit -n`)"), (27, "(`ulimit -f`)")] {
        let error =
            StoreError::io("open", "checkpoints/threads/x.log", std::io::Error::from_raw_os_error(number));
        assert!(error.hint().contains(limit), "{}", error.hint());
    }
}

/// Tells how often all threads were looked at.
struct Counting {
    store: SledStore,
    listings: AtomicUsize,
}

impl CheckpointStore for Counting {
    fn place(&self) -> String {
        self.store.place()
    }

    fn claim<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<Arc<dyn ThreadWriter>, StoreError>> {
        self.store.claim(thread)
    }

    fn load<'a>(
        &'a self,
        thread: &'a ThreadId,
        seq: Option<Seq>,
    ) -> BoxFuture<'a, Result<Option<Lineage>, StoreError>> {
        self.store.load(thread, seq)
    }

    fn history<'a>(
        &'a self,
        thread: &'a ThreadId,
        query: &'a HistoryQuery,
    ) -> BoxFuture<'a, Result<Vec<HistoryEntry>, StoreError>> {
        self.store.history(thread, query)
    }

    fn threads(&self) -> BoxFuture<'_, Result<Vec<ThreadSummary>, StoreError>> {
        self.listings.fetch_add(1, Ordering::Relaxed);
        self.store.threads()
    }

    fn ids<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<ThreadId>, StoreError>> {
        self.store.ids(prefix)
    }

    fn delete<'a>(&'a self, thread: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.delete(thread)
    }

    fn copy<'a>(&'a self, from: &'a ThreadId, to: &'a ThreadId) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.copy(from, to)
    }

    fn delete_run<'a>(
        &'a self,
        thread: &'a ThreadId,
        run: u64,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.store.delete_run(thread, run, rebuild)
    }

    fn prune<'a>(
        &'a self,
        thread: &'a ThreadId,
        keep: Retention,
        rebuild: Rebuild<'a>,
    ) -> BoxFuture<'a, Result<Pruned, StoreError>> {
        self.store.prune(thread, keep, rebuild)
    }
}

#[tokio::test]
async fn a_prefix_is_found_by_names_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = Counting { store: SledStore::open(folder.path()).unwrap(), listings: AtomicUsize::new(0) };
    for name in ["debate-alpha", "debate-alpine", "sections-1"] {
        walked(&store, name, 1).await;
    }
    // Claimed, and never written to.
    let empty = store.claim(&thread("sections-2")).await.unwrap();
    assert_eq!(resolve(&store, "sect").await.unwrap().thread, thread("sections-1"));
    assert!(matches!(resolve(&store, "debate-al").await, Err(StoreError::Ambiguous { .. })));
    assert!(matches!(resolve(&store, "debat-alpha").await, Err(StoreError::NoThread { .. })));
    assert_eq!(store.listings.into_inner(), 0);
    drop(empty);
}
