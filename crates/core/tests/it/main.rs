//! The engine through its public door: a module per theme. What stores do is in `store`; here they only have to keep things.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

pub(crate) mod any_store;
#[allow(unreachable_pub, reason = "it is part of a library, too")]
#[path = "../../../testing/src/cases.rs"]
mod cases;
pub(crate) mod kit;
pub(crate) mod stores;
pub(crate) mod tale;

mod building;
mod serde_attributes;
mod shapes;
mod state;

mod answers;
mod breakpoints;
mod course;
mod deferred;
mod dispatch;
mod limits;
mod memory;
mod nesting;
mod order;
mod subgraphs;

mod failure;
mod finite;
mod functions;
mod handlers;
mod identity;
mod imports;
mod interrupts;
mod once;
mod policies;
mod siblings;

mod checkpoints;
mod durability;
mod migrations;
mod outside;
mod records;
mod round_trips;
mod threads;
mod updates;
mod versions;

mod backlog;
mod dropped;
mod host;
mod panics;
mod queued;
mod shared_cx;
mod spans;
mod stop;
mod streams;
#[allow(unreachable_pub, reason = "it is part of a library, too")]
#[path = "../../../testing/src/watched.rs"]
mod watched;

mod io_errors;
mod random;
mod scale;
