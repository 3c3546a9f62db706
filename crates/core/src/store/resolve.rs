//! From what a user types to a thread and a checkpoint of it. Works on any store; changes nothing.

use crate::{CheckpointStore, HistoryQuery, Seq, StoreError, ThreadId};

/// The fewest characters of a thread id that are taken as the beginning of one.
pub const SHORTEST_PREFIX: usize = 4;

/// The most threads that an error names.
const CANDIDATES: usize = 10;

/// The most threads that a hint proposes.
const NEAREST: usize = 3;

/// What a user means by an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRef {
    /// The thread; it has at least one checkpoint.
    pub thread: ThreadId,
    /// The checkpoint, which exists; the newest when none.
    pub seq: Option<Seq>,
}

/// Takes a thread id, the beginning of one ([`SHORTEST_PREFIX`] characters or more that fit one thread only), or either with
/// `@` and a checkpoint's position.
///
/// # Errors
/// [`StoreError::NoThread`] with the nearest ids, [`StoreError::Ambiguous`] with those that fit, [`StoreError::NoCheckpoint`],
/// and whatever reading the store gives.
pub async fn resolve(store: &dyn CheckpointStore, text: &str) -> Result<CheckpointRef, StoreError> {
    let text = text.trim();
    let (name, seq) = split(text);
    let thread = match ThreadId::new(name) {
        Ok(thread) if exists(store, &thread).await? => thread,
        _ => by_prefix(store, name, text).await?,
    };
    match seq {
        Some(seq) if newest(store, &thread, Some(Seq(seq.0.saturating_add(1)))).await? != Some(seq) => {
            Err(StoreError::NoCheckpoint { thread, seq })
        }
        _ => Ok(CheckpointRef { thread, seq }),
    }
}

/// Splits `thread@seq`. What follows an `@` and is no number belongs to a name, which then is of no thread.
fn split(text: &str) -> (&str, Option<Seq>) {
    let parts = text.rsplit_once('@').and_then(|(name, seq)| Some((name, Some(Seq(seq.parse().ok()?)))));
    parts.unwrap_or((text, None))
}

/// Whether a thread has a checkpoint. A damaged one has: what reads it says more.
async fn exists(store: &dyn CheckpointStore, thread: &ThreadId) -> Result<bool, StoreError> {
    match newest(store, thread, None).await {
        Err(StoreError::Corrupt { .. }) => Ok(true),
        found => Ok(found?.is_some()),
    }
}

/// The newest checkpoint of a thread, or the newest one before `before`.
async fn newest(
    store: &dyn CheckpointStore,
    thread: &ThreadId,
    before: Option<Seq>,
) -> Result<Option<Seq>, StoreError> {
    let found = store.history(thread, &HistoryQuery { before, limit: Some(1) }).await?;
    Ok(found.first().map(|entry| entry.checkpoint.seq))
}

async fn by_prefix(store: &dyn CheckpointStore, prefix: &str, typed: &str) -> Result<ThreadId, StoreError> {
    let mut fitting = Vec::new();
    if prefix.chars().count() >= SHORTEST_PREFIX {
        for thread in store.ids(prefix).await? {
            if exists(store, &thread).await? {
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
    let nearest = nearest(prefix, &store.ids("").await?);
    Err(StoreError::NoThread { thread: typed.to_owned(), place: store.place(), nearest })
}

/// The threads that look like `typed`: those that begin with it, then those a few slips away.
fn nearest(typed: &str, threads: &[ThreadId]) -> Vec<String> {
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
