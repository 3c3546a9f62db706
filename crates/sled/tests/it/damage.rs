//! Files that are not what they should be. Issue 2, bad input: truncated, written by a newer format, output folder not writable,
//! disk full. Each is a clear error with a hint, and nothing that can be read is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stategraph_core::{
    CheckpointStore, FORMAT, Flush, HistoryQuery, Record, Retention, StoreError, ThreadId, ThreadWriter,
};
use stategraph_sled::SledStore;

use super::child::{Running, command, limited};
use super::kit::{listed, next, once, put, rebuild, state_at, summary, thread, walk, walked};

/// A folder with one thread, its store, and the journal.
struct Scene {
    folder: tempfile::TempDir,
    store: SledStore,
    thread: ThreadId,
}

impl Scene {
    /// A thread with the checkpoints `1..=to`.
    async fn new(to: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The end of a claim is written by the store's own thread, which ends with the store.
        let thread = walked(&SledStore::open(folder.path()).unwrap(), "scene", to).await;
        let store = SledStore::open(folder.path()).unwrap();
        Self { folder, store, thread }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("threads").join(format!("{}.log", self.thread))
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.journal()).unwrap()
    }

    /// Where in the file the checkpoint `seq` stands.
    fn offset(&self, seq: u64) -> usize {
        let json = serde_json::to_vec(&next(seq)).unwrap();
        let payload = self.bytes().windows(json.len()).position(|window| window == json).unwrap();
        payload - HEAD
    }

    async fn claim_error(&self) -> StoreError {
        self.store.claim(&self.thread).await.err().expect("a damaged thread cannot be claimed")
    }
}

/// The bytes before an entry's JSON.
const HEAD: usize = 40;

/// P7: an append that was cut off anywhere never happened.
#[tokio::test]
async fn a_journal_cut_off_anywhere_goes_on_from_its_last_whole_entry() {
    let scene = Scene::new(4).await;
    let whole = scene.bytes();
    let ends: Vec<usize> =
        (1..=4).map(|seq| scene.offset(seq) + HEAD + serde_json::to_vec(&next(seq)).unwrap().len()).collect();
    for cut in scene.offset(3)..whole.len() {
        fs::write(scene.journal(), &whole[..cut]).unwrap();
        let there = ends.iter().filter(|end| **end <= cut).count() as u64;
        assert_eq!(
            listed(&scene.store, &scene.thread, None, None).await,
            (1..=there).rev().collect::<Vec<_>>()
        );
        let store = SledStore::open(scene.folder.path()).unwrap();
        let writer = store.claim(&scene.thread).await.unwrap();
        put(&writer, next(there + 1), Flush::Lazy).await.unwrap();
        drop((writer, store));
        assert_eq!(state_at(&scene.store, &scene.thread, None).await, (1..=there + 1).collect::<Vec<_>>());
    }
}

/// Whatever single bit is turned, what is read is right, or an error says where it is not.
#[tokio::test]
async fn a_turned_bit_is_never_read_as_data() {
    let scene = Scene::new(3).await;
    let whole = scene.bytes();
    let original: Vec<String> = originals(&scene).await.unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(scene.journal(), &bytes).unwrap();
        match originals(&scene).await {
            Ok(found) => assert_eq!(found, original, "byte {at}"),
            Err(StoreError::Corrupt { offset, path, .. }) => {
                assert!(offset <= at as u64, "byte {at} was reported at {offset}");
                assert_eq!(path, scene.journal());
            }
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}

async fn originals(scene: &Scene) -> Result<Vec<String>, StoreError> {
    let history = scene.store.history(&scene.thread, &HistoryQuery::default()).await?;
    Ok(history.iter().map(|entry| serde_json::to_string(&entry.checkpoint).unwrap()).collect())
}

#[tokio::test]
async fn what_stands_before_damage_stays_readable() {
    let scene = Scene::new(5).await;
    let (at, mut bytes) = (scene.offset(3), scene.bytes());
    bytes[at + HEAD + 10] ^= 1;
    fs::write(scene.journal(), &bytes).unwrap();
    let (store, thread) = (&scene.store, &scene.thread);
    let error = store.load(thread, None).await.unwrap_err();
    let expected = format!("{} is damaged at byte {at}: ", scene.journal().display());
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(error.hint().contains("what stands before the damage is readable"), "{}", error.hint());
    assert_eq!(state_at(store, thread, Some(2)).await, [1, 2]);
    assert_eq!(listed(store, thread, Some(3), None).await, [2, 1]);
    let listed = summary(store, thread).await.unwrap();
    assert_eq!((listed.head.0, listed.damage.unwrap().starts_with(&expected)), (2, true));
    for refused in [
        store.load(thread, Some(stategraph_core::Seq(4))).await.err(),
        store.history(thread, &HistoryQuery::default()).await.err(),
        store.copy(thread, &super::kit::thread("copy")).await.err(),
        store.prune(thread, Retention::keep_last(1), &rebuild).await.err(),
        Some(scene.claim_error().await),
    ] {
        assert!(matches!(refused, Some(StoreError::Corrupt { .. })), "{refused:?}");
    }
    assert_eq!(scene.bytes(), bytes, "a damaged journal is left as it is");
    store.delete(thread).await.unwrap();
    assert_eq!(store.threads().await.unwrap(), []);
}

#[tokio::test]
async fn one_bad_file_does_not_hide_the_other_threads() {
    let scene = Scene::new(2).await;
    fs::write(scene.folder.path().join("threads/text.log"), "dear diary").unwrap();
    fs::write(scene.folder.path().join("threads/not a thread.log"), "x").unwrap();
    fs::write(scene.folder.path().join("threads/notes.txt"), "x").unwrap();
    fs::create_dir(scene.folder.path().join("threads/folder.log")).unwrap();
    let listed = scene.store.threads().await.unwrap();
    assert_eq!(listed.iter().map(|summary| summary.thread.as_str()).collect::<Vec<_>>(), ["scene", "text"]);
    assert_eq!(listed[0].damage, None);
    assert!(listed[1].damage.as_ref().unwrap().ends_with("it does not begin like a journal"), "{listed:?}");
    let error = scene.store.load(&thread("text"), None).await.unwrap_err();
    assert!(
        error.to_string().ends_with("text.log is damaged at byte 0: it does not begin like a journal"),
        "{error}"
    );
    assert!(scene.store.claim(&thread("text")).await.is_err());
    assert_eq!(fs::read(scene.folder.path().join("threads/text.log")).unwrap(), b"dear diary");
}

/// What a power cut leaves of a file whose name came to the disk before its data.
#[tokio::test]
async fn a_blank_journal_is_a_new_thread() {
    let scene = Scene::new(1).await;
    let header = scene.bytes()[..24].to_vec();
    for torn in [vec![], vec![0; 8192], header[..5].to_vec(), [&header[..5], &[0; 100]].concat(), header] {
        fs::write(scene.folder.path().join("threads/new.log"), &torn).unwrap();
        assert!(scene.store.load(&thread("new"), None).await.unwrap().is_none());
        let writer = scene.store.claim(&thread("new")).await.unwrap();
        walk(&writer, 1, 2).await;
        drop(writer);
        assert_eq!(state_at(&scene.store, &thread("new"), None).await, [1, 2]);
        scene.store.delete(&thread("new")).await.unwrap();
    }
}

#[tokio::test]
async fn a_journal_of_a_newer_format_is_left_alone() {
    let scene = Scene::new(2).await;
    let mut bytes = scene.bytes();
    bytes[8] = 9;
    let checksum = crc32fast::hash(&bytes[..20]);
    bytes[20..24].copy_from_slice(&checksum.to_le_bytes());
    fs::write(scene.journal(), &bytes).unwrap();
    let error = scene.store.load(&scene.thread, None).await.unwrap_err();
    let expected = format!("{} has format 9, this version reads up to 2", scene.journal().display());
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.hint(), "install the version that wrote it, or a newer one");
    assert!(matches!(scene.claim_error().await, StoreError::Newer { .. }));
    assert_eq!(scene.bytes(), bytes);
}

#[tokio::test]
async fn a_checkpoint_of_a_newer_format_is_named_as_such() {
    let scene = Scene::new(2).await;
    let writer = scene.store.claim(&scene.thread).await.unwrap();
    let mut newer = next(3);
    newer.format = FORMAT + 1;
    put(&writer, newer, Flush::Synced).await.unwrap();
    let error = scene.store.load(&scene.thread, None).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Newer { found, supported: FORMAT, .. } if found == FORMAT + 1),
        "{error}"
    );
    assert_eq!(state_at(&scene.store, &scene.thread, Some(2)).await, [1, 2]);
}

/// D8: the file that a run writes to was changed behind its back.
#[tokio::test]
async fn a_writer_whose_journal_was_changed_gets_a_conflict() {
    type Tamper = fn(&Path);
    let append: Tamper = |journal| {
        use std::io::Write;
        fs::OpenOptions::new().append(true).open(journal).unwrap().write_all(b"somebody else").unwrap();
    };
    let replace: Tamper = |journal| {
        fs::copy(journal, journal.with_extension("other")).unwrap();
        fs::rename(journal.with_extension("other"), journal).unwrap();
    };
    let remove: Tamper = |journal| fs::remove_file(journal).unwrap();
    for (tamper, found) in [(append, "instead of"), (replace, "replaced"), (remove, "removed")] {
        let scene = Scene::new(2).await;
        let writer = scene.store.claim(&scene.thread).await.unwrap();
        walk(&writer, 3, 3).await;
        tamper(&scene.journal());
        for seq in 4..6 {
            let error = put(&writer, next(seq), Flush::Synced).await.unwrap_err();
            assert!(
                matches!(error, StoreError::Conflict { .. }) && error.to_string().contains(found),
                "{error}"
            );
            assert!(error.to_string().ends_with("this run expected 3"), "{error}");
            assert!(error.hint().starts_with("nothing was overwritten"));
        }
    }
}

#[tokio::test]
async fn what_a_prune_or_copy_left_when_it_was_killed_is_ignored_and_removed() {
    let scene = Scene::new(3).await;
    let left = scene.folder.path().join("threads/.scene.new");
    fs::write(&left, "half a journal").unwrap();
    assert_eq!(scene.store.threads().await.unwrap().len(), 1);
    drop(scene.store.claim(&scene.thread).await.unwrap());
    assert!(!left.exists());
    fs::write(&left, "half a journal").unwrap();
    scene.store.prune(&scene.thread, Retention::keep_last(1), &rebuild).await.unwrap();
    assert!(!left.exists());
    fs::write(&left, "half a journal").unwrap();
    scene.store.delete(&scene.thread).await.unwrap();
    assert_eq!(fs::read_dir(scene.folder.path().join("threads")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_store_needs_a_folder_it_can_write() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("checkpoints");
    fs::write(&file, "").unwrap();
    let error = SledStore::open(&file).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot use {}: ", file.display())), "{error}");
    assert!(error.hint().starts_with("a file stands where the store needs a folder"), "{}", error.hint());
    let below = SledStore::open(file.join("below")).unwrap_err();
    assert!(below.hint().starts_with("a file stands where"), "{below}");
}

/// Nobody, not even root, may make a folder there.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_must_not_be_written_is_named() {
    let store = SledStore::open("/sys/checkpoints").unwrap();
    assert_eq!(store.threads().await.unwrap(), []);
    let error = store.claim(&thread("any")).await.err().expect("nothing can be made in /sys");
    assert!(error.to_string().starts_with("cannot make the folder /sys/checkpoints: "), "{error}");
    assert_eq!(error.hint(), "choose a folder that can be written");
}

/// The system refuses to let a file grow beyond 64 KiB, in the middle of an entry.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = Running::start(limited("trap '' XFSZ; ulimit -f 128", "fill", folder.path()));
    let failed = other.hear("failed after");
    other.dismiss();
    let after: u64 = failed.split([' ', ',']).nth(2).unwrap().parse().unwrap();
    assert!(after > 100 && failed.contains("closed true: cannot append to "), "{failed}");
    let store = SledStore::open(folder.path()).unwrap();
    let journal = fs::read(folder.path().join("threads/full.log")).unwrap();
    assert!(
        journal.len() < 64 << 10 && journal.ends_with(b"}"),
        "the part of the entry that fitted was taken back"
    );
    let full = thread("full");
    assert_eq!(state_at(&store, &full, None).await, (1..=after).collect::<Vec<_>>());
    walk(&store.claim(&full).await.unwrap(), after + 1, after + 2).await;
}

#[tokio::test]
async fn a_writer_outlives_its_store() {
    let scene = Scene::new(1).await;
    let Scene { folder, store, thread } = scene;
    let writer = store.claim(&thread).await.unwrap();
    drop(store);
    walk(&writer, 2, 3).await;
    put(&writer, once(3, "kept"), Flush::Lazy).await.unwrap();
    drop(writer);
    let store = SledStore::open(folder.path()).unwrap();
    assert_eq!(state_at(&store, &thread, None).await, [1, 2, 3]);
}

/// What is queued when everything is dropped is written before the last of it is gone.
#[tokio::test]
async fn appends_under_way_are_finished_when_everything_is_dropped() {
    let scene = Scene::new(1).await;
    let Scene { folder, store, thread } = scene;
    let writer: Arc<dyn ThreadWriter> = store.claim(&thread).await.unwrap();
    for seq in 2..=50 {
        drop(writer.append(Record::Checkpoint(Arc::new(next(seq))), Flush::Synced).unwrap());
    }
    drop((writer, store));
    let store = SledStore::open(folder.path()).unwrap();
    assert_eq!(state_at(&store, &thread, None).await.len(), 50);
}

#[tokio::test]
async fn a_process_that_was_killed_leaves_the_pid_of_nobody_who_holds() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = Running::start(command("hold", folder.path()));
    other.hear("holding");
    other.kill();
    let store = SledStore::open(folder.path()).unwrap();
    let held = thread("held");
    let writer = store.claim(&held).await.unwrap();
    let busy = store.claim(&held).await.err().expect("this process holds it");
    assert_eq!(busy.to_string(), "thread `held` is being run by another run in this process");
    drop(writer);
}
