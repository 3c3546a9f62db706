//! Several processes in one folder at once. Issue 2, "done when": two debates at once, the history of a running thread.

use stategraph_core::{CheckpointStore, Seq, StoreError};
use stategraph_sled::SledStore;

use super::child::{Running, command};
use super::kit::{listed, state_at, summary, thread, walk, walked};

/// D8, P9, clause 61.
#[tokio::test]
async fn a_thread_that_another_process_runs_is_busy_and_readable() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    let mut other = Running::start(command("hold", folder.path()));
    other.hear("holding");
    let held = thread("held");
    let busy = store.claim(&held).await.err().expect("another process holds it");
    let expected = format!("thread `held` is being run by another process (pid {})", other.process.id());
    assert_eq!(busy.to_string(), expected);
    assert!(busy.hint().contains("wait until it ends"));
    assert!(matches!(store.delete(&held).await, Err(StoreError::Busy { .. })));
    assert_eq!(listed(&store, &held, None, None).await, [3, 2, 1]);
    assert_eq!(state_at(&store, &held, None).await, [1, 2, 3]);
    assert_eq!(summary(&store, &held).await.unwrap().head, Seq(3));
    walked(&store, "own", 2).await;
    assert_eq!(store.threads().await.unwrap().len(), 2);
    other.dismiss();
    walk(&store.claim(&held).await.unwrap(), 4, 4).await;
}

#[tokio::test]
async fn a_claim_ends_with_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = Running::start(command("hold", folder.path()));
    other.hear("holding");
    other.kill();
    let store = SledStore::open(folder.path()).unwrap();
    walk(&store.claim(&thread("held")).await.unwrap(), 4, 5).await;
    assert_eq!(state_at(&store, &thread("held"), None).await, [1, 2, 3, 4, 5]);
}

/// sled is held by one process at a time; the others do without.
#[tokio::test]
async fn an_index_that_another_process_holds_is_not_needed() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open_indexed_from(folder.path(), 0).unwrap();
    let indexed = walked(&SledStore::open(folder.path()).unwrap(), "indexed", 30).await;
    let mut other = Running::start(command("index", folder.path()));
    other.hear("indexed");
    assert!(folder.path().join("index/db").exists());
    assert_eq!(state_at(&store, &indexed, None).await.len(), 30);
    walk(&store.claim(&indexed).await.unwrap(), 31, 40).await;
    other.dismiss();
    assert_eq!(state_at(&store, &indexed, None).await.len(), 40);
    // What the other process indexed is still right for who has the index next.
    let next = SledStore::open_indexed_from(folder.path(), 0).unwrap();
    assert_eq!(state_at(&next, &indexed, Some(35)).await.len(), 35);
}
