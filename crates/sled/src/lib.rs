//! The durable store of [stategraph](https://docs.rs/stategraph): threads and long-term memory in a folder.
//!
//! - [`SledStore`]: one append-only journal per thread is the truth, synced once per superstep. A sled database beside it indexes the
//!   checkpoints of large journals, and is rebuilt from the journals whenever it is wrong.
//! - [`ItemFiles`]: long-term memory, one file per item.
//!
//! Both survive power cuts and may be used by several processes at once. `durable` makes file names survive a power cut; `journal`
//! lists its files in reading order.

mod durable;
mod item_files;
mod journal;

pub use item_files::ItemFiles;
pub use journal::{Inspection, Repaired, SledStore};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex and ignores poisoning. That is safe, because every change to the values is a single step: a
/// panic elsewhere leaves them valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
