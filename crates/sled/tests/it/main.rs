//! Stores: the suite that every store passes, and what the durable one must survive.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod conformance;
mod kit;
mod resolve;

mod again;
mod child;
mod crash;
mod damage;
mod engine;
mod index;
#[cfg(target_os = "linux")]
mod irregular;
mod items;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod power;
mod processes;
#[cfg(target_os = "linux")]
mod replay;
#[cfg(target_os = "linux")]
mod shim;
mod stale;
mod tail;
mod threads;
mod workload;
