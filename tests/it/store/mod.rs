//! Stores: the suite that every store passes, and what the durable one must survive.

mod conformance;
mod kit;
mod resolve;

#[cfg(feature = "sled")]
mod again;
#[cfg(feature = "sled")]
mod child;
#[cfg(feature = "sled")]
mod crash;
#[cfg(feature = "sled")]
mod damage;
#[cfg(feature = "sled")]
mod index;
#[cfg(all(feature = "sled", target_os = "linux"))]
mod irregular;
mod items;
#[cfg(all(feature = "sled", target_os = "linux"))]
mod kills;
#[cfg(all(feature = "sled", target_os = "linux"))]
mod power;
#[cfg(feature = "sled")]
mod processes;
#[cfg(all(feature = "sled", target_os = "linux"))]
mod replay;
#[cfg(all(feature = "sled", target_os = "linux"))]
mod shim;
#[cfg(feature = "sled")]
mod stale;
#[cfg(feature = "sled")]
mod tail;
#[cfg(feature = "sled")]
mod threads;
#[cfg(feature = "sled")]
mod workload;
