//! Killed and resumed runs: the same document, no call paid twice.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use stategraph::engine::CheckpointStore as _;
use stategraph::store::MemoryStore;

use super::kit::{Ask, Place, Says, SectionsModel, Writing, reads_service_info, score, text};
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

/// Two versions of one section, one of the others.
fn script(ask: &Ask) -> Says {
    let is_revision = ask.task().contains("## Feedback to Address");
    match (ask.label.as_str(), ask.title.as_str()) {
        ("generator", title) if ask.is_first() => reads_service_info(title),
        ("generator", title) => {
            text(format!("## {title}\n\n{} words.\n", if is_revision { "Better" } else { "First" }))
        }
        ("critic", "Setup") if ask.last().contains("First") => score(3, &["again"]),
        _ => score(9, &[]),
    }
}

async fn check(parallel: u32) {
    let expected_place = Place::new();
    let store = Faulty::over(MemoryStore::new(), Fault::None);
    let seen = store.seen.clone();
    let model = SectionsModel::new(script);
    let writing = Writing { store: store.shared(), ..Writing::with(&model).set(|to| to.parallel = parallel) };
    writing.run(&expected_place).await.unwrap();
    let expected = expected_place.document();
    let writes = seen.appends.load(Ordering::SeqCst);
    assert!(writes > 30, "{writes}");
    for kill in 0..kills() {
        let write = random(kill) % writes;
        let fault = if kill % 2 == 0 { Fault::From(write) } else { Fault::Last(write) };
        let (place, kept) = (Place::new(), MemoryStore::new());
        let store = Faulty::over(kept.clone(), fault);
        let seen = store.seen.clone();
        // A killed process asks nothing more.
        let paid = SectionsModel::living(script, move || seen.appends.load(Ordering::SeqCst) <= write);
        let killed = Writing { store: store.shared(), model: Some(paid.clone()), ..writing.clone() };
        killed.run(&place).await.expect_err("it is killed");
        let model = SectionsModel::new(script);
        let resumed = Writing { store: Arc::new(kept.clone()), model: Some(model.clone()), ..killed };
        if kept.threads().await.unwrap().is_empty() {
            resumed.run(&place).await.unwrap();
        } else {
            resumed.resume(&place).await.unwrap();
        }
        assert_eq!(place.document(), expected, "{fault:?}");
        let (before, after) = (paid.counts(), model.counts());
        assert!(before.values().chain(after.values()).all(|count| *count == 1), "{fault:?}");
        let again = after.keys().filter(|request| before.contains_key(*request)).count();
        // The answers that were on their way when the store failed are lost with it.
        assert!(again <= parallel as usize, "{again} calls again, {fault:?}");
    }
}

#[tokio::test]
async fn a_killed_run_goes_on_to_the_same_document() {
    // SEC-60, SEC-159
    check(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_run_of_several_sections_at_a_time_goes_on_to_the_same_document() {
    check(4).await;
}
