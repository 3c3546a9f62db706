//! The disk is full, or fails, at every call of the store: the run says so, nothing acknowledged is lost, a resume ends the same.
//! Parity P7, F43, clause 61, ENG-6.

use std::io::ErrorKind;

use stategraph_core::Durability;
use stategraph_core::store::MemoryStore;

use super::any_store::survives;
use super::stores::{Breaks, Fault};
use super::tale::undisturbed;

/// Breaks every `step`th call in this way, until there are no more calls to break.
async fn every_call(durability: Durability, breaks: Breaks, step: usize) {
    let expected = undisturbed().await;
    for call in (0_u64..).step_by(step) {
        let kind = if call % 2 == 0 { ErrorKind::StorageFull } else { ErrorKind::Other };
        let fault = Fault::Io { call, kind, breaks };
        if !survives(MemoryStore::new(), durability, fault, &expected).await {
            assert!(call > 100 || durability == Durability::Exit, "there were only {call} calls");
            return;
        }
    }
}

#[tokio::test]
async fn whatever_call_of_the_store_fails_once_the_run_says_so_and_a_resume_ends_the_same() {
    every_call(Durability::Sync, Breaks::Once, 1).await;
}

#[tokio::test]
async fn from_whatever_call_on_the_disk_is_full_a_resume_with_space_ends_the_same() {
    every_call(Durability::Sync, Breaks::ForGood, 1).await;
}

#[tokio::test]
async fn whatever_acknowledgement_fails_what_was_kept_counts() {
    every_call(Durability::Sync, Breaks::Acknowledgement, 1).await;
}

// F43
#[tokio::test]
async fn lazier_durability_loses_no_more_than_it_says() {
    for breaks in [Breaks::Once, Breaks::ForGood, Breaks::Acknowledgement] {
        every_call(Durability::ASYNC, breaks, 5).await;
        every_call(Durability::Exit, breaks, 1).await;
    }
}
