//! Killed and resumed runs: equal memory, equal documents, no call paid twice, exact budgets.

use std::collections::BTreeMap;
use std::future::{Future, IntoFuture as _};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use stategraph::engine::{RunError, StoreError};
use stategraph::workflows::doc_phases::state::Documentation;

use super::kit::{Asked, Kit, Player};
use crate::stores::{Fault, Faulty};

/// Returns the number of points at which a run is killed; `CRASH_KILLS` overrides it, as `.ci/run` does.
fn kills() -> u64 {
    std::env::var("CRASH_KILLS").map_or(15, |kills| kills.parse().expect("a number"))
}

/// Returns a deterministic pseudo-random number (splitmix64).
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The results that must not depend on kills.
#[derive(Debug, PartialEq)]
struct Left {
    run: Documentation,
    outcome: BTreeMap<String, String>,
}

fn kit(parallel: u32) -> Kit {
    Kit::new().set(|settings| settings.parallel = parallel)
}

/// Replaces the folder of the repository, which differs between runs.
fn left(kit: &Kit, run: Documentation) -> Left {
    let place = kit.root().absolute().to_owned();
    let run = Documentation { repository: "/".into(), session_id: String::new(), ..run };
    let shown = place.display().to_string();
    let outcome = kit.outcome().into_iter().map(|(name, text)| (name, text.replace(&shown, "")));
    Left { run, outcome: outcome.collect() }
}

async fn undisturbed(parallel: u32) -> (Left, BTreeMap<Asked, usize>) {
    let (kit, player) = (kit(parallel), Player::usual());
    let run = kit.done(&player).await;
    (left(&kit, run), player.counts())
}

async fn goes_on(kit: &Kit, player: &Arc<Player>) -> Documentation {
    let graph = kit.graph(player.clone());
    let resumed = match graph.resume(&kit.thread()).await {
        Err(RunError::Store(StoreError::NoThread { .. } | StoreError::NoCheckpoint { .. })) => {
            graph.run(kit.state()).thread(kit.thread()).await
        }
        other => other,
    };
    resumed.expect("it goes on").state
}

async fn check(parallel: u32, kills: u64) {
    let (expected, calls) = undisturbed(parallel).await;
    let writes = {
        let (kit, player) = (kit(parallel), Player::usual());
        let store = Faulty::over(kit.store.clone(), Fault::None);
        let seen = store.seen.clone();
        let graph = kit.graph_in(player, store.shared());
        graph.run(kit.state()).thread(kit.thread()).await.expect("it ends");
        seen.appends.load(Ordering::SeqCst)
    };
    assert!(writes > 40, "{writes}");
    for kill in 0..kills {
        let write = random(kill) % writes;
        let fault = if kill % 2 == 0 { Fault::From(write) } else { Fault::Last(write) };
        let (kit, player) = (kit(parallel), Player::usual());
        let store = Faulty::over(kit.store.clone(), fault).shared();
        let graph = kit.graph_in(player.clone(), store);
        graph.run(kit.state()).thread(kit.thread()).await.expect_err("it is killed");
        drop(graph);
        let run = goes_on(&kit, &player).await;
        assert_eq!(left(&kit, run), expected, "{fault:?}");
        // An answer whose journal write is lost is requested again; nothing else is requested twice.
        let lost = parallel as usize - usize::from(matches!(fault, Fault::Last(_)));
        let counts = player.counts();
        assert_eq!(counts.keys().collect::<Vec<_>>(), calls.keys().collect::<Vec<_>>(), "{fault:?}");
        let again: usize = counts.values().map(|count| count - 1).sum();
        assert!(again <= lost, "{again} calls again, {fault:?}");
    }
}

#[tokio::test]
async fn a_run_killed_at_any_write_goes_on_to_the_same_end() {
    // DOC-16, DOC-53, ENG-6
    check(1, kills()).await;
}

#[tokio::test]
async fn so_does_one_with_components_side_by_side() {
    // DOC-126
    check(2, kills() / 3).await;
}

/// A future that ends after a number of polls, whatever its state.
struct CutOff<F> {
    run: std::pin::Pin<Box<F>>,
    polls: u64,
}

impl<F: Future> Future for CutOff<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(left) = self.polls.checked_sub(1) else { return Poll::Ready(None) };
        self.polls = left;
        self.run.as_mut().poll(cx).map(Some)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_dropped_anywhere_goes_on_to_the_same_end() {
    // DOC-16: also between a tool's work and its journal
    let (expected, _) = undisturbed(1).await;
    for kill in 0..kills() / 3 {
        let (kit, player) = (kit(1), Player::usual());
        let graph = kit.graph(player.clone());
        let run = graph.run(kit.state()).thread(kit.thread()).into_future();
        let over = CutOff { run: Box::pin(run), polls: random(kill + 100) % 120 }.await;
        drop(graph);
        if over.is_some() {
            continue;
        }
        // A blocking write may hold the memory a little longer.
        let mut tries = 0;
        while stategraph::workflows::doc_phases::services::open_memory(&kit.root(), kit.state().started)
            .is_err()
        {
            tries += 1;
            assert!(tries < 10_000, "memory stays locked");
            tokio::task::yield_now().await;
        }
        let run = goes_on(&kit, &player).await;
        assert_eq!(left(&kit, run), expected, "{kill}");
    }
}

#[tokio::test]
async fn components_side_by_side_come_to_the_same_as_one_after_the_other() {
    // DOC-126, ENG-18
    let (one, _) = undisturbed(1).await;
    for parallel in [2, 8] {
        let (many, _) = undisturbed(parallel).await;
        assert_eq!(many.outcome, one.outcome);
        assert_eq!(many.run.components, one.run.components);
    }
}
