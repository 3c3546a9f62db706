//! The one integration binary: a module per theme. Test names are sentences; requirement numbers stand in comments.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod agent;
mod ard;
mod commands;
mod definitions;
mod doc_phases;
mod drawing;
mod engine;
mod llm;
mod parity;
mod repo;
mod store;
mod support;
mod tidy;
mod tidy_citations;
mod trust;
