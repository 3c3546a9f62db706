//! What a user types for a thread or a checkpoint. Issue 2, bad input: unknown, foreign or ambiguous id.

use stategraph_core::store::{MemoryStore, resolve};
use stategraph_core::{Seq, StoreError};

use super::kit::walked;

async fn store() -> MemoryStore {
    let store = MemoryStore::new();
    for thread in ["debate-alpha", "debate-alpine", "debate", "sections-1"] {
        walked(&store, thread, 3).await;
    }
    store
}

async fn found(text: &str) -> (String, Option<Seq>) {
    let found = resolve(&store().await, text).await.unwrap();
    (found.thread.to_string(), found.seq)
}

async fn refused(text: &str) -> StoreError {
    resolve(&store().await, text).await.unwrap_err()
}

#[tokio::test]
async fn a_whole_id_wins_over_those_it_begins() {
    assert_eq!(found("debate").await, ("debate".to_owned(), None));
}

#[tokio::test]
async fn a_prefix_of_four_characters_is_enough_when_it_fits_one_thread() {
    assert_eq!(found("sect").await, ("sections-1".to_owned(), None));
    assert_eq!(found(" debate-alpi ").await, ("debate-alpine".to_owned(), None));
    assert!(matches!(refused("sec").await, StoreError::NoThread { .. }));
}

#[tokio::test]
async fn a_checkpoint_is_named_behind_an_at_sign() {
    assert_eq!(found("debate@2").await, ("debate".to_owned(), Some(Seq(2))));
    assert_eq!(found("sect@3").await, ("sections-1".to_owned(), Some(Seq(3))));
}

#[tokio::test]
async fn a_checkpoint_that_does_not_exist_is_refused() {
    for text in ["debate@4", "debate@0", "debate@18446744073709551615"] {
        let error = refused(text).await;
        assert!(matches!(error, StoreError::NoCheckpoint { .. }), "{text}: {error}");
    }
}

#[tokio::test]
async fn a_prefix_of_several_threads_names_them() {
    let error = refused("debate-al").await;
    assert_eq!(error.to_string(), "`debate-al` fits 2 threads: debate-alpha, debate-alpine");
    assert_eq!(error.hint(), "type more of the id");
}

#[tokio::test]
async fn an_unknown_id_comes_with_the_nearest() {
    let error = refused("debate-alpah").await;
    assert_eq!(error.to_string(), "there is no thread `debate-alpah` in memory");
    assert!(error.hint().starts_with("did you mean `debate-alpha`"), "{}", error.hint());
    assert_eq!(refused("sec").await.hint(), "did you mean `sections-1`?");
    assert!(refused("quite-something-else").await.hint().contains("among the threads of the store"));
}

#[tokio::test]
async fn what_cannot_be_an_id_is_of_no_thread() {
    for text in ["", "  ", "../../etc/passwd", ".hidden", "debate@x", "@", "@1", "ünïcode", &"x".repeat(500)]
    {
        let error = refused(text).await;
        assert!(matches!(error, StoreError::NoThread { .. }), "{text:?}: {error}");
    }
}
