//! The engine on this store: graphs of its own tests, run on the disk.

#![allow(clippy::unused_async, reason = "nodes are async")]
#![allow(dead_code, reason = "what the engine's own tests share is used in part here")]

#[path = "../../../../core/tests/it/any_store.rs"]
mod any_store;
#[path = "../../../../core/tests/it/kit.rs"]
pub(crate) mod kit;
#[path = "../../../../core/tests/it/stores.rs"]
pub(crate) mod stores;
#[path = "../../../../core/tests/it/tale.rs"]
pub(crate) mod tale;

mod on_disk;
mod random;
mod size;
