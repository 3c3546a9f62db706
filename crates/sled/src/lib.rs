//! The durable store of [stategraph](https://docs.rs/stategraph): threads and long-term memory in a folder.
//!
//! - [`SledStore`]: one append-only journal per thread is the truth, synced once per superstep; a sled database beside it remembers where in
//!   large journals the checkpoints stand, and is made again whenever it is not right.
//! - [`ItemFiles`]: long-term memory, a file an item.
//!
//! Both are safe through power cuts and may be used by several processes at once. `durable` makes the names of files survive; `journal` says
//! how its files are read in order.

mod durable;
mod item_files;
mod journal;

pub use item_files::ItemFiles;
pub use journal::{Inspection, Repaired, SledStore};

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. A panic elsewhere does not make the value wrong: every change to it is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
