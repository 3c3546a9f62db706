//! Finds the thread and checkpoint that a user's text means. Works on any store; changes nothing.

use crate::{CheckpointStore, HistoryQuery, Seq, StoreError, ThreadId};

/// Minimum length of a prefix that stands for a thread, in characters.
pub const SHORTEST_PREFIX: usize = 4;

/// Maximum number of threads in an error.
const CANDIDATES: usize = 10;

/// Maximum number of threads in a hint.
const NEAREST: usize = 3;

/// A thread, or one of its checkpoints, that a user has named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRef {
    /// The thread; it has at least one checkpoint.
    pub thread: ThreadId,
    /// The checkpoint, which exists; `None` for the newest.
    pub seq: Option<Seq>,
}

/// Resolves a thread id, a prefix that only one thread has ([`SHORTEST_PREFIX`] characters or more), or either followed by `@` and the
/// position of a checkpoint.
///
/// # Errors
/// Returns [`StoreError::NoThread`] with the most similar ids, [`StoreError::Ambiguous`] with the matching ones,
/// [`StoreError::NoCheckpoint`], or the error of reading the store.
pub async fn resolve(store: &dyn CheckpointStore, text: &str) -> Result<CheckpointRef, StoreError> {
    let text = text.trim();
    let (name, seq) = split_reference(text);
    let thread = match ThreadId::new(name) {
        Ok(thread) if thread_exists(store, &thread).await? => thread,
        _ => find_by_prefix(store, name, text).await?,
    };
    match seq {
        Some(seq) if newest_seq(store, &thread, Some(Seq(seq.0.saturating_add(1)))).await? != Some(seq) => {
            Err(StoreError::NoCheckpoint { thread, seq })
        }
        _ => Ok(CheckpointRef { thread, seq }),
    }
}

/// Splits `thread@seq` into name and position. A text after `@` that is no number stays part of the name,
/// which then matches no thread.
fn split_reference(text: &str) -> (&str, Option<Seq>) {
    let parts = text.rsplit_once('@').and_then(|(name, seq)| Some((name, Some(Seq(seq.parse().ok()?)))));
    parts.unwrap_or((text, None))
}

/// Returns true when the thread has a checkpoint. A damaged thread counts too, because reading it gives a better error.
async fn thread_exists(store: &dyn CheckpointStore, thread: &ThreadId) -> Result<bool, StoreError> {
    match newest_seq(store, thread, None).await {
        Err(StoreError::Corrupt { .. }) => Ok(true),
        found => Ok(found?.is_some()),
    }
}

/// Returns the newest checkpoint of a thread, or the newest one before `before`; `None` when there is none.
async fn newest_seq(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    before: Option<Seq>,
) -> Result<Option<Seq>, StoreError> {
    let found = store.history(thread, &HistoryQuery { before, limit: Some(1) }).await?;
    Ok(found.first().map(|entry| entry.checkpoint.seq))
}

async fn find_by_prefix(
    store: &dyn CheckpointStore,
    prefix: &str,
    typed: &str,
) -> Result<ThreadId, StoreError> {
    let mut fitting = Vec::new();
    if prefix.chars().count() >= SHORTEST_PREFIX {
        for thread in store.ids(prefix).await? {
            if thread_exists(store, &thread).await? {
                fitting.push(thread);
            }
            if fitting.len() > CANDIDATES {
                break;
            }
        }
    }
    match fitting.as_slice() {
        [only] => return Ok(only.clone()),
        [] => {}
        _ => {
            fitting.truncate(CANDIDATES);
            let candidates = fitting.iter().map(ThreadId::to_string).collect();
            return Err(StoreError::Ambiguous { prefix: prefix.to_owned(), candidates });
        }
    }
    let nearest = similar_threads(prefix, &store.ids("").await?);
    Err(StoreError::NoThread { thread: typed.to_owned(), place: store.place(), nearest })
}

/// Returns at most three threads with similar ids: first those that begin with `typed`, then those whose edit
/// distance is at most a third of its length. Empty for an empty text.
fn similar_threads(typed: &str, threads: &[ThreadId]) -> Vec<String> {
    let tolerated = typed.chars().count() / 3;
    let near = |thread: &ThreadId| {
        let begins = !typed.is_empty() && thread.as_str().starts_with(typed);
        let slips = if begins { 0 } else { strsim::levenshtein(typed, thread.as_str()) };
        (slips <= tolerated && !typed.is_empty()).then(|| (slips, thread.to_string()))
    };
    let mut near: Vec<(usize, String)> = threads.iter().filter_map(near).collect();
    near.sort();
    near.into_iter().take(NEAREST).map(|(_, thread)| thread).collect()
}
