//! Killed and resumed explorations: the same tree and notes, no call paid twice, a stream without gaps.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use stategraph::engine::CheckpointStore;
use stategraph::store::MemoryStore;

use super::kit::{Exploring, TreeModel, assert_whole};
use super::tree::{deep_place, divide};
use crate::stores::{Fault, Faulty};

/// Number of points at which the run is killed; `CRASH_KILLS` overrides it.
fn kills() -> u64 {
    std::env::var("CRASH_KILLS").map_or(5, |kills| kills.parse().expect("a number"))
}

/// Returns a deterministic pseudo-random number (splitmix64).
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

async fn check(parallel: u32) {
    let expected_place = deep_place();
    let store = Faulty::over(MemoryStore::new(), Fault::None);
    let seen = store.seen.clone();
    let model = TreeModel::new(divide);
    let exploring = Exploring::with(&model).set(|to| to.parallel = parallel).store(store.shared());
    let expected = exploring.run(&expected_place).await.unwrap();
    let writes = seen.appends.load(Ordering::SeqCst);
    assert!(writes > 300, "{writes}");
    for kill in 0..kills() {
        let write = random(kill) % writes;
        let fault = if kill % 2 == 0 { Fault::From(write) } else { Fault::Last(write) };
        let (place, kept) = (deep_place(), MemoryStore::new());
        let store = Faulty::over(kept.clone(), fault);
        let seen = store.seen.clone();
        // A killed process asks nothing more.
        let paid = TreeModel::living(divide, move || seen.appends.load(Ordering::SeqCst) <= write);
        let killed = Exploring::with(&paid).set(|to| to.parallel = parallel).store(store.shared());
        killed.run(&place).await.expect_err("it is killed");
        let model = TreeModel::new(divide);
        let exploring =
            Exploring { store: Some(Arc::new(kept.clone())), model: Some(model.clone()), ..killed };
        let explored = if kept.threads().await.unwrap().is_empty() {
            exploring.run(&place).await.unwrap()
        } else {
            exploring.resume(&place).await.unwrap()
        };
        assert_eq!(explored.result, expected.result, "{fault:?}");
        assert_whole(&explored.events);
        let (before, after) = (paid.counts(), model.counts());
        assert!(before.values().chain(after.values()).all(|count| *count == 1), "{before:?} {after:?}");
        let again = after.keys().filter(|answer| before.contains_key(answer)).count();
        // The answers that were on their way when the store failed are lost with it.
        assert!(again <= parallel as usize, "{again} calls again, {fault:?}");
        let files =
            ["notepad.json", "agents.json", "coverage.json"].map(|file| format!("explorations/repo/{file}"));
        files
            .iter()
            .for_each(|file| assert_eq!(place.read(file), expected_place.read(file), "{file}, {fault:?}"));
    }
}

#[tokio::test]
async fn a_killed_exploration_goes_on_to_the_same_tree() {
    // EXP-44, EXP-45, EXP-48, EXP-74
    check(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_exploration_of_several_agents_at_a_time_goes_on_to_the_same_tree() {
    check(4).await;
}
