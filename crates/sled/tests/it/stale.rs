//! What a block of a file had before: entries of another journal, or of a claim that was cut off, are no entries of this one. A run of
//! what only looks like entries is passed over in linear time.

use std::fs;
use std::path::Path;

use stategraph_core::{CheckpointStore, Flush, StoreError};
use stategraph_sled::SledStore;

use super::kit::{listed, next, put, state_at, thread, walk, walked};

/// The length of an entry without its payload.
const HEAD: usize = 40;

fn open(folder: &Path) -> SledStore {
    SledStore::open(folder).unwrap()
}

/// The bytes of a thread of `to` checkpoints whose run did not end in good order.
async fn journal(folder: &Path, name: &str, to: u64) -> Vec<u8> {
    walked(&open(folder), name, to).await;
    let bytes = fs::read(folder.join(format!("threads/{name}.log"))).unwrap();
    bytes[..bytes.len() - HEAD].to_vec()
}

#[tokio::test]
async fn an_old_block_of_another_journal_is_no_entry_and_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let other = journal(folder.path(), "other", 9).await;
    let own = journal(folder.path(), "own", 9).await;
    assert_eq!(own.len(), other.len());
    for cut in (100..own.len()).step_by(61) {
        let mixed = [&own[..cut], &other[cut..]].concat();
        fs::write(folder.path().join("threads/own.log"), mixed).unwrap();
        let store = open(folder.path());
        let there = listed(&store, &thread("own"), None, None).await.len() as u64;
        assert_eq!(there, listed(&store, &thread("own"), None, None).await.first().copied().unwrap_or(0));
        let writer = store.claim(&thread("own")).await.unwrap();
        put(&writer, next(there + 1), Flush::Synced).await.unwrap();
        drop(writer);
        assert_eq!(state_at(&store, &thread("own"), None).await, (1..=there + 1).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_journal_moved_within_its_file_is_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    let own = journal(folder.path(), "own", 3).await;
    // The same claim and checkpoints once more, as a block of this file that stood elsewhere.
    fs::write(folder.path().join("threads/own.log"), [&own[..], &own[24..]].concat()).unwrap();
    assert_eq!(listed(&open(folder.path()), &thread("own"), None, None).await, [3, 2, 1]);
    walk(&open(folder.path()).claim(&thread("own")).await.unwrap(), 4, 5).await;
}

/// Two claims that found the same journal write at the same places.
#[tokio::test]
async fn what_an_earlier_claim_wrote_and_lost_does_not_follow_on_a_later_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("threads/own.log");
    let begun = journal(folder.path(), "own", 1).await;
    let mut written = Vec::new();
    for _ in 0..2 {
        fs::write(&path, &begun).unwrap();
        let writer = open(folder.path()).claim(&thread("own")).await.unwrap();
        walk(&writer, 2, 4).await;
        drop(writer);
        written.push(fs::read(&path).unwrap());
    }
    let [earlier, later] = written.try_into().unwrap();
    assert_eq!(earlier.len(), later.len());
    let entry = |seq: u64| {
        let json = serde_json::to_vec(&next(seq)).unwrap();
        later.windows(json.len()).position(|window| window == json).unwrap() - HEAD
    };
    let mixed = [&later[..entry(3)], &earlier[entry(3)..entry(4)]].concat();
    fs::write(&path, mixed).unwrap();
    assert_eq!(listed(&open(folder.path()), &thread("own"), None, None).await, [2, 1]);
}

/// Each false head claims all that follows as its payload: to check them all would take hours.
#[tokio::test]
async fn a_run_of_false_markers_is_read_in_linear_time() {
    let folder = tempfile::tempdir().unwrap();
    let own = journal(folder.path(), "own", 2).await;
    let false_head = {
        let mut head = own[24..24 + HEAD].to_vec();
        head[8..12].copy_from_slice(&0x0100_0000_u32.to_le_bytes());
        head
    };
    let bytes = [own, false_head.repeat(1_000_000)].concat();
    fs::write(folder.path().join("threads/own.log"), &bytes).unwrap();
    let store = open(folder.path());
    assert_eq!(listed(&store, &thread("own"), None, None).await, [2, 1]);
    let found = store.inspect(&thread("own")).await.unwrap().unwrap();
    assert_eq!((found.damage.len(), found.readable.len()), (0, 2));
}

/// Whatever of a journal is overwritten, a repair keeps what stands before, and what does not need what is lost.
#[tokio::test]
async fn a_repaired_thread_goes_on_wherever_it_was_damaged() {
    let folder = tempfile::tempdir().unwrap();
    walked(&open(folder.path()), "own", 6).await;
    let path = folder.path().join("threads/own.log");
    let whole = fs::read(&path).unwrap();
    let json = serde_json::to_vec(&next(2)).unwrap();
    let second = whole.windows(json.len()).position(|window| window == json).unwrap() - HEAD;
    for at in (0..whole.len()).step_by(37) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, &bytes).unwrap();
        let store = open(folder.path());
        let repaired = match store.repair(&thread("own")).await {
            Ok(repaired) => repaired.unwrap(),
            // All states begin with the first checkpoint.
            Err(StoreError::Corrupt { .. }) if at < second => {
                assert_eq!(fs::read(&path).unwrap(), bytes);
                continue;
            }
            Err(error) => panic!("byte {at}: {error}"),
        };
        let last = repaired.found.readable.last().map_or(0, |entry| entry.checkpoint.seq.0);
        if let Some(kept) = &repaired.kept {
            assert_eq!(fs::read(kept).unwrap(), bytes);
            fs::remove_file(kept).unwrap();
        }
        assert_eq!(
            listed(&store, &thread("own"), None, None).await,
            (1..=last).rev().collect::<Vec<_>>(),
            "byte {at}"
        );
        walk(&store.claim(&thread("own")).await.unwrap(), last + 1, last + 1).await;
        assert!(store.inspect(&thread("own")).await.unwrap().unwrap().damage.is_empty());
    }
}
