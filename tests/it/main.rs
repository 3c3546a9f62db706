//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod ard;
mod commands;
mod contextualize;
mod doc_phases;
mod explore;
mod language;
mod layers;
mod parity;
mod scripted_server;
mod sections;
#[allow(dead_code, reason = "of the misbehaving stores of the engine's tests one is used here")]
#[path = "../../crates/core/tests/it/stores.rs"]
mod stores;
mod tidy;
mod tidy_citations;
