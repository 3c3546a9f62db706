//! A thread that one store reads again and again while others write to it: what it remembers is never older than the file.

use std::fs;
use std::sync::Arc;

use stategraph_core::{CheckpointStore, Flush, Retention, ThreadWriter};
use stategraph_sled::SledStore;

use super::kit::{json, keys, load, next, once, put, rebuild, state_at, thread, walk, walked};

/// Checkpoints that write something else than `walk` does, in as many bytes.
async fn walk_elsewhere(writer: &Arc<dyn ThreadWriter>, from: u64, to: u64) {
    for seq in from..=to {
        let mut checkpoint = next(seq);
        checkpoint.writes[0].update = json(seq + 50);
        put(writer, checkpoint, Flush::Synced).await.unwrap();
    }
}

#[tokio::test]
async fn what_others_add_or_remove_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (store, other) = (SledStore::open(folder.path()).unwrap(), SledStore::open(folder.path()).unwrap());
    let thread = walked(&other, "again", 20).await;
    for _ in 0..2 {
        assert_eq!(state_at(&store, &thread, None).await, (1..=20).collect::<Vec<_>>());
    }
    walk(&other.claim(&thread).await.unwrap(), 21, 30).await;
    assert_eq!(state_at(&store, &thread, None).await, (1..=30).collect::<Vec<_>>());
    assert_eq!(state_at(&store, &thread, Some(12)).await, (1..=12).collect::<Vec<_>>());
    other.prune(&thread, Retention::keep_last(3), &rebuild).await.unwrap();
    assert_eq!(state_at(&store, &thread, None).await, (1..=30).collect::<Vec<_>>());
    other.delete(&thread).await.unwrap();
    walked(&other, "again", 7).await;
    assert_eq!(state_at(&store, &thread, None).await, (1..=7).collect::<Vec<_>>());
}

/// The file is put back from a backup and goes on another way, until it is as long as it was.
#[tokio::test]
async fn a_backup_that_went_on_another_way_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    // A store that is gone has written its last byte.
    let other = || SledStore::open(folder.path()).unwrap();
    let store = other();
    let thread = walked(&other(), "backup", 15).await;
    let journal = folder.path().join("threads/backup.log");
    let backup = fs::read(&journal).unwrap();
    walk(&other().claim(&thread).await.unwrap(), 16, 40).await;
    assert_eq!(state_at(&store, &thread, None).await, (1..=40).collect::<Vec<_>>());
    let written = fs::metadata(&journal).unwrap().len();
    fs::write(&journal, backup).unwrap();
    walk_elsewhere(&other().claim(&thread).await.unwrap(), 16, 40).await;
    assert_eq!(fs::metadata(&journal).unwrap().len(), written, "else the test shows nothing");
    let elsewhere: Vec<u64> = (1..=15).chain(66..=90).collect();
    assert_eq!(state_at(&store, &thread, None).await, elsewhere);
}

/// The same, where both have the same newest checkpoint, and what follows it is not the same.
#[tokio::test]
async fn a_backup_that_went_on_behind_the_same_checkpoint_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let other = || SledStore::open(folder.path()).unwrap();
    let journal = folder.path().join("threads/backup.log");
    let thread = thread("backup");
    let first = other();
    let writer = first.claim(&thread).await.unwrap();
    walk(&writer, 1, 15).await;
    let before = fs::read(&journal).unwrap();
    let record = once(15, &"longer than what stands there otherwise ".repeat(3));
    put(&writer, record, Flush::Synced).await.unwrap();
    let longer = fs::read(&journal).unwrap();
    drop((writer, first));
    // The other way: another run took the thread and wrote nothing.
    fs::write(&journal, before).unwrap();
    drop(other().claim(&thread).await.unwrap());
    let store = other();
    assert_eq!(state_at(&store, &thread, None).await, (1..=15).collect::<Vec<_>>());
    fs::write(&journal, longer).unwrap();
    assert_eq!(keys(&load(&store, &thread, None).await.unwrap().tasks).len(), 1);
}
