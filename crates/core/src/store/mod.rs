//! Stores in memory, the way from a typed id to a thread, and what every store has in common.
//!
//! - [`MemoryStore`]: a log per thread, gone with the process.
//! - [`MemoryItems`]: long-term memory, gone with the process.
//! - [`resolve`]: from what a user types to a thread and a checkpoint.
//! - [`lineage`], [`retention`], [`summary`], [`stale`], [`shared`]: the pure parts of a store. Another store implements
//!   [`CheckpointStore`](crate::CheckpointStore), uses them where they help, and passes the conformance suite of the durable store's tests.

pub mod lineage;
pub mod retention;
pub mod summary;

mod items;
mod memory;
mod resolve;
mod rows;

pub use crate::share::shared;
pub use items::MemoryItems;
pub use memory::MemoryStore;
pub use resolve::{CheckpointRef, SHORTEST_PREFIX, resolve};

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Seq, StoreError, ThreadId};

/// Returns the error of a writer that wanted to append `seq` to a thread whose newest checkpoint is `head`.
pub fn stale(thread: &ThreadId, seq: Seq, head: Option<Seq>) -> StoreError {
    StoreError::Conflict {
        thread: thread.clone(),
        expected: before(seq),
        found: head.map_or_else(|| "none".to_owned(), |head| head.to_string()),
    }
}

fn before(seq: Seq) -> String {
    match seq.0 {
        0 | 1 => "none".to_owned(),
        above => (above - 1).to_string(),
    }
}

/// Locks. A panic elsewhere does not make the value wrong: every change to it is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
