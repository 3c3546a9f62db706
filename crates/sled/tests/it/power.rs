//! 200 power cuts in the middle of writing and 50 in the middle of a run, as `replay` has them. Issue 2, "done when"; DESIGN engine
//! decision 7. `POWER_CUTS` says how many more there are after failed syncs and kills; see CONTRIBUTING.md.

use std::sync::{Arc, Mutex};

use stategraph_sled::SledStore;

use super::kit::thread;
use super::replay::{Disk, Op};
use super::shim::{Fate, recorded};
use super::workload::{self, Acknowledged, INDEX_FROM};
use crate::engine::tale::{Notes, Tale, check_effects, tale, told, undisturbed};

const CUTS: usize = 200;

/// Cuts of a run of a graph.
const CUTS_OF_A_RUN: usize = 50;

#[tokio::test]
async fn nothing_acknowledged_as_synced_is_lost_in_200_power_cuts() {
    let (root, ops) = recorded(&[("work-a-little", Fate::Lives), ("work-a-little", Fate::Lives)]);
    let mut random = fastrand::Rng::with_seed(7);
    let mut cuts: Vec<usize> = (0..CUTS).map(|_| random.usize(1..=ops.len())).collect();
    cuts.sort_unstable();
    let (mut disk, mut done) = (Disk::new(root), 0);
    for cut in cuts {
        ops[done..cut].iter().for_each(|op| disk.apply(op));
        done = cut;
        survives(&disk, &mut random).await;
    }
}

/// Cuts after failed syncs and kills when nothing else is said.
const CUTS_OF_THE_UNLUCKY: usize = 100;

/// Cuts of one record.
const CUTS_OF_A_RECORD: usize = 10;

/// The first process is killed while it makes the folders, the second is refused a sync, the third goes on where they were.
#[tokio::test]
async fn nothing_acknowledged_is_lost_after_failed_syncs_lost_parents_and_stale_blocks() {
    let wanted =
        std::env::var("POWER_CUTS").map_or(CUTS_OF_THE_UNLUCKY, |cuts| cuts.parse().expect("a number"));
    for round in 0..wanted.div_ceil(CUTS_OF_A_RECORD) {
        let mut random = fastrand::Rng::with_seed(round as u64);
        let killed = ("work-a-little", Fate::Killed(1 + round % 6));
        let refused = ("work-until-refused", Fate::FailedSync(random.usize(2..60)));
        let (root, ops) = recorded(&[killed, refused, ("work-a-little", Fate::Lives)]);
        assert!(ops.iter().any(|op| matches!(op, Op::Fail { .. })), "no sync failed");
        let mut cuts: Vec<usize> = (0..CUTS_OF_A_RECORD).map(|_| random.usize(1..=ops.len())).collect();
        cuts.sort_unstable();
        let (mut disk, mut done) = (Disk::new(root), 0);
        for cut in cuts {
            ops[done..cut].iter().for_each(|op| disk.apply(op));
            done = cut;
            survives(&disk, &mut random).await;
        }
    }
}

// ENG-6, P3, P7: a run goes on after a power cut, and no effect that it was told is journaled happens again
#[tokio::test]
async fn a_run_goes_on_after_a_power_cut_and_ends_the_same() {
    let expected = undisturbed().await;
    let (root, ops) = recorded(&[("tell", Fate::Lives)]);
    let mut random = fastrand::Rng::with_seed(11);
    let mut disk = Disk::new(root);
    for (done, op) in ops.iter().enumerate() {
        disk.apply(op);
        if done % (ops.len() / CUTS_OF_A_RUN) == 0 {
            goes_on(&disk, &mut random, &expected).await;
        }
    }
}

async fn goes_on(disk: &Disk, random: &mut fastrand::Rng, expected: &Tale) {
    let folder = tempfile::tempdir().unwrap();
    disk.cut(random, folder.path());
    let lines: Vec<String> = disk.text("notes").lines().map(str::to_owned).collect();
    let lines = Arc::new(Mutex::new(lines));
    let store = SledStore::open_indexed_from(folder.path().join("store"), INDEX_FROM).unwrap();
    let graph = tale(&Notes::kept(&lines)).with_store(Arc::new(store));
    assert_eq!(told(&graph, &thread("t")).await, *expected);
    check_effects(lines.lock().unwrap().iter().map(String::as_str));
}

/// Whether the store opens by itself after a cut, with all that was acknowledged.
async fn survives(disk: &Disk, random: &mut fastrand::Rng) {
    let mut acknowledged = Acknowledged::default();
    disk.text("acks").lines().for_each(|line| acknowledged.take(line));
    let mut interrupted = acknowledged.begun.clone();
    let folder = tempfile::tempdir().unwrap();
    disk.cut(random, folder.path());
    let store = SledStore::open_indexed_from(folder.path().join("store"), INDEX_FROM).unwrap();
    workload::check(&store, &acknowledged.synced, &mut interrupted).await;
    // And a second time, with what the first opening has left.
    let again = SledStore::open_indexed_from(folder.path().join("store"), INDEX_FROM).unwrap();
    drop(store);
    assert_eq!(
        stategraph_core::CheckpointStore::threads(&again).await.unwrap().len() as u64,
        workload::THREADS
    );
}
