//! Stores in memory, the resolution of ids that users type, and the parts that all stores need.
//!
//! - [`MemoryStore`]: threads in memory.
//! - [`MemoryItems`]: a long-term store in memory.
//! - [`resolve`]: finds the thread and checkpoint that a user means.
//! - [`lineage`], [`retention`], [`summary`], [`conflict`], [`shared`]: the pure parts of a store. A store of your own implements
//!   [`CheckpointStore`](crate::CheckpointStore), uses these where they help, and should pass the conformance suite in the tests of the
//!   durable store.

pub mod lineage;
pub mod retention;
pub mod summary;

mod items;
mod memory;
mod resolve;

pub use crate::share::shared;
pub use items::MemoryItems;
pub use memory::MemoryStore;
pub use resolve::{CheckpointRef, SHORTEST_PREFIX, resolve};

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Seq, StoreError, ThreadId};

/// Returns the error of a writer that wants to append the checkpoint `seq` to a thread whose newest
/// checkpoint is `head`, which is not the one before `seq`.
pub fn conflict(thread: &ThreadId, seq: Seq, head: Option<Seq>) -> StoreError {
    StoreError::Conflict {
        thread: thread.clone(),
        expected: before_text(seq),
        found: head.map_or_else(|| "none".to_owned(), |head| head.to_string()),
    }
}

fn before_text(seq: Seq) -> String {
    match seq.0 {
        0 | 1 => "none".to_owned(),
        above => (above - 1).to_string(),
    }
}

/// Locks a mutex, also after a panic of another holder, because every change to the value is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
