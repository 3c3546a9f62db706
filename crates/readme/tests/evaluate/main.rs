//! Tests of evaluation, snapshots and modification.

#![allow(clippy::unwrap_used, reason = "a test that unwraps says where it failed")]

mod comparison;
mod formats;
mod metrics;
mod modification;
mod output;
mod packages;
mod results;
mod snapshots;
