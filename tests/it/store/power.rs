//! 200 power cuts in the middle of writing, as `replay` has them. Issue 2, "done when"; DESIGN engine decision 7.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use stategraph::store::SledStore;

use super::child::{Running, command};
use super::replay::{self, Disk, Op};
use super::workload::{self, Acknowledged, INDEX_FROM};

const CUTS: usize = 200;

#[tokio::test]
async fn nothing_acknowledged_as_synced_is_lost_in_200_power_cuts() {
    let (root, ops) = recorded();
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

/// Whether the store opens by itself after a cut, with all that was acknowledged.
async fn survives(disk: &Disk, random: &mut fastrand::Rng) {
    let mut acknowledged = Acknowledged::default();
    disk.text("acks").lines().for_each(|line| acknowledged.take(line));
    let folder = tempfile::tempdir().unwrap();
    disk.cut(random, folder.path());
    let store = SledStore::open_indexed_from(folder.path().join("store"), INDEX_FROM).unwrap();
    // Two processes wrote, the second where the first was done; nothing was interrupted before.
    workload::check(&store, &acknowledged.synced, &mut BTreeSet::new()).await;
    // And a second time, with what the first opening has left.
    let again = SledStore::open_indexed_from(folder.path().join("store"), INDEX_FROM).unwrap();
    drop(store);
    assert_eq!(
        stategraph::engine::CheckpointStore::threads(&again).await.unwrap().len() as u64,
        workload::THREADS
    );
}

/// The inode of a folder and what two processes, one after the other, did below it.
fn recorded() -> (u64, Vec<Op>) {
    let work = tempfile::tempdir().unwrap();
    let (shim, trace, root) = (shim(work.path()), work.path().join("trace"), work.path().join("root"));
    std::fs::create_dir(&root).unwrap();
    for _ in 0..2 {
        let mut command = command("work-a-little", &root.join("store"));
        command.env("LD_PRELOAD", &shim).env("SHIM_ROOT", &root).env("SHIM_TRACE", &trace);
        Running::start(command).dismiss();
    }
    let ops = replay::parse(&std::fs::read(&trace).unwrap());
    assert!(ops.iter().filter(|op| matches!(op, Op::Sync { .. })).count() > 100, "the record is not whole");
    (std::fs::metadata(&root).unwrap().ino(), ops)
}

/// Builds the library that records.
fn shim(folder: &Path) -> PathBuf {
    let (source, shim) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crash/shim.c"), folder.join("shim.so"));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&shim, &source])
        .args(["-ldl", "-lpthread"])
        .status();
    assert!(
        compiled.is_ok_and(|status| status.success()),
        "power cuts are simulated with a preloaded library: install a C compiler as `cc`"
    );
    shim
}
