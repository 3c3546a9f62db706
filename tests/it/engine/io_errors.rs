//! The disk is full, or fails, at every call of the store: the run says so, nothing acknowledged is lost, a resume ends the same.
//! Parity P7, F43, clause 61, ENG-6.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use stategraph::engine::{CheckpointStore, Durability, HistoryQuery, Record, RunError, StoreError, ThreadId};
use stategraph::store::MemoryStore;

use super::kit::{replayed, thread};
use super::stores::{Breaks, Fault, Faulty};
use super::tale::{Notes, Tale, check_effects, tale, turn, undisturbed};

/// The store's error inside the error of a run, however deep in sub-graphs it happened.
fn cause(error: &RunError) -> Option<&StoreError> {
    match error {
        RunError::Store(error) => Some(error),
        RunError::Node { source, .. } => {
            source.downcast_ref().or_else(|| cause(source.downcast_ref::<RunError>()?))
        }
        _ => None,
    }
}

#[track_caller]
fn says_what_to_do(error: &RunError, wanted: ErrorKind) {
    let Some(StoreError::Io { source, .. }) = cause(error) else { panic!("{error:?}") };
    assert_eq!(source.kind(), wanted);
    let hint = error.hint().unwrap_or_default();
    let expected = if wanted == ErrorKind::StorageFull { "free some space" } else { "check the folder" };
    assert!(hint.contains(expected), "{error}: {hint}");
}

/// Whether all that was acknowledged is in the log, byte for byte.
async fn keeps_its_word<S: CheckpointStore + Clone>(faulty: &Faulty<S>, thread: &ThreadId) {
    let history = faulty.inner.history(thread, &HistoryQuery::default()).await.unwrap();
    let records = history.iter().flat_map(|entry| {
        let tasks = entry.tasks.iter().cloned().map(Record::Task);
        std::iter::once(Record::Checkpoint(entry.checkpoint.clone())).chain(tasks)
    });
    let there: BTreeSet<String> = records.map(|record| serde_json::to_string(&record).unwrap()).collect();
    let acknowledged = faulty.seen.acknowledged.lock().unwrap();
    let lost: Vec<_> = acknowledged.difference(&there).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// Runs to the end with one failure, or one after which nothing works any more; whether there were calls enough for it.
async fn survives<S: CheckpointStore + Clone>(
    inner: S,
    durability: Durability,
    fault: Fault,
    expected: &Tale,
) -> bool {
    let Fault::Io { kind, .. } = fault else { panic!("{fault:?}") };
    let (t, lines) = (thread("t"), Arc::new(Mutex::default()));
    let notes = Notes::kept(&lines);
    let faulty = Faulty::over(inner.clone(), fault);
    let mut graph = tale(&notes).with_store(faulty.shared());
    let mut failures = 0;
    let end = loop {
        match turn(&graph, &t, durability).await {
            Ok(Some(end)) => break end,
            Ok(None) => {}
            Err(error) => {
                failures += 1;
                says_what_to_do(&error, kind);
                keeps_its_word(&faulty, &t).await;
                graph = tale(&notes).with_store(Arc::new(inner.clone()));
            }
        }
    };
    assert_eq!(end, *expected);
    // Nobody is told of a failure that did not happen, and everybody of one that did.
    assert_eq!(failures, usize::from(faulty.seen.broke(fault)));
    let reader = tale(&notes).with_store(Arc::new(inner));
    assert_eq!(replayed(&reader, &t).await.last().unwrap().1, end);
    if durability != Durability::Exit {
        check_effects(lines.lock().unwrap().iter().map(String::as_str));
    }
    failures > 0
}

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

#[cfg(feature = "sled")]
#[tokio::test]
async fn whatever_call_of_the_store_on_the_disk_fails_a_resume_ends_the_same() {
    let expected = undisturbed().await;
    let mut calls = (0_u64..).step_by(7);
    loop {
        let folder = tempfile::tempdir().unwrap();
        let store = stategraph::store::SledStore::open(folder.path()).unwrap();
        let call = calls.next().expect("it has no end");
        let fault = Fault::Io { call, kind: ErrorKind::StorageFull, breaks: Breaks::ForGood };
        if !survives(store, Durability::Sync, fault, &expected).await {
            break;
        }
    }
}
