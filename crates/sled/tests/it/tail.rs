//! The end of a long journal, which a load reads alone where the last run ended in good order. What it gives is what the whole
//! journal gives, however the thread went before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stategraph_core::{CheckpointStore, Flush, HistoryQuery, Retention, StoreError, ThreadWriter};
use stategraph_sled::SledStore;

use super::kit::{
    self, checkpoint, json, keys, listed, load, next, once, put, rebuild, state_at, thread, walk, walked,
    with_snapshot,
};

/// The last entry of a journal whose run ended in good order, in bytes.
const CLOSE: usize = 40;

fn open(folder: &Path) -> SledStore {
    SledStore::open(folder).unwrap()
}

fn journal(folder: &Path) -> PathBuf {
    folder.join("threads/long.log")
}

/// Adds a record of 120 kB.
async fn fill(writer: &Arc<dyn ThreadWriter>, base: u64) {
    put(writer, once(base, &format!("{base:0>60000}")), Flush::Lazy).await.unwrap();
}

/// A thread of 40 checkpoints, 3 MB long, with snapshots at 1 and 20.
async fn long(folder: &Path) {
    let store = open(folder);
    let writer = store.claim(&thread("long")).await.unwrap();
    for seq in 1..=40 {
        let state: Vec<u64> = (1..=seq).collect();
        let at = next(seq);
        let at = if seq == 1 || seq == 20 { with_snapshot(at, &state) } else { at };
        put(&writer, at, Flush::Synced).await.unwrap();
        if seq < 30 {
            fill(&writer, seq).await;
        }
    }
    put(&writer, once(40, "last"), Flush::Synced).await.unwrap();
}

/// Turns a bit before the newest snapshot.
fn damage(folder: &Path) {
    let mut bytes = fs::read(journal(folder)).unwrap();
    bytes[500_000] ^= 1;
    fs::write(journal(folder), &bytes).unwrap();
}

/// Whatever it was before, the newest state is this, read by a store that knows nothing, by one that knows all, and by one that
/// has seen the end.
async fn ends_with(folder: &Path, state: &[u64]) {
    let (store, thread) = (open(folder), thread("long"));
    for _ in 0..2 {
        assert_eq!(state_at(&store, &thread, None).await, state);
    }
    let chain = load(&store, &thread, None).await.unwrap().chain;
    let whole = open(folder);
    whole.history(&thread, &HistoryQuery::default()).await.unwrap();
    let other = load(&whole, &thread, None).await.unwrap();
    let texts =
        |chain: &[Arc<_>]| chain.iter().map(|at| serde_json::to_string(at).unwrap()).collect::<Vec<_>>();
    assert_eq!(texts(&chain), texts(&other.chain));
    assert_eq!(listed(&store, &thread, None, Some(3)).await, listed(&whole, &thread, None, Some(3)).await);
}

/// What a load does not need is not looked at; what needs it says what is wrong with it.
#[tokio::test]
async fn damage_before_the_newest_snapshot_is_in_nobodys_way_who_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    damage(folder.path());
    let (store, thread) = (open(folder.path()), thread("long"));
    let lineage = load(&store, &thread, None).await.unwrap();
    assert_eq!((lineage.chain[0].seq.0, lineage.chain.len()), (20, 21));
    assert_eq!(keys(&lineage.tasks), ["last"]);
    walk(&store.claim(&thread).await.unwrap(), 41, 50).await;
    assert_eq!(state_at(&store, &thread, None).await, (1..=50).collect::<Vec<_>>());
    drop(store);
    assert_eq!(state_at(&open(folder.path()), &thread, None).await, (1..=50).collect::<Vec<_>>());
    let error = open(folder.path()).history(&thread, &HistoryQuery::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { offset: 400_000..500_000, .. }), "{error}");
    assert_eq!(state_at(&open(folder.path()), &thread, Some(3)).await, [1, 2, 3]);
}

/// Nor of those whose run did not end in good order after it: what was acknowledged is found again.
#[tokio::test]
async fn damage_before_the_newest_snapshot_hides_nothing_that_follows() {
    for lost in [0, CLOSE, CLOSE + 7] {
        let folder = tempfile::tempdir().unwrap();
        long(folder.path()).await;
        damage(folder.path());
        let (store, thread) = (open(folder.path()), thread("long"));
        walk(&store.claim(&thread).await.unwrap(), 41, 45).await;
        // A claim that nothing is written with.
        drop(store.claim(&thread).await.unwrap());
        let writer = store.claim(&thread).await.unwrap();
        walk(&writer, 46, 50).await;
        put(&writer, next(51), Flush::Lazy).await.unwrap();
        let other = open(folder.path());
        assert_eq!(state_at(&other, &thread, None).await, (1..=51).collect::<Vec<_>>(), "of a run under way");
        drop((writer, store, other));
        let bytes = fs::read(journal(folder.path())).unwrap();
        fs::write(journal(folder.path()), &bytes[..bytes.len() - lost]).unwrap();
        let to = if lost > CLOSE { 50 } else { 51 };
        for _ in 0..2 {
            let store = open(folder.path());
            assert_eq!(
                state_at(&store, &thread, None).await,
                (1..=to).collect::<Vec<_>>(),
                "{lost} bytes lost"
            );
            drop(store.claim(&thread).await.unwrap());
        }
    }
}

/// A run that fails ends in good order too: it is the one that is resumed.
#[tokio::test]
async fn the_end_of_a_run_says_where_the_state_begins_whatever_it_wrote_last() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    let store = open(folder.path());
    put(&store.claim(&thread("long")).await.unwrap(), once(40, "lazy"), Flush::Lazy).await.unwrap();
    drop(store);
    let bytes = fs::read(journal(folder.path())).unwrap();
    assert_eq!(bytes[bytes.len() - CLOSE + 12], 4, "else the last entry ends no run");
    damage(folder.path());
    let lineage = load(&open(folder.path()), &thread("long"), None).await.unwrap();
    assert_eq!((lineage.chain.len(), keys(&lineage.tasks)), (21, vec!["last".to_owned(), "lazy".to_owned()]));
}

/// The newest checkpoint alone is asked for by its position in a list, as the commands do.
#[tokio::test]
async fn the_newest_of_the_history_needs_no_more_than_the_end() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    damage(folder.path());
    assert_eq!(listed(&open(folder.path()), &thread("long"), None, Some(1)).await, [40]);
}

/// A run that was killed leaves no last entry.
#[tokio::test]
async fn a_run_that_did_not_end_is_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    let bytes = fs::read(journal(folder.path())).unwrap();
    let state: Vec<u64> = (1..=40).collect();
    for cut in [CLOSE, CLOSE - 1, 1] {
        fs::write(journal(folder.path()), &bytes[..bytes.len() - cut]).unwrap();
        ends_with(folder.path(), &state).await;
    }
}

/// The last entry of an earlier version says nothing of where the newest state begins; one that is wrong about it is not believed.
#[tokio::test]
async fn a_last_entry_that_points_elsewhere_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    let whole = fs::read(journal(folder.path())).unwrap();
    let state: Vec<u64> = (1..=40).collect();
    let at = |seq: u64| {
        let text = format!(r#""seq":{seq},"#);
        let json = whole.windows(text.len()).position(|window| window == text.as_bytes()).unwrap();
        whole[..json].windows(4).rposition(|window| window == [0xF5, b'f', b'r', 0xFF]).unwrap() as u64
    };
    let end = whole.len() - CLOSE;
    for root in [0, 1, 24, 700_000, at(1), at(1) + 1, at(19), at(21), end as u64, u64::MAX] {
        let mut bytes = whole.clone();
        bytes[end + 24..end + 32].copy_from_slice(&root.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[end + 8..]);
        bytes[end + 4..end + 8].copy_from_slice(&checksum.to_le_bytes());
        fs::write(journal(folder.path()), &bytes).unwrap();
        ends_with(folder.path(), &state).await;
    }
}

/// A single bit that is turned anywhere in what is read is seen.
#[tokio::test]
async fn a_turned_bit_in_the_tail_is_never_read_as_data() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    let whole = fs::read(journal(folder.path())).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    let state: Vec<u64> = (1..=40).collect();
    for _ in 0..200 {
        let mut bytes = whole.clone();
        let last = bytes.len() - 5_000;
        let at = if random.bool() { random.usize(24..last) } else { random.usize(last..bytes.len()) };
        bytes[at] ^= 1 << random.u8(0..8);
        fs::write(journal(folder.path()), &bytes).unwrap();
        match open(folder.path()).load(&thread("long"), None).await {
            Ok(lineage) => assert_eq!(kit::state(&lineage.unwrap().chain), state, "byte {at}"),
            Err(StoreError::Corrupt { offset, .. }) => assert!(offset <= at as u64, "byte {at}: {offset}"),
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}

/// Forks, snapshots, runs, copies and prunes in any order.
#[tokio::test]
async fn the_end_gives_what_the_whole_gives() {
    for seed in 0..12 {
        let folder = tempfile::tempdir().unwrap();
        let mut random = fastrand::Rng::with_seed(seed);
        let thread = thread("long");
        let mut states: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for run in 0..6 {
            let store = open(folder.path());
            let writer = store.claim(&thread).await.unwrap();
            for _ in 0..random.u64(0..12) {
                let newest = states.last_key_value().map(|(seq, _)| *seq);
                let seq = newest.map_or(1, |newest| newest + 1);
                let forks = newest.filter(|_| random.u8(0..6) == 0);
                let parent = forks.map(|_| *random.choice(states.keys()).unwrap()).or(newest);
                let mut state = parent.map_or_else(Vec::new, |parent| states[&parent].clone());
                state.push(seq);
                let at = checkpoint(seq, parent);
                let at =
                    if parent.is_none() || random.u8(0..5) == 0 { with_snapshot(at, &state) } else { at };
                put(&writer, at, Flush::Synced).await.unwrap();
                states.insert(seq, state);
                if random.bool() {
                    fill(&writer, seq).await;
                }
            }
            put(&writer, once(*states.last_key_value().unwrap().0, "end"), Flush::Synced).await.unwrap();
            drop((writer, store));
            let newest = states.last_key_value().unwrap().1.clone();
            ends_with(folder.path(), &newest).await;
            if run == 3 {
                let store = open(folder.path());
                store.prune(&thread, Retention::keep_last(4), &rebuild).await.unwrap();
                drop(store);
                ends_with(folder.path(), &newest).await;
                let kept = listed(&open(folder.path()), &thread, None, None).await;
                states.retain(|seq, _| kept.contains(seq));
            }
        }
    }
}

/// One that is written to by another store meanwhile.
#[tokio::test]
async fn what_others_add_behind_the_end_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    long(folder.path()).await;
    let (store, thread) = (open(folder.path()), thread("long"));
    assert_eq!(state_at(&store, &thread, None).await.len(), 40);
    let other = open(folder.path());
    let writer = other.claim(&thread).await.unwrap();
    walk(&writer, 41, 45).await;
    assert_eq!(state_at(&store, &thread, None).await, (1..=45).collect::<Vec<_>>());
    assert_eq!(state_at(&store, &thread, Some(7)).await, (1..=7).collect::<Vec<_>>());
    drop((writer, other));
    let mut fork = checkpoint(46, Some(5));
    fork.writes[0].update = json(46);
    put(&open(folder.path()).claim(&thread).await.unwrap(), fork, Flush::Synced).await.unwrap();
    assert_eq!(state_at(&store, &thread, None).await, [1, 2, 3, 4, 5, 46]);
    ends_with(folder.path(), &[1, 2, 3, 4, 5, 46]).await;
    let copy = walked(&store, "other", 3).await;
    store.delete(&copy).await.unwrap();
    store.copy(&thread, &copy).await.unwrap();
    assert_eq!(state_at(&open(folder.path()), &copy, None).await, [1, 2, 3, 4, 5, 46]);
}
