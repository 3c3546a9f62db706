//! Killed and resumed conversations: the same files, no call paid twice.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use stategraph::engine::{CheckpointStore, ThreadId};
use stategraph::store::MemoryStore;
use stategraph::workflows::contextualize::{ContextualizeGenerate, ContextualizeScope};
use stategraph::workflows::{ArgValues, Setting, Workflow};
use stategraph_testing::fake_server::FakeServer;

use super::script::{Said, approved, calls, is_agent, round, serve};
use crate::contextualize::runs::{Shop, generate, resume, run, scope, step};
use crate::stores::{Fault, Faulty};

/// Number of points at which each run is killed; `CRASH_KILLS` overrides it.
fn kills() -> u64 {
    std::env::var("CRASH_KILLS").map_or(8, |kills| kills.parse().expect("a number"))
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

/// Returns the number of requests of each kind: a round of the agent, or the step of a tool.
fn paid(server: &FakeServer) -> BTreeMap<String, usize> {
    let mut paid = BTreeMap::new();
    for request in server.requests() {
        let kind = if is_agent(&request) {
            format!("round {}", round(&request))
        } else {
            format!("{:?}", step(&request))
        };
        *paid.entry(kind).or_default() += 1;
    }
    paid
}

async fn check(workflow: &dyn Workflow, given: fn() -> ArgValues, script: fn() -> Vec<Said>) {
    let (undisturbed, server) = (Shop::new(), serve(script()).await);
    undisturbed.configure(&server, "");
    let store = Faulty::over(MemoryStore::new(), Fault::None);
    let seen = store.seen.clone();
    let setting = |shop: &Shop, store: Arc<dyn CheckpointStore>| Setting { store, ..shop.setting() };
    let ran = run(workflow, &given(), &setting(&undisturbed, store.shared())).await.unwrap();
    let (expected, once) = (left(&undisturbed), paid(&server));
    assert!(once.values().all(|count| *count == 1) && once.len() >= 4, "{once:?}");
    let writes = seen.appends.load(Ordering::SeqCst);
    assert!(writes > 10, "{writes}");
    for kill in 0..kills() {
        let write = random(kill) % writes;
        let fault = if kill % 2 == 0 { Fault::From(write) } else { Fault::Last(write) };
        let (shop, server) = (Shop::new(), serve(script()).await);
        shop.configure(&server, "");
        let kept = MemoryStore::new();
        let killed = setting(&shop, Faulty::over(kept.clone(), fault).shared());
        let thread: ThreadId = workflow.prepare(&given(), &killed).unwrap().thread;
        run(workflow, &given(), &killed).await.expect_err("it is killed");
        let whole = setting(&shop, Arc::new(kept.clone()));
        let again = if kept.threads().await.unwrap().is_empty() {
            run(workflow, &given(), &whole).await.unwrap()
        } else {
            resume(workflow, &given(), &whole, &thread).await.unwrap()
        };
        assert_eq!(left(&shop), expected, "{fault:?}");
        assert_eq!(again.state["spent"], ran.state["spent"], "{fault:?}");
        // The answer that the failed write should have stored is lost with it.
        let lost = usize::from(matches!(fault, Fault::From(_)));
        let paid = paid(&server);
        assert_eq!(paid.keys().collect::<Vec<_>>(), once.keys().collect::<Vec<_>>(), "{fault:?}");
        let twice: usize = paid.values().map(|count| count - 1).sum();
        assert!(twice <= lost, "{fault:?}: {paid:?}");
    }
}

#[tokio::test]
async fn a_killed_description_by_an_agent_goes_on_to_the_same_file() {
    // CTX-36, CTX-144
    let script = || {
        vec![
            calls([("extract_metadata", json!({})), ("scan_structure", json!({}))]),
            calls([("analyze_code", json!({})), ("generate_context", json!({}))]),
            calls([("refine_context", json!({ "request": "add a section about releases" }))]),
        ]
    };
    check(&ContextualizeGenerate, || approved(generate()), script).await;
}

#[tokio::test]
async fn a_killed_answer_by_an_agent_goes_on_to_the_same_file() {
    // CTX-144
    let script = || {
        vec![
            calls([
                ("search_for_files", json!({ "keywords": ["retries"] })),
                ("get_file_outline", json!({ "path": "src/retry.rs" })),
            ]),
            calls([("read_symbol", json!({ "path": "src/retry.rs", "name": "with_retries" }))]),
            // The closing request is journaled too.
            Said::Text("Retries are decided in `with_retries`."),
        ]
    };
    check(&ContextualizeScope, || approved(scope()), script).await;
}
