//! Killed and resumed runs: the same files, no call paid twice.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use stategraph::engine::{CheckpointStore, ThreadId};
use stategraph::store::MemoryStore;
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeRefine, ContextualizeScope};
use stategraph::workflows::{ArgValues, Setting, Workflow};

use super::runs::{Shop, Step, generate, good, refine, resume, run, scope, serve, steps};
use crate::stores::{Fault, Faulty};

/// Number of points at which each run is killed; `CRASH_KILLS` overrides it.
fn kills() -> u64 {
    std::env::var("CRASH_KILLS").map_or(6, |kills| kills.parse().expect("a number"))
}

/// Returns a deterministic pseudo-random number (splitmix64).
fn random(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The files of a run, without the folder that differs between runs, and without the digest of the text with that folder.
fn left(shop: &Shop) -> Vec<(String, String)> {
    let place = shop.path().display().to_string();
    let text = |file: &String| {
        let lines = shop.read(file).replace(&place, "");
        lines.lines().filter(|line| !line.starts_with("digest")).collect::<Vec<_>>().join("\n")
    };
    shop.files("contexts/repo").iter().map(|file| (file.clone(), text(file))).collect()
}

/// A shop with a context file for `refine`, and no other.
async fn shop(needs_file: bool) -> Shop {
    let shop = Shop::new();
    if needs_file {
        run(&ContextualizeGenerate, &generate(), &shop.setting()).await.unwrap();
    }
    shop
}

fn with_store(shop: &Shop, store: Arc<dyn CheckpointStore>) -> Setting {
    Setting { store, ..shop.setting() }
}

/// Kills a command at several writes and resumes it: the files are those of a run that was not killed, and no step is paid twice, but for
/// the one whose answer was on its way.
async fn check(workflow: &dyn Workflow, given: fn() -> ArgValues, needs_file: bool, calls: usize) {
    let server = serve(good).await;
    let undisturbed = shop(needs_file).await;
    undisturbed.configure(&server, "");
    let store = Faulty::over(MemoryStore::new(), Fault::None);
    let seen = store.seen.clone();
    run(workflow, &given(), &with_store(&undisturbed, store.shared())).await.unwrap();
    let (expected, expected_steps) = (left(&undisturbed), steps(&server));
    assert_eq!(expected_steps.len(), calls);
    let writes = seen.appends.load(Ordering::SeqCst);
    assert!(writes > 4, "{writes}");
    for kill in 0..kills() {
        let write = random(kill) % writes;
        let fault = if kill % 2 == 0 { Fault::From(write) } else { Fault::Last(write) };
        let server = serve(good).await;
        let shop = shop(needs_file).await;
        shop.configure(&server, "");
        let kept = MemoryStore::new();
        let setting = with_store(&shop, Faulty::over(kept.clone(), fault).shared());
        let thread: ThreadId = workflow.prepare(&given(), &setting).unwrap().thread;
        run(workflow, &given(), &setting).await.expect_err("it is killed");
        let setting = with_store(&shop, Arc::new(kept.clone()));
        if kept.threads().await.unwrap().is_empty() {
            run(workflow, &given(), &setting).await.unwrap();
        } else {
            resume(workflow, &given(), &setting, &thread).await.unwrap();
        }
        assert_eq!(left(&shop), expected, "{fault:?}");
        let asked = steps(&server);
        let count = |all: &[Step], step| all.iter().filter(|it| **it == step).count();
        let again: usize = [Step::Analysis, Step::Text, Step::Exploration, Step::Answer, Step::Change]
            .map(|step| count(&asked, step) - count(&expected_steps, step))
            .iter()
            .sum();
        // The answer that the failed write should have stored is lost with it.
        let lost = usize::from(matches!(fault, Fault::From(_)));
        assert!(again <= lost, "{again} calls again, {fault:?}: {asked:?}");
    }
}

#[tokio::test]
async fn a_killed_description_goes_on_to_the_same_file() {
    // CTX-144
    check(&ContextualizeGenerate, generate, false, 2).await;
}

#[tokio::test]
async fn a_killed_answer_goes_on_to_the_same_file() {
    check(&ContextualizeScope, scope, false, 2).await;
}

#[tokio::test]
async fn a_killed_change_goes_on_to_the_same_file() {
    check(&ContextualizeRefine, || refine("add a section about releases"), true, 1).await;
}
