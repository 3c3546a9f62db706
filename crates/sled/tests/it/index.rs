//! The sled index beside the journals: it may be missing, behind, wrong or broken, and nobody notices but by the time it takes.

use std::fs;
use std::path::{Path, PathBuf};

use stategraph_core::{CheckpointStore, Retention, ThreadId};
use stategraph_sled::SledStore;

use super::kit::{keys, listed, load, once, put, rebuild, state_at, walk, walked};

const TO: u64 = 300;

/// A folder with a thread of 300 checkpoints that the index knows.
async fn indexed() -> (tempfile::TempDir, ThreadId) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let thread = walked(&store, "indexed", TO).await;
    let writer = store.claim(&thread).await.unwrap();
    put(&writer, once(150, "kept"), stategraph_core::Flush::Synced).await.unwrap();
    drop(writer);
    sound(&store, &thread, TO).await;
    drop(store);
    assert!(folder.path().join("index/db").exists());
    (folder, thread)
}

/// Every journal is indexed.
fn open(folder: &Path) -> SledStore {
    SledStore::open_indexed_from(folder, 0).unwrap()
}

async fn sound(store: &SledStore, thread: &ThreadId, to: u64) {
    assert_eq!(listed(store, thread, None, None).await, (1..=to).rev().collect::<Vec<_>>());
    assert_eq!(state_at(store, thread, Some(to - 1)).await, (1..to).collect::<Vec<_>>());
    assert_eq!(state_at(store, thread, None).await, (1..=to).collect::<Vec<_>>());
    assert_eq!(keys(&load(store, thread, Some(150)).await.unwrap().tasks), ["kept"]);
}

#[tokio::test]
async fn small_threads_make_no_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = SledStore::open(folder.path()).unwrap();
    let thread = walked(&store, "small", 50).await;
    assert_eq!(state_at(&store, &thread, None).await.len(), 50);
    assert_eq!(store.threads().await.unwrap().len(), 1);
    assert!(!folder.path().join("index").exists());
}

#[tokio::test]
async fn an_index_that_was_removed_is_made_again() {
    let (folder, thread) = indexed().await;
    fs::remove_dir_all(folder.path().join("index")).unwrap();
    sound(&open(folder.path()), &thread, TO).await;
    assert!(folder.path().join("index/db").exists());
}

#[tokio::test]
async fn an_index_of_garbage_is_made_again() {
    let (folder, thread) = indexed().await;
    let index = folder.path().join("index");
    for file in files(&index) {
        for garbage in [vec![], vec![0x5A; 100_000], b"text".to_vec()] {
            fs::write(&file, garbage).unwrap();
            let store = open(folder.path());
            sound(&store, &thread, TO).await;
        }
    }
    fs::remove_dir_all(&index).unwrap();
    fs::write(&index, "a file in its way").unwrap();
    sound(&open(folder.path()), &thread, TO).await;
    assert!(index.join("db").exists());
}

/// Cut off and with turned bits, as after a power cut: sled then refuses to open, or panics.
#[tokio::test]
async fn a_torn_index_is_made_again() {
    let (folder, thread) = indexed().await;
    let database = folder.path().join("index/db");
    let mut random = fastrand::Rng::with_seed(11);
    for round in 0..20 {
        let mut bytes = fs::read(&database).unwrap();
        // On a busy machine sled gives a file back late: then nobody made it anew, and it is as short as the last round left it.
        let end = bytes.len().min(100_000);
        match round % 2 {
            _ if end == 0 => {}
            0 => bytes.truncate(random.usize(0..bytes.len())),
            _ => (0..20).for_each(|_| bytes[random.usize(0..end)] ^= 1 << random.u8(0..8)),
        }
        fs::write(&database, bytes).unwrap();
        sound(&open(folder.path()), &thread, TO).await;
    }
}

/// Whatever is damaged where, what is read is the journal: sled may also give back an older value beside a newer one.
#[tokio::test]
async fn a_damaged_index_changes_nothing_that_is_read() {
    let (folder, thread) = indexed().await;
    let index = folder.path().join("index");
    let whole: Vec<_> = files(&index).into_iter().map(|file| (fs::read(&file).unwrap(), file)).collect();
    for seed in 0..60 {
        fs::remove_dir_all(&index).unwrap();
        fs::create_dir_all(&index).unwrap();
        for (bytes, file) in &whole {
            fs::write(file, bytes).unwrap();
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let (bytes, file) = random.choice(&whole).unwrap();
        fs::write(file, damaged(bytes.clone(), &mut random)).unwrap();
        sound(&open(folder.path()), &thread, TO).await;
    }
}

/// Cut off, a part of it lost, or some bits turned.
fn damaged(mut bytes: Vec<u8>, random: &mut fastrand::Rng) -> Vec<u8> {
    let at = random.usize(0..bytes.len());
    let end = bytes.len().min(at + random.usize(1..5_000));
    match random.u8(0..4) {
        0 => bytes.truncate(at),
        1 => bytes[at..end].fill(0),
        2 => bytes[at..end].fill(0xFF),
        _ => bytes[at] ^= 1 << random.u8(0..8),
    }
    bytes
}

#[tokio::test]
async fn a_journal_that_went_on_without_the_index_is_read_to_its_end() {
    let (folder, thread) = indexed().await;
    let without = SledStore::open(folder.path()).unwrap();
    walk(&without.claim(&thread).await.unwrap(), TO + 1, TO + 40).await;
    sound(&open(folder.path()), &thread, TO + 40).await;
    sound(&open(folder.path()), &thread, TO + 40).await;
}

/// A thread of the same name, and one whose file was put back from a backup, are not what the index knows.
#[tokio::test]
async fn an_index_of_another_journal_is_not_believed() {
    let (folder, thread) = indexed().await;
    let journal = journal(folder.path(), &thread);
    let backup = fs::read(&journal).unwrap();
    let without = SledStore::open(folder.path()).unwrap();
    without.prune(&thread, Retention::keep_last(3), &rebuild).await.unwrap();
    assert_eq!(listed(&open(folder.path()), &thread, None, None).await, [TO, TO - 1, TO - 2]);
    without.delete(&thread).await.unwrap();
    walked(&without, "indexed", 7).await;
    assert_eq!(state_at(&open(folder.path()), &thread, None).await.len(), 7);
    fs::write(&journal, backup).unwrap();
    sound(&open(folder.path()), &thread, TO).await;
}

/// The same random number, but shorter: a backup of the same thread.
#[tokio::test]
async fn an_index_that_knows_more_than_the_journal_is_not_believed() {
    let (folder, thread) = indexed().await;
    let journal = journal(folder.path(), &thread);
    let earlier = fs::read(&journal).unwrap();
    walk(&open(folder.path()).claim(&thread).await.unwrap(), TO + 1, TO + 200).await;
    sound(&open(folder.path()), &thread, TO + 200).await;
    fs::write(&journal, earlier).unwrap();
    let store = open(folder.path());
    sound(&store, &thread, TO).await;
    walk(&store.claim(&thread).await.unwrap(), TO + 1, TO + 250).await;
    sound(&store, &thread, TO + 250).await;
    drop(store);
    sound(&open(folder.path()), &thread, TO + 250).await;
}

fn journal(folder: &Path, thread: &ThreadId) -> PathBuf {
    folder.join("threads").join(format!("{thread}.log"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}
