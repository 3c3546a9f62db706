//! What holds on every store holds on this one. Parity F43, F59, F61, D15, P5, P7, clause 61, ENG-6.

use std::io::ErrorKind;
use std::sync::Arc;

use stategraph_core::{CheckpointStore, Durability};
use stategraph_sled::SledStore;
use tempfile::TempDir;

use super::any_store::{
    asks_at_the_bottom, goes_on_from_where_the_store_has_it, keeps_a_question_through_an_update,
    prunes_within_the_older_version, sends_nothing, survives,
};
use super::stores::{Breaks, Fault};
use super::tale::undisturbed;

const EVERY: [Durability; 3] = [Durability::Sync, Durability::ASYNC, Durability::Exit];

fn opened(folder: &TempDir) -> Arc<dyn CheckpointStore> {
    Arc::new(SledStore::open(folder.path()).unwrap())
}

#[tokio::test]
async fn the_same_holds_on_the_durable_store() {
    let folder = tempfile::tempdir().unwrap();
    goes_on_from_where_the_store_has_it(&|| opened(&folder)).await;
}

// LangGraph: `update_state`, then `Command(resume=…)`
#[tokio::test]
async fn an_update_while_a_question_waits_keeps_it_and_what_its_task_has_done() {
    for durability in EVERY {
        let folder = tempfile::tempdir().unwrap();
        keeps_a_question_through_an_update(durability, &|| opened(&folder)).await;
    }
}

// Depth of JSON and of stacks: this test's own thread has 2 MiB, as a worker of the runtime has.
#[tokio::test]
async fn forty_graphs_inside_each_other_wait_and_are_resumed_on_disk() {
    for durability in EVERY {
        let folder = tempfile::tempdir().unwrap();
        asks_at_the_bottom(durability, &|| opened(&folder)).await;
    }
}

// F21
#[tokio::test]
async fn a_task_for_an_item_that_is_null_runs_for_it_after_the_store_was_opened_again() {
    for durability in EVERY {
        let folder = tempfile::tempdir().unwrap();
        sends_nothing(durability, &|| opened(&folder)).await;
    }
}

// P5, D15
#[tokio::test]
async fn a_prune_leaves_what_an_older_version_wrote_in_that_version() {
    let folder = tempfile::tempdir().unwrap();
    prunes_within_the_older_version(opened(&folder)).await;
}

#[tokio::test]
async fn whatever_call_of_the_store_on_the_disk_fails_a_resume_ends_the_same() {
    let expected = undisturbed().await;
    let mut calls = (0_u64..).step_by(7);
    loop {
        let folder = tempfile::tempdir().unwrap();
        let store = SledStore::open(folder.path()).unwrap();
        let call = calls.next().expect("it has no end");
        let fault = Fault::Io { call, kind: ErrorKind::StorageFull, breaks: Breaks::ForGood };
        if !survives(store, Durability::Sync, fault, &expected).await {
            break;
        }
    }
}
