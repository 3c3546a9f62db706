//! Pipes, devices and links where a store has its files: an error at once. Nothing waits for a pipe, and nothing is written elsewhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use stategraph_core::{
    CheckpointStore, HistoryQuery, ItemPath, LongTermStore, PutItem, Retention, StoreError,
};
use stategraph_sled::{ItemFiles, SledStore};

use super::kit::{rebuild, thread, walked};

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn told(error: &StoreError) {
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[tokio::test]
async fn a_journal_that_is_no_regular_file_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    walked(&store, "good", 2).await;
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, "not ours").unwrap();
    let threads = folder.path().join("threads");
    pipe(&threads.join("pipe.log"));
    symlink(&elsewhere, threads.join("link.log")).unwrap();
    symlink("/dev/zero", threads.join("device.log")).unwrap();
    for name in ["pipe", "link", "device"] {
        let at = thread(name);
        told(&store.claim(&at).await.err().expect("it is refused"));
        told(&store.load(&at, None).await.unwrap_err());
        told(&store.history(&at, &HistoryQuery::default()).await.unwrap_err());
        told(&store.copy(&at, &thread("copy")).await.unwrap_err());
        told(&store.copy(&thread("good"), &at).await.unwrap_err());
        told(&store.prune(&at, Retention::keep_last(1), &rebuild).await.unwrap_err());
        told(&store.delete(&at).await.unwrap_err());
        told(&store.inspect(&at).await.unwrap_err());
        told(&store.repair(&at).await.unwrap_err());
    }
    let listed = store.threads().await.unwrap();
    assert_eq!(listed.iter().filter(|summary| summary.damage.is_some()).count(), 3);
    assert_eq!(fs::read(&elsewhere).unwrap(), b"not ours");
}

/// Puts something irregular in the place of an index: its path, and a folder outside of the store.
type Put = fn(&Path, &Path);

#[tokio::test]
async fn an_index_that_is_no_folder_of_files_is_an_error_at_once() {
    let outside = tempfile::tempdir().unwrap();
    let puts: [Put; 4] = [
        |index, _| pipe(index),
        |index, outside| symlink(outside, index).unwrap(),
        |index, _| {
            fs::create_dir(index).unwrap();
            pipe(&index.join("db"));
        },
        |index, outside| {
            fs::create_dir(index).unwrap();
            symlink(outside.join("db"), index.join("db")).unwrap();
        },
    ];
    for put in puts {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("index"), outside.path());
        told(&SledStore::open_indexed_from(folder.path(), 0).unwrap_err());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn an_item_that_is_no_regular_file_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = ItemFiles::open(folder.path());
    let path: ItemPath = "a".parse().unwrap();
    store.put(PutItem::new(&path, "key", serde_json::json!(1)).unwrap()).await.unwrap();
    let file = folder.path().join("a/key.json");
    fs::remove_file(&file).unwrap();
    pipe(&file);
    told(&store.get(&path, "key").await.unwrap_err());
    told(&store.all(None).await.unwrap_err());
}

#[tokio::test]
async fn locks_that_are_a_link_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    symlink(outside.path().join("made"), folder.path().join("locks")).unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    told(&store.claim(&thread("any")).await.err().expect("it is refused"));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}
