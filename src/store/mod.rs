//! Where threads are kept: in memory, or in a folder. Knows the engine's contract and nothing else of the crate.
//!
//! - [`MemoryStore`]: a log per thread, gone with the process.
//! - [`SledStore`] (feature `sled`): one append-only journal per thread is the truth, synced once per superstep; a sled database
//!   beside it remembers where in large journals the checkpoints stand, and is made again whenever it is not right.
//! - [`MemoryItems`] and [`ItemFiles`]: long-term memory, in memory and in a folder.
//! - [`resolve`]: from what a user types to a thread and a checkpoint.
//!
//! What stores have in common stands in `lineage`, `retention` and `summary`, which are pure, and in `durable`. Another store is added by implementing
//! [`CheckpointStore`](crate::engine::CheckpointStore) and passing the conformance suite of the integration tests.

mod item_files;
mod items;
mod memory;
mod resolve;

mod durable;
mod lineage;
mod retention;
mod rows;
mod summary;

#[cfg(feature = "sled")]
mod journal;

pub use item_files::ItemFiles;
pub use items::MemoryItems;
#[cfg(feature = "sled")]
pub use journal::{Inspection, Repaired, SledStore};
pub use memory::MemoryStore;
pub use resolve::{CheckpointRef, SHORTEST_PREFIX, resolve};

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::{Seq, StoreError, ThreadId};

/// The error of a writer that wanted to append `seq` to a thread whose newest checkpoint is `head`.
fn stale(thread: &ThreadId, seq: Seq, head: Option<Seq>) -> StoreError {
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

/// Locks. A panic elsewhere does not make what is guarded here wrong: every change to it is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
