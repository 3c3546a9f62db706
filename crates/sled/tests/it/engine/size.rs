//! The bytes that a long thread takes on the disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stategraph_core::{CompiledGraph, END, START, State, StateGraph};

use super::kit::thread;

#[derive(State, Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Hundred {
    #[state(merge)]
    keys: BTreeMap<String, String>,
    steps: u32,
}

fn touching(steps: u32) -> CompiledGraph<Hundred> {
    let touch = async |state: &Hundred| {
        let key = format!("k{}", state.steps % 100);
        let value = format!("{:0300}", state.steps);
        Hundred::update().steps(state.steps + 1).keys(BTreeMap::from([(key, value)]))
    };
    let again = move |state: &Hundred| state.steps < steps;
    let graph = StateGraph::<Hundred>::new("hundred").node("touch", touch).edge(START, "touch");
    graph.branch("touch", again, [(true, "touch"), (false, END)]).compile().unwrap()
}

fn hundred() -> Hundred {
    let keys = (0..100).map(|at| (format!("k{at}"), "-".repeat(300))).collect();
    Hundred { keys, steps: 0 }
}

// F51, F12, P1; section 4: one key of 100 touched costs LangGraph 30 KB a step, and at most 1 KB here
#[tokio::test]
async fn a_journal_only_grows_and_by_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Arc::new(stategraph_sled::SledStore::open(folder.path()).unwrap());
    let file = folder.path().join("threads/t.log");
    let graph = touching(400).with_store(open());
    let t = thread("t");
    graph.run(hundred()).thread(t.clone()).step_limit(200).await.unwrap_err();
    let before = std::fs::read(&file).unwrap();
    assert!(before.len() < 35_000 + 200 * 1_000, "{} bytes", before.len());
    let end = graph.resume(&t).await.unwrap();
    let after = std::fs::read(&file).unwrap();
    assert!(after.starts_with(&before), "what was written is never written again");
    assert!(after.len() - before.len() < 200 * 1_000, "{} bytes", after.len() - before.len());
    drop(graph);
    assert_eq!(touching(400).with_store(open()).state(&t, None).await.unwrap().state, end.state);
}
