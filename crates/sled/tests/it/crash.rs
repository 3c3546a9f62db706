//! 200 times `kill -9` in the middle of writing. Issue 2, "done when"; P7, clause 61.

use std::collections::BTreeSet;
use std::io::BufRead;

use stategraph_sled::SledStore;

use super::child::{Running, command};
use super::workload::{self, Acknowledged, INDEX_FROM};

/// Kills in all, spread over folders so that new threads are hit, too.
const FOLDERS: usize = 20;
const KILLS: u64 = 10;

/// Folders that are worked on at once.
const AT_ONCE: usize = 4;

#[test]
fn nothing_acknowledged_is_lost_in_200_kills() {
    // While one folder waits for the disk another is worked on.
    std::thread::scope(|scope| {
        for first in 0..AT_ONCE {
            scope.spawn(move || (first..FOLDERS).step_by(AT_ONCE).for_each(one_folder));
        }
    });
}

fn one_folder(seed: usize) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(seed as u64);
    let (mut acknowledged, mut interrupted) = (Acknowledged::default(), BTreeSet::new());
    for kill in 0..KILLS {
        interrupt(folder.path(), &mut random, &mut acknowledged);
        // Every other time without the index.
        let index_from = if kill % 2 == 0 { INDEX_FROM } else { u64::MAX };
        let store = SledStore::open_indexed_from(folder.path(), index_from).unwrap();
        runtime.block_on(workload::check(&store, &acknowledged.written, &mut interrupted));
    }
}

/// Lets a process write, kills it at a random moment, and takes in all that it acknowledged before.
fn interrupt(folder: &std::path::Path, random: &mut fastrand::Rng, acknowledged: &mut Acknowledged) {
    let mut writer = Running::start(command("work", folder));
    writer.hear("ready");
    for _ in 0..random.u32(0..40) {
        acknowledged.take(&writer.hear("ack"));
    }
    // Somewhere between two acknowledgements, too.
    for _ in 0..random.u32(0..20_000) {
        std::hint::spin_loop();
    }
    writer.kill();
    for line in writer.says.lines() {
        acknowledged.take(&line.unwrap());
    }
}
